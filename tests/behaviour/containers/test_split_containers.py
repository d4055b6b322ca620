"""New lists, dicts and objects that stand, or may stand, in two places after a branch or a loop."""

from __future__ import annotations

import pytest

from anabranch import AliasError, jit
from tests.equivalence import check, check_calls

WAYS = [(1, 1), (1, 0), (0, 1), (3, 2)]


class Node:
    def __init__(self, value):
        self.value, self.next = value, None


def values(node):
    found = []
    while node is not None:
        found.append(node.value)
        node = node.next
    return found


def check_nodes(function, *argsets):
    """Check the values of the linked list that a function returns, each list of arguments twice."""
    wrapped = jit(function)
    for args in argsets * 2:
        assert values(wrapped(*args)) == values(function(*args))


# ---- objects ---------------------------------------------------------------------------------------------------------


def test_a_linked_list_that_grows_at_its_end():
    def digits(number):
        head = Node(0)
        current = head
        while number != 0:
            current.next = Node(number % 10)
            current = current.next
            number //= 10
        return head.next

    def row(n):
        head = Node(-1)
        last = head
        for i in range(n):
            new = Node(i)
            last.next = new
            last = new
        return head

    def counted(n):
        head = Node(0)
        last = head
        for _ in range(n):
            last.next = Node(1)
            last = last.next
        total = 0
        while head is not None:
            total += 1
            head = head.next
        return total

    check_nodes(digits, (112,), (7,), (90817,))
    check_nodes(row, (0,), (1,), (5,))
    check_calls(counted, (0,), (1,), (6,))


def test_a_new_object_of_a_branch_in_an_attribute_and_a_name():
    def one(p, q):
        head, last = Node(0), None
        if p > 0:
            new = Node(1)
            head.next = new
            last = new
        if q > 0 and last is not None:
            last.value = 7
        return head

    def one_of_them(p, q):
        head, last = Node(0), None
        if p > 0:
            new = Node(1)
            if q > 0:
                head.next = new
            last = new
        if last is not None:
            last.value = 7
        return head

    def in_a_loop(p, q):
        head, found = Node(0), None
        for i in range(p):
            if i == q:
                new = Node(i)
                head.next = new
                found = new
        if found is not None:
            found.value = 17
        return head

    for function in (one, one_of_them, in_a_loop):
        check_nodes(function, *WAYS)


# ---- lists and dicts -------------------------------------------------------------------------------------------------


def test_a_new_list_of_a_branch_in_a_list_and_a_name():
    def f(p, q):
        outer, inner = [0, None], None
        if p > 0:
            new = [1, None]
            if q > 0:
                outer[1] = new
            inner = new
        if inner is not None:
            inner[0] = 7
        return outer

    for args in WAYS:
        check(f, *args)


def test_a_new_list_of_a_step_that_another_name_keeps():
    def f(n):
        new, kept = None, None
        i = 0
        while i < n:
            i += 1
            if i % 2:
                new = [i, 2]
            if i == 3:
                kept = new
        if kept is not None:
            kept[0] = 17
        return new, i

    for n in (1, 3, 4, 5):
        check(f, n)


def table(n, k):
    outer, found = {"value": 0, "next": None}, None
    for i in range(n):
        if i == k:
            new = {"value": i}
            outer["next"] = new
            found = new
    return outer, found


def test_a_list_that_a_recursive_function_returns_in_two_places():
    def f(n):
        def pair(k):
            if k <= 0:
                return [0], None
            a, b = pair(k - 1)
            if k % 2:
                b = a
            return a, b

        a, b = pair(n)
        a[0] = 99
        return b

    check(f, 4)


def test_a_list_or_none_that_a_recursive_function_changes():
    def f(n):
        def marked(k, given):
            if k == 0:
                return given
            if k % 3 == 0:
                given = [k]
            found = marked(k - 1, given)
            if found is not None:
                found[0] += 1
            return found

        return marked(n, None)

    check(f, 5)
    check(f, 2)


def test_a_dict_in_two_places_is_good_to_read():
    def f(n, k):
        outer, found = table(n, k)
        return -1 if found is None else found["value"] + outer["next"]["value"]

    check_calls(f, (3, 2), (3, 4), (0, 0))


def test_a_dict_that_is_changed_once_it_stands_in_two_places():
    def f(n, k):
        outer, found = {"next": None}, None
        for i in range(n):
            if i == k:
                found = {"value": i}
                outer["next"] = found
            if found is not None:
                found["value"] += 1
        return outer["next"]

    check(f, 3, 2)
    check(f, 2, 7)


def changed(n, k):
    outer, found = table(n, k)
    if found is not None:
        found["value"] = 17
    return outer["next"]


def changed_in_a_loop(n, k):
    outer, found = table(n, k)
    for i in range(n):
        if found is not None:
            found["value"] = i
    return outer["next"]


def compared(n, k):
    outer, found = table(n, k)
    return found is not None and found is outer["next"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (changed, "a dict made in the for loop at .* is changed, and two names or items may stand for it"),
        (changed_in_a_loop, "is changed, and two names or items may stand for it"),
        (compared, "is compared by identity, and two names or items may stand for it"),
        (table, "is in two places of what is returned"),
    ],
)
def test_a_dict_in_two_places_is_not_changed_compared_or_returned_twice(function, message):
    with pytest.raises(AliasError, match=message):
        jit(function)(3, 2)
