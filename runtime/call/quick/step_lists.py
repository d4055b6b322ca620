"""The step that makes a list of what the kernel has written to arrays."""

from __future__ import annotations

from anabranch.runtime.call.quick.code_text import StepText
from anabranch.runtime.call.quick.steps import VALUE, Item, Step
from anabranch.runtime.host.object_layout import ADDRESS

_ITEMS = {
    Item.INT: ("i64", "PyLong_FromLongLong"),
    Item.FLOAT: ("double", "PyFloat_FromDouble"),
    Item.BITS8: ("i8", ""),
    Item.BITS16: ("i16", ""),
    Item.BITS32: ("i32", ""),
    Item.BITS64: ("i64", ""),
}
_WORDS_OF_KIND = 4


def write_lists(c: StepText) -> None:
    """The step that makes a list of the first elements of arrays: a tag says which array has one."""
    c.step(Step.ITEMS)
    count = c.new(f"call i64 @PyLong_AsLongLong(ptr {c.object(1)})")
    tags, has_tags = c.word(2, "i64"), c.label()
    made = c.new(f"call ptr @PyList_New(i64 {count})")
    c.made(0, made)
    one, found = c.label(), c.label()

    def put(k: str) -> None:
        c.act("store i64 0, ptr %position")
        c.act(f"br i1 {c.new(f'icmp slt i64 {tags}, 0')}, label %{one}, label %{has_tags}")
        c.begin(has_tags)
        memory = c.load(c.numbered(tags), ADDRESS)
        tag = c.load(c.new(f"getelementptr i32, ptr {memory}, i64 {k}"), 0, "i32")
        wide = c.new(f"zext i32 {tag} to i64")
        c.act(f"store i64 {c.new(f'mul i64 {wide}, {_WORDS_OF_KIND}')}, ptr %position")
        c.act(f"br label %{one}")
        c.begin(one)
        at = c.new("load i64, ptr %position")
        memory = c.load(c.numbered(c.indexed(at, 4)), ADDRESS)
        labels = {item: c.label() for item in Item}
        targets = " ".join(f"i64 {item.value}, label %{label}" for item, label in labels.items())
        c.act(f"switch i64 {c.indexed(at, 5)}, label %miss [ {targets} ]")
        for item, (kind, maker) in _ITEMS.items():
            c.begin(labels[item])
            value = c.load(c.new(f"getelementptr {kind}, ptr {memory}, i64 {k}"), 0, kind)
            if maker:
                c.act(f"store ptr {c.new(f'call ptr @{maker}({kind} {value})')}, ptr %found")
            else:
                cls, allocator = (c.new(f"inttoptr i64 {c.indexed(at, place)} to ptr") for place in (6, 7))
                scalar = c.new(f"call ptr {allocator}(ptr {cls}, i64 0)")
                c.unless(c.differ(scalar, "null"), "raise")
                c.act(f"store {kind} {value}, ptr {c.at(scalar, VALUE)}")
                c.act(f"store ptr {scalar}, ptr %found")
            c.act(f"br label %{found}")
        c.begin(found)
        number = c.new("load ptr, ptr %found")
        c.unless(c.differ(number, "null"), "raise")
        c.new(f"call i32 @PyList_SetItem(ptr {made}, i64 {k}, ptr {number})")

    c.repeat(count, put)
    words = c.new(f"mul i64 {c.word(3, 'i64')}, {_WORDS_OF_KIND}")
    c.done(c.new(f"add i64 {words}, 5"))
