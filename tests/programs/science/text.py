"""Text: parsers, tokenisers, codes, words."""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict, deque

import numpy as np

from tests.programs.science.table import program


@program(lambda: ('a,"b, c",,"say ""hi""",d',), lambda: ("1,2,3",))
def parse_csv_line(line):
    fields, current, quoted = [], [], False
    i = 0
    while i < len(line):
        c = line[i]
        if quoted:
            if c == '"' and i + 1 < len(line) and line[i + 1] == '"':
                current.append('"')
                i += 1
            elif c == '"':
                quoted = False
            else:
                current.append(c)
        elif c == '"':
            quoted = True
        elif c == ",":
            fields.append("".join(current))
            current = []
        else:
            current.append(c)
        i += 1
    fields.append("".join(current))
    return fields


@program(lambda: ("3 + 4 * (2 - 1) / 2",), lambda: ("2 * (3 + 4",))
def evaluate_infix(expression):
    precedence = {"+": 1, "-": 1, "*": 2, "/": 2}
    values, operators = [], []

    def apply():
        op = operators.pop()
        b, a = values.pop(), values.pop()
        values.append({"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else float("nan")}[op])

    for token in re.findall(r"\d+|[-+*/()]", expression):
        if token.isdigit():
            values.append(float(token))
        elif token == "(":
            operators.append(token)
        elif token == ")":
            while operators[-1] != "(":
                apply()
            operators.pop()
        else:
            while operators and operators[-1] != "(" and precedence[operators[-1]] >= precedence[token]:
                apply()
            operators.append(token)
    while operators:
        if operators[-1] == "(":
            raise SyntaxError("a bracket is not closed")
        apply()
    return values[0]


@program(lambda: ("x x * y -", {"x": 3.0, "y": 2.5}), lambda: ("x +", {"x": 1.0}))
def reverse_polish(program_text, variables):
    stack = []
    for token in program_text.split():
        if token in variables:
            stack.append(variables[token])
        elif token in ("+", "-", "*", "/"):
            if len(stack) < 2:
                raise ValueError(f"too few values for {token}")
            b = stack.pop()
            a = stack.pop()
            if token == "+":
                stack.append(a + b)
            elif token == "-":
                stack.append(a - b)
            elif token == "*":
                stack.append(a * b)
            else:
                stack.append(a / b)
        else:
            stack.append(float(token))
    return stack.pop()


@program(lambda: ("let x1 = 3.14 + foo(y, 2);",), lambda: ("a ? b",))
def tokenise(source):
    tokens = []
    i = 0
    while i < len(source):
        c = source[i]
        if c.isspace():
            i += 1
        elif c.isalpha() or c == "_":
            j = i
            while j < len(source) and (source[j].isalnum() or source[j] == "_"):
                j += 1
            tokens.append(("name", source[i:j]))
            i = j
        elif c.isdigit():
            j = i
            while j < len(source) and (source[j].isdigit() or source[j] == "."):
                j += 1
            tokens.append(("number", float(source[i:j])))
            i = j
        elif c in "=+-*/(),;":
            tokens.append(("symbol", c))
            i += 1
        else:
            raise SyntaxError(f"unexpected {c!r} at {i}")
    return tokens


@program(lambda: ("aaabccdddd",), lambda: ("",))
def run_length(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append(f"{text[i]}{j - i}" if j - i > 1 else text[i])
        i = j
    return "".join(out)


@program(lambda: (np.array([1, 1, 1, 0, 0, 5, 5, 2]),))
def run_length_of_array(values):
    runs = []
    for v in values:
        if runs and runs[-1][0] == v:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((int(v), 1))
    decoded = []
    for v, n in runs:
        decoded.extend([v] * n)
    return runs, decoded


@program(lambda: ("Hello, World!", 3), lambda: ("Khoor, Zruog!", -3))
def caesar(text, shift):
    out = ""
    for c in text:
        if c.isalpha():
            base = ord("A") if c.isupper() else ord("a")
            out += chr((ord(c) - base + shift) % 26 + base)
        else:
            out += c
    return out


@program(lambda: (b"Many hands make light work.",), lambda: (b"ab",))
def base64_by_hand(data):
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    out = []
    for i in range(0, len(data), 3):
        chunk = data[i : i + 3]
        n = int.from_bytes(chunk + b"\0" * (3 - len(chunk)), "big")
        for k in range(4):
            out.append(alphabet[n >> 18 - 6 * k & 63] if k <= len(chunk) else "=")
    return "".join(out)


@program(lambda: ("A man, a plan, a canal: Panama",), lambda: ("not one",))
def is_palindrome(text):
    left, right = 0, len(text) - 1
    while left < right:
        if not text[left].isalnum():
            left += 1
        elif not text[right].isalnum():
            right -= 1
        elif text[left].lower() != text[right].lower():
            return False
        else:
            left += 1
            right -= 1
    return True


@program(lambda: (["eat", "tea", "tan", "ate", "nat", "bat"],))
def group_anagrams(words):
    groups = defaultdict(list)
    for w in words:
        groups["".join(sorted(w))].append(w)
    return sorted(groups.values(), key=len, reverse=True)


@program(lambda: ("the quick brown fox jumps over the lazy dog the end", 3))
def word_counts(text, n):
    counts = {}
    for word in text.lower().split():
        word = word.strip(string.punctuation)
        counts[word] = counts.get(word, 0) + 1
    top = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:n]
    return top, Counter(len(w) for w in counts)


@program(lambda: ("{[()]}([])",), lambda: ("(]",), lambda: ("((",))
def balanced_brackets(text):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for i, c in enumerate(text):
        if c in pairs.values():
            stack.append(c)
        elif c in pairs:
            if not stack or stack.pop() != pairs[c]:
                return i
    return -1 if not stack else len(text)


@program(lambda: (np.array([72, 105, 44, 32, 121, 111, 117]), 13))
def rot_codes(codes, shift):
    out = []
    for c in codes:
        if 65 <= c <= 90:
            c = (c - 65 + shift) % 26 + 65
        elif 97 <= c <= 122:
            c = (c - 97 + shift) % 26 + 97
        out.append(chr(c))
    return "".join(out)


@program(lambda: (255, 16), lambda: (-10, 2), lambda: (0, 7))
def to_base(n, base):
    if n == 0:
        return "0"
    digits = "0123456789abcdef"
    sign, n = ("-", -n) if n < 0 else ("", n)
    out = ""
    while n:
        n, r = divmod(n, base)
        out = digits[r] + out
    return sign + out


@program(lambda: ("ABABDABACDABABCABAB", "ABABCABAB"))
def knuth_morris_pratt(text, pattern):
    fail = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k and pattern[i] != pattern[k]:
            k = fail[k - 1]
        if pattern[i] == pattern[k]:
            k += 1
        fail[i] = k
    found, k = [], 0
    for i, c in enumerate(text):
        while k and c != pattern[k]:
            k = fail[k - 1]
        if c == pattern[k]:
            k += 1
        if k == len(pattern):
            found.append(i - k + 1)
            k = fail[k - 1]
    return found, fail


@program(lambda: ("width=80; height = 24 ;debug=true;name=box",))
def parse_settings(text):
    settings = {}
    for part in text.split(";"):
        key, _, value = (s.strip() for s in part.partition("="))
        try:
            settings[key] = int(value)
        except ValueError:
            settings[key] = {"true": True, "false": False}.get(value, value)
    return settings


@program(lambda: (4,), lambda: (np.int64(6),))
def look_and_say(n):
    term = "1"
    queue = deque(maxlen=3)
    for _ in range(n - 1):
        term = "".join(f"{len(m.group(0))}{m.group(1)}" for m in re.finditer(r"(\d)\1*", term))
        queue.append(term)
    return term, list(queue)
