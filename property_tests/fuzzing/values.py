"""Strategies of arguments, each as an expression with the names of `property_tests.fuzzing.things`."""

from __future__ import annotations

from hypothesis import strategies as st

# Simpler ones stand first: what fails shrinks towards them.
NUMBERS = (
    "0", "1", "True", "-1", "2.5", "nan", "inf", "-0.0", "1j", "complex(nan, inf)", "2**31", "2**63 - 1", "-2**63",
    "2**63", "2**64", "-10**40", "10**400", "1e308", "5e-324",
    "np.float64(1.5)", "np.int8(-128)", "np.uint64(2**64 - 1)", "np.bool_(True)", "np.float16(65504)",
    "np.complex64(1j)", "np.longdouble(1)", "np.clongdouble(1)", "np.float32(nan)",
)  # fmt: skip
ARRAYS = (
    "np.arange(3.0)", "np.arange(3)", "np.array(3.0)", "np.zeros(0)", "np.zeros((0, 3))", "np.zeros((2, 0), int)",
    "np.arange(6.0).reshape(2, 3)", "np.arange(6).reshape(2, 3).T", "np.arange(4.0)[::-1]", "np.arange(8)[1::3]",
    "np.array([True, False])", "np.array([nan, inf, -0.0])", "np.array([2**64 - 1], np.uint64)", "np.float16([1, 2])",
    "np.arange(3, dtype='>i4')", "np.arange(3, dtype='>f8')", "np.array(1j, dtype='>c16')", "np.array(5, dtype='>u2')",
    "np.zeros(0, '>f4')", "np.arange(6, dtype='>i8')[::2]", "readonly(np.arange(3.0))",
    "np.broadcast_to(np.array(1.0), (3,))", "as_strided(np.zeros(1), (3,), (0,))",
    "as_strided(np.arange(4.0), (3, 2), (8, 8))", "unaligned('f8')", "unaligned('i4')", "unaligned('>i2')",
    "unaligned('c16')[::-1]", "np.zeros((1,) * 20)", "np.zeros((1,) * 33)", "np.zeros((1,) * 64)",
    "np.zeros(2, np.longdouble)", "np.zeros(1, np.clongdouble)", "np.array([(1, 2.5)], 'i1,f8')['f1']",
    "ab.asarray(np.arange(3.0))", "ab.asarray(2.5)", "ab.asarray(np.zeros((0, 2), int))",
)  # fmt: skip
NO_NUMBERS = (
    "np.array(['a', 'bc'])", "np.array('a')", "np.array([b'a'])", "np.zeros(2, 'S0')", "np.array([None, 1], object)",
    "np.array([], object)", "np.array(OBJECT)", "np.array(['2020', 'NaT'], 'M8[D]')",
    "np.array([3], 'm8[s]')", "np.zeros(2, 'i4,f8')", "np.zeros(0, [('a', int, (2,)), ('b', 'U3')])",
    "np.rec.array([(1, 2.0)])", "np.ma.masked_array([1.0, 2.0], [0, 1])", "np.ma.masked", "np.matrix([[1, 2]])",
    "np.arange(3.0).view(Sub)", "np.array(['a', 'b'], np.dtypes.StringDType())", "np.void(b'ab')",
    "np.datetime64('2020')", "np.datetime64('NaT')", "np.timedelta64(3, 's')", "np.str_('a')", "np.bytes_(b'a')",
    "np.zeros(1, 'i4,f8')[0]", "np.poly1d([1, 2])", "np.random.default_rng(0)", "np.nditer(np.arange(2))",
    "np.arange(2).flat", "np.broadcast(1, 2)", "np.dtype('f8')", "np.finfo(float)",
)  # fmt: skip
OBJECTS = (
    "None", "''", "'text'", "'\\ud800'", "'\\0'", "b'bytes'", "bytearray(b'ab')", "memoryview(b'abcd')",
    "memoryview(np.arange(3.0))", "memoryview(np.arange(6).reshape(2, 3))", "array.array('d', [1, 2])",
    "...", "NotImplemented", "OBJECT", "object", "int", "np.float64", "np", "math", "len", "plain", "lambda x: x",
    "closing([])", "closing(OBJECT)", "np.sin", "np.add", "math.sqrt", "functools.partial(plain, 1)", "jitted",
    "ab.jit", "ab.jit(lambda x: x)", "compiled()", "deleted()", "ab.ShapeDtypeStruct((2,), float)",
    "ab.ShapeDtypeStruct((), int, weak_type=True)", "set()", "{1, 2}", "{1.0, 'a', None}", "frozenset({1, (2,)})",
    "range(3)", "slice(1, None)", "slice([], {})", "iter([1, 2])", "(i for i in [1])",
    "iter({})", "map(plain, [1])", "zip([1], [2])", "enumerate([1])", "reversed([1])",
    "datetime.date(2020, 1, 1)", "decimal.Decimal('NaN')", "decimal.Decimal('sNaN')", "fractions.Fraction(1, 3)",
    "uuid.UUID(int=3)", "re.compile('a')", "re.match('a', 'a')", "Path('a')", "Colour.RED", "Number.ONE",
    "Flags.A | Flags.B", "Colour", "list[int]", "typing.Any", "int | None", "ERROR", "ValueError", "StopIteration(1)",
    "LOCK", "FILE", "VARIABLE", "REFERENCE", "types.SimpleNamespace(a=1)", "types.MappingProxyType({'a': 1})",
    "property()", "staticmethod(plain)", "super", "HASHLESS", "SEALED", "SILENT", "EVERYTHING", "LIAR",
    "LYING_INT", "LYING_LIST", "FAILING_ARRAY", "WRONG_ARRAY", "INTERFACE", "FAILING_CAPSULE", "WRONG_CAPSULE",
    "INDEX", "FAILING_INDEX", "NEGATIVE_LENGTH", "Int(3)", "Float(2.5)", "Text('a')", "Partial()", "Plain", "Model",
    "Plain(1).method", "cyclic_list()", "cyclic_dict()", "cyclic_object()", "knot()", "collections.Counter('aab')",
    "collections.ChainMap({'a': 1})", "collections.UserDict(a=1)", "collections.UserList([1])",
    "collections.UserString('a')", "plain.__code__", "type(None)", "abs.__self__", "globals",
)  # fmt: skip
KEYS = (
    "'a'", "'b'", "1", "1.0", "True", "None", "nan", "float('nan')", "-0.0", "(1, 2)", "b'a'", "''", "'\\ud800'",
    "OBJECT", "Colour.RED", "np.int64(1)", "np.float64('nan')", "frozenset({1})", "10**30", "int", "'self'", "'x'",
    "Sealed", "Frozen(1)", "np.str_('a')",
)  # fmt: skip

numbers = st.sampled_from(NUMBERS)
arrays = st.sampled_from(ARRAYS)
atoms = st.one_of(
    st.sampled_from(("1", "2.5", "None")),
    numbers,
    arrays,
    st.sampled_from(OBJECTS),
    st.sampled_from(NO_NUMBERS),
)


def _listed(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(parts, max_size=3).map(", ".join)
    cases = st.lists(st.tuples(st.sampled_from(KEYS), parts), max_size=3)
    items = cases.map(lambda pairs: ", ".join(f"{k}: {v}" for k, v in pairs))
    sequences = ("[{}]", "tuple([{}])", "List([{}])", "Tuple([{}])", "Backwards([{}])", "collections.deque([{}])")
    mappings = (
        "{{{}}}", "Dict({{{}}})", "collections.OrderedDict({{{}}})", "collections.defaultdict(list, {{{}}})",
        "Missing({{{}}})",
    )  # fmt: skip
    wholes = (
        "Model({}, 2)", "Pair(1, {})", "Frozen({})", "Slotted({})", "Plain({})", "shared({})", "closing({})",
        "deep({}, 3)", "deep({}, 40, tuple)", "deep({}, 300)", "deep({}, 3000)", "[{}] * 30",
        "functools.partial(plain, {})", "types.SimpleNamespace(value={})", "(lambda x={}: x)",
    )  # fmt: skip

    def filled(forms: tuple[str, ...], content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.builds(lambda form, text: form.format(text), st.sampled_from(forms), content)

    return filled(sequences, several) | filled(mappings, items) | filled(wholes, parts)


values = atoms | _listed(atoms | st.deferred(lambda: values))
