"""Numbers, names and texts that readers stumble over."""

from __future__ import annotations

import random

from hypothesis import strategies as st

NUMBERS = (
    "0", "-0", "-0.0", "+0", "1", "-1", "1.", ".5", "+.5", "-.5e-3", "1e0", "1E5", "1e+5", "3.14159265358979",
    "1e16", "1e-16", "1e200", "1e-200", "1e308", "-1e308", "1.7976931348623157e308", "1e309", "-1e309", "5e-324",
    "2e-308", "1e-310", "1e-320", "1e-400", "nan", "NaN", "-nan", "nan(1)", "inf", "-inf", "Infinity", "+inf",
    "0x10", "0x1p3", "1_000", "1__0", "1,5", "1;5", "1e", "e5", ".", "-", "--1", "+-1", "1d3", "1f", "1.0.0", "1 2",
    "1-2", "٣", "\uff11", "\u22121", "1\u00a0", "\u20071", "1\u2028", " 1", "1 ", "\t1", "1\n", "", " ", "true", "None",
    "null", "${x}", "$(find x)", "30deg", "90°", "2 kg", "2.5kg", "1e5m", "9" * 400, "0." + "0" * 400 + "1",
    "1" + "0" * 308, "0" * 500 + "1", "1e99999999999", "1e-99999999999", "pi", "1/2", "1+1j", "#1", "'1'", '"1"',
    "1\x00", "%s", "{}", "\\n",
)
FLOATS = (
    0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, 1e308, -1e308, 5e-324, 1e-320, 1e16, 1e-16, 1e5, 6.283185307179587, 90.0,
    180.0, 1e9, float("nan"), float("inf"), float("-inf"),
)
NAMES = (
    "a", "A", "link", "joint", "world", "base", "q", "qd", "t", "time", "q.a", "q_a", "qd.a", "a.x", "a [rad]",
    "a (deg)", "a,b", "a;b", "a\tb", "a\nb", "a\r\nb", 'a"b', "a'b", "a b", " a", "a ", "#a", "1", "1e5", "nan",
    "é", "e\u0301", "ﬁ", "\u0131", "İ", "ß", "关节", "\u202ea", "a\u200b", "\u009b31m", "\x1b[31ma", "a\x00b",
    "[bold]a[/bold]", "[a]", "{a}", "%s", "${a}", "<a>", "&amp;", "a/b", "../a", "C:\\a", "a" * 300, "\ufeffa",
    "\ud800", "None", "*/", "\\", "'", '"', ":", "=a", "-a", "--help", "\U0001d51e",
)

hostile_number = st.sampled_from(NUMBERS)
plain_name = st.sampled_from(("a", "b", "c", "shoulder", "elbow", "wrist", "tool", "joint1", "link_2"))
hostile_name = st.sampled_from(NAMES) | st.text(max_size=6)
seeds = st.integers(0, 2**20)

scalar = st.one_of(
    st.sampled_from(FLOATS),
    st.floats(-3, 3),
    st.integers(-3, 3),
    st.integers(-(10**30), 10**30),
    st.booleans(),
    st.none(),
    hostile_number,
    st.text(max_size=4),
)
anything = st.recursive(
    scalar | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=10,
)
"""Plain data of any shape."""


def sane(rng: random.Random, size: float = 1.0) -> str:
    """An unsuspicious number as people write them."""
    value = rng.uniform(-size, size)
    return rng.choice(
        (repr(value), f"{value:.6g}", f"{value:.3e}", f"{value:+.4f}", f"{round(value, 2)}", str(round(value)))
    )
