"""The machine code that goes through tables of steps, without Python's own code.

It is the same for all tables, so a signature is made quick without a compilation.
"""

from __future__ import annotations

from typing import NamedTuple

from anabranch.runtime.call.quick.code_text import EPOCH, MAKE_ARRAY, WORD, StepText
from anabranch.runtime.call.quick.step_lists import write_lists
from anabranch.runtime.call.quick.steps import BYTES, COUNT, FIRST_EPOCH, HEAD, MOST, NAMED, POSITIONAL, VALUE, Step
from anabranch.runtime.host.object_layout import ITEMS, LENGTH, TYPE


class Maker(NamedTuple):
    """How a NumPy scalar is made of a number of Python's: what reads that, and what is stored."""

    reader: str
    wide: str
    kind: str
    narrow: str


_MAKERS = {
    Step.DOUBLE: Maker("PyFloat_AsDouble", "double", "double", ""),
    Step.SINGLE: Maker("PyFloat_AsDouble", "double", "float", "fptrunc"),
    Step.INT64: Maker("PyLong_AsUnsignedLongLongMask", "i64", "i64", ""),
    Step.INT32: Maker("PyLong_AsLongLong", "i64", "i32", "trunc"),
    Step.INT16: Maker("PyLong_AsLongLong", "i64", "i16", "trunc"),
    Step.INT8: Maker("PyLong_AsLongLong", "i64", "i8", "trunc"),
}


def _written(c: StepText) -> None:
    c.step(Step.RETURN)
    answer = c.object(0)
    c.act(f"call void @Py_IncRef(ptr {answer})")
    counter = c.load("%table", COUNT * WORD)
    calls = c.load(counter, 0, "i64")
    c.act(f"store i64 {c.new(f'add i64 {calls}, 1')}, ptr {counter}")
    c.act(f"store ptr {answer}, ptr %answer")
    c.act("br label %release")

    c.step(Step.ARGUMENT)
    k = c.word(1, "i64")
    c.keep(0, c.load(c.new(f"getelementptr ptr, ptr %arguments, i64 {k}")))
    c.done(2)

    c.step(Step.NAMED)
    found = c.new(f"call ptr @PyDict_GetItemWithError(ptr %named, ptr {c.word(1)})")
    c.unless(c.differ(found, "null"), "lost")
    c.act(f"call void @Py_IncRef(ptr {found})")
    c.made(0, found)
    c.done(2)

    c.step(Step.CONSTANT)
    c.keep(0, c.word(1))
    c.done(2)

    c.step(Step.IS_TYPE)
    c.expect(c.equal(c.load(c.object(0), TYPE), c.word(1)), 2)

    c.step(Step.IS)
    c.expect(c.equal(c.object(0), c.word(1)), 2)

    c.step(Step.IS_NOT)
    c.expect(c.differ(c.object(0), c.word(1)), 2)

    c.step(Step.SAME)
    c.expect(c.equal(c.object(0), c.object(1)), 2)

    c.step(Step.DIFFER)
    c.expect(c.differ(c.object(0), c.object(1)), 2)

    c.step(Step.EQUALS)
    is_equal = c.new(f"call i32 @PyObject_RichCompareBool(ptr {c.object(0)}, ptr {c.word(1)}, i32 2)")
    c.unless(c.new(f"icmp sge i32 {is_equal}, 0"), "raise")
    c.expect(c.differ(is_equal, "0", "i32"), 2)

    c.step(Step.CONTEXT)
    state = c.new(f"call i32 @PyContextVar_Get(ptr {c.word(0)}, ptr @_Py_NoneStruct, ptr %found)")
    c.unless(c.equal(state, "0", "i32"), "raise")
    value = c.new("load ptr, ptr %found")
    c.act(f"call void @Py_DecRef(ptr {value})")
    c.expect(c.equal(value, c.word(1)), 2)

    c.step(Step.NAME)
    found = c.new(f"call ptr @PyDict_GetItemWithError(ptr {c.word(0)}, ptr {c.word(1)})")
    c.unless(c.equal(found, c.word(2)), "lost")
    there, absent = c.label(), c.label()
    c.act(f"br i1 {c.equal(found, 'null')}, label %{absent}, label %{there}")
    c.begin(absent)
    c.unless(c.equal(c.new("call ptr @PyErr_Occurred()"), "null"), "raise")
    c.act(f"br label %{there}")
    c.begin(there)
    c.done(3)

    c.step(Step.KEPT)
    c.expect(c.equal(c.new(f"call i64 @PyDict_Size(ptr {c.word(0)})"), c.word(1, "i64"), "i64"), 2)

    c.step(Step.FUNCTION)
    function = c.word(0)
    for place, reader in enumerate(("Code", "Defaults", "KwDefaults"), 1):
        now = c.new(f"call ptr @PyFunction_Get{reader}(ptr {function})")
        c.unless(c.equal(now, c.word(place)), "miss")
    c.done(4)

    c.step(Step.BARE)
    attributes = c.load(c.new(f"getelementptr i8, ptr {c.word(0)}, i64 {c.word(1, 'i64')}"))
    there, bare = c.label(), c.label()
    c.act(f"br i1 {c.equal(attributes, 'null')}, label %{bare}, label %{there}")
    c.begin(there)
    size = c.new(f"call i64 @PyDict_Size(ptr {attributes})")
    c.act(f"br i1 {c.equal(size, '0', 'i64')}, label %{bare}, label %miss")
    c.begin(bare)
    c.done(2)

    c.step(Step.CELL)
    now = c.new(f"call ptr @PyCell_Get(ptr {c.word(0)})")
    c.unless(c.differ(now, "null"), "miss")
    c.act(f"call void @Py_DecRef(ptr {now})")
    c.expect(c.equal(now, c.word(1)), 2)

    c.step(Step.VERSION)
    version = c.load(c.new(f"getelementptr i8, ptr {c.word(0)}, i64 {c.word(1, 'i64')}"), 0, "i32")
    c.expect(c.equal(c.new(f"zext i32 {version} to i64"), c.word(2, "i64"), "i64"), 3)

    c.step(Step.UNLESS)
    is_equal = c.new(f"call i32 @PyObject_RichCompareBool(ptr {c.object(0)}, ptr {c.word(1)}, i32 2)")
    c.unless(c.new(f"icmp sge i32 {is_equal}, 0"), "raise")
    skipped = c.new(f"select i1 {c.differ(is_equal, '0', 'i32')}, i64 0, i64 {c.word(2, 'i64')}")
    c.done(c.new(f"add i64 {skipped}, 4"))

    c.step(Step.WHERE)
    is_true = c.new(f"call i32 @PyObject_IsTrue(ptr {c.object(0)})")
    c.unless(c.new(f"icmp sge i32 {is_true}, 0"), "raise")
    c.done(c.new(f"select i1 {c.differ(is_true, '0', 'i32')}, i64 3, i64 {c.new('add i64 3, ' + c.word(1, 'i64'))}"))

    c.step(Step.SKIP)
    c.done(c.new(f"add i64 {c.word(0, 'i64')}, 2"))

    c.step(Step.TEST)
    is_true = c.new(f"call i32 @PyObject_IsTrue(ptr {c.object(0)})")
    c.unless(c.new(f"icmp sge i32 {is_true}, 0"), "raise")
    c.expect(c.equal(c.new(f"zext i32 {is_true} to i64"), c.word(1, "i64"), "i64"), 2)

    c.step(Step.WORD)
    held = c.load(c.new(f"getelementptr i8, ptr {c.object(0)}, i64 {c.word(1, 'i64')}"), 0, "i64")
    c.expect(c.equal(held, c.word(2, "i64"), "i64"), 3)

    c.step(Step.NARROW)
    held = c.load(c.new(f"getelementptr i8, ptr {c.object(0)}, i64 {c.word(1, 'i64')}"), 0, "i32")
    bits = c.new(f"and i64 {c.new(f'zext i32 {held} to i64')}, {c.word(2, 'i64')}")
    c.expect(c.equal(bits, c.word(3, "i64"), "i64"), 4)

    c.step(Step.SIZES)
    held, count = c.load(c.new(f"getelementptr i8, ptr {c.object(0)}, i64 {c.word(1, 'i64')}")), c.word(2, "i64")

    def compare_size(k: str) -> None:
        size = c.load(c.new(f"getelementptr i64, ptr {held}, i64 {k}"), 0, "i64")
        c.unless(c.equal(size, c.indexed(k, 3), "i64"), "miss")

    c.repeat(count, compare_size)
    c.done(c.new(f"add i64 {count}, 4"))

    c.step(Step.COPY)
    c.keep(0, c.object(1))
    c.done(2)

    c.step(Step.ATTRIBUTE)
    c.made(0, c.new(f"call ptr @PyObject_GetAttr(ptr {c.object(1)}, ptr {c.word(2)})"))
    c.done(3)

    c.step(Step.KERNEL)
    answer = c.new(f"call ptr {c.word(1)}(ptr null, ptr %objects, i64 {c.word(2, 'i64')})")
    flags = c.word(4, "i64")
    none, there = c.label(), c.label()
    c.act(f"br i1 {c.equal(answer, 'null')}, label %{none}, label %{there}")
    c.begin(none)
    c.unless(c.differ(c.new(f"and i64 {flags}, 1"), "0", "i64"), "raise")
    overflow = c.load("@PyExc_OverflowError")
    c.unless(c.differ(c.new(f"call i32 @PyErr_ExceptionMatches(ptr {overflow})"), "0", "i32"), "raise")
    c.act("call void @PyErr_Clear()")
    c.act("br label %miss")
    c.begin(there)
    c.made(0, answer)
    c.unless(c.differ(answer, c.word(3)), "miss")
    may_fail = c.new(f"and i64 {flags}, 2")
    failed = c.new(f"and i1 {c.differ(may_fail, '0', 'i64')}, {c.equal(answer, '@_Py_NoneStruct')}")
    c.unless(c.new(f"xor i1 {failed}, true"), "miss")
    c.done(5)

    for step, maker in _MAKERS.items():
        c.step(step)
        wide = c.new(f"call {maker.wide} @{maker.reader}(ptr {c.object(1)})")
        narrow = c.new(f"{maker.narrow} {maker.wide} {wide} to {maker.kind}") if maker.narrow else wide
        made = c.new(f"call ptr {c.word(3)}(ptr {c.word(2)}, i64 0)")
        c.made(0, made)
        c.act(f"store {maker.kind} {narrow}, ptr {c.at(made, VALUE)}")
        c.done(4)

    c.step(Step.TRUTH)
    is_true = c.equal(c.object(1), "@_Py_TrueStruct")
    c.keep(0, c.new(f"select i1 {is_true}, ptr {c.word(2)}, ptr {c.word(3)}"))
    c.done(4)

    c.step(Step.ITEM)
    k = c.word(2, "i64")
    c.keep(0, c.load(c.at(c.new(f"getelementptr ptr, ptr {c.object(1)}, i64 {k}"), ITEMS)))
    c.done(3)

    for step, maker_of in ((Step.TUPLE, "PyTuple"), (Step.LIST, "PyList")):
        c.step(step)
        count = c.word(1, "i64")
        made = c.new(f"call ptr @{maker_of}_New(i64 {count})")
        c.made(0, made)

        def put(k: str, made: str = made, maker_of: str = maker_of) -> None:
            item = c.numbered(c.indexed(k, 2))
            c.act(f"call void @Py_IncRef(ptr {item})")
            c.new(f"call i32 @{maker_of}_SetItem(ptr {made}, i64 {k}, ptr {item})")

        c.repeat(count, put)
        c.done(c.new(f"add i64 {count}, 3"))

    c.step(Step.ARRAY)
    dtype, axes = c.word(2), c.word(3, "i64")
    c.act(f"call void @Py_IncRef(ptr {dtype})")  # a reference that the array takes
    narrow = c.new(f"trunc i64 {axes} to i32")
    sizes = c.at(c.pc, 5 * WORD)
    given = f"ptr {c.word(1)}, ptr {dtype}, i32 {narrow}, ptr {sizes}, ptr null, ptr null, i32 0, ptr null"
    c.made(0, c.new(f"call ptr @{MAKE_ARRAY}({given})"))
    c.done(c.new(f"add i64 {axes}, 5"))

    c.step(Step.STATE)
    c.made(0, c.new(f"call ptr @PyObject_GenericGetDict(ptr {c.object(1)}, ptr null)"))
    c.done(2)

    c.step(Step.KEYS)
    held, count = c.object(0), c.word(1, "i64")
    c.unless(c.equal(c.new(f"call i64 @PyDict_Size(ptr {held})"), count, "i64"), "miss")
    c.act("store i64 0, ptr %position")

    def compare(k: str) -> None:
        c.new(f"call i32 @PyDict_Next(ptr {held}, ptr %position, ptr %found, ptr null)")
        key = c.new(f"inttoptr i64 {c.indexed(k, 2)} to ptr")
        c.unless(c.equal(c.new("load ptr, ptr %found"), key), "miss")

    c.repeat(count, compare)
    c.done(c.new(f"add i64 {count}, 3"))

    c.step(Step.ENTRY)
    found = c.new(f"call ptr @PyDict_GetItemWithError(ptr {c.object(1)}, ptr {c.word(2)})")
    c.unless(c.differ(found, "null"), "lost")
    c.act(f"call void @Py_IncRef(ptr {found})")
    c.made(0, found)
    c.done(3)

    c.step(Step.STORE)
    state = c.new(f"call i32 @PyDict_SetItem(ptr {c.object(0)}, ptr {c.word(1)}, ptr {c.object(2)})")
    c.unless(c.equal(state, "0", "i32"), "raise")
    c.done(3)

    c.step(Step.CALL)
    count = c.word(2, "i64")

    def pass_on(k: str) -> None:
        given = c.numbered(c.indexed(k, 3))
        c.act(f"store ptr {given}, ptr {c.new(f'getelementptr ptr, ptr %given, i64 {k}')}")

    c.repeat(count, pass_on)
    c.made(0, c.new(f"call ptr @PyObject_Vectorcall(ptr {c.object(1)}, ptr %given, i64 {count}, ptr null)"))
    c.done(c.new(f"add i64 {count}, 4"))

    c.step(Step.LENGTH)
    c.expect(c.equal(c.load(c.object(0), LENGTH, "i64"), c.word(1, "i64"), "i64"), 2)

    c.step(Step.ELEMENT)
    # The address of a list's items stands where the items of a tuple begin.
    items, k = c.load(c.object(1), ITEMS), c.word(2, "i64")
    found = c.load(c.new(f"getelementptr ptr, ptr {items}, i64 {k}"))
    c.act(f"call void @Py_IncRef(ptr {found})")
    c.made(0, found)
    c.done(3)

    for step, kind, maker_name in (
        (Step.FLOAT, "double", "PyFloat_FromDouble"),
        (Step.INT, "i64", "PyLong_FromLongLong"),
    ):
        c.step(step)
        c.made(0, c.new(f"call ptr @{maker_name}({kind} {c.load(c.object(1), VALUE, kind)})"))
        c.done(2)

    write_lists(c)


def offer() -> list[str]:
    """The function that offers a call to tables in turn: NULL is an exception, the epoch's address none of them."""
    c = StepText("s")
    c.lines += [
        "define internal ptr @offer(ptr %chain, ptr %arguments, i64 %count, ptr %named) nounwind {",
        "entry:",
        *[f"  %{name} = alloca [{MOST} x ptr]" for name in ("objects", "owned", "given")],
        *[f"  %{name} = alloca ptr" for name in ("place", "found", "answer")],
        *[f"  %{name} = alloca i64" for name in ("owned.count", "number", "position", "next")],
        "  %is.plain = icmp eq ptr %named, null",
        "  br i1 %is.plain, label %begin, label %count.named",
        "count.named:",
        "  %named.size = call i64 @PyDict_Size(ptr %named)",
        "  br label %begin",
        "begin:",
        "  %named.count = phi i64 [ 0, %entry ], [ %named.size, %count.named ]",
        "  call void @Py_IncRef(ptr %chain)",
        f"  store ptr @{EPOCH}, ptr %answer",
        "  store i64 0, ptr %next",
    ]
    length, epoch = c.load("%chain", LENGTH, "i64"), c.load(f"@{EPOCH}", 0, "i64")
    c.act("br label %table.next")
    c.begin("table.next")
    number = c.new("load i64, ptr %next")
    c.unless(c.new(f"icmp ult i64 {number}, {length}"), "end")
    c.act(f"store i64 {c.new(f'add i64 {number}, 1')}, ptr %next")
    entry = c.load(c.at(c.new(f"getelementptr ptr, ptr %chain, i64 {number}"), ITEMS))
    c.lines.append(f"  %table = getelementptr i8, ptr {c.load(entry, ITEMS)}, i64 {BYTES}")
    for place, wanted in ((FIRST_EPOCH, epoch), (POSITIONAL, "%count"), (NAMED, "%named.count")):
        c.unless(c.equal(c.load("%table", place * WORD, "i64"), wanted, "i64"), "table.next")
    c.act("store i64 0, ptr %owned.count")
    c.act(f"store ptr {c.at('%table', HEAD * WORD)}, ptr %place")
    c.act("br label %dispatch")
    c.begin("dispatch")
    step = c.load(c.new("load ptr, ptr %place"), 0, "i64")
    targets = " ".join(f"i64 {step.value}, label %step{step.value}" for step in Step)
    c.act(f"switch i64 {step}, label %miss [ {targets} ]")
    _written(c)
    c.begin("lost")
    c.unless(c.equal(c.new("call ptr @PyErr_Occurred()"), "null"), "raise")
    c.act("br label %miss")
    c.begin("raise")
    c.act("store ptr null, ptr %answer")
    c.act("br label %release")
    c.begin("miss")
    c.act("br label %release")
    c.begin("release")

    def let_go(k: str) -> None:
        c.act(f"call void @Py_DecRef(ptr {c.load(c.new(f'getelementptr ptr, ptr %owned, i64 {k}'))})")

    c.repeat(c.new("load i64, ptr %owned.count"), let_go)
    answer = c.new("load ptr, ptr %answer")
    c.act(f"br i1 {c.equal(answer, f'@{EPOCH}')}, label %table.next, label %end")
    c.begin("end")
    c.act("call void @Py_DecRef(ptr %chain)")
    c.act(f"ret ptr {c.new('load ptr, ptr %answer')}")
    return [*c.lines, "}"]
