"""Files of xacro: random macros, properties, conditions, includes and expressions, compared with the package `xacro`;
and the same with hostile expressions in them, which are refused or do nothing.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from hypothesis import strategies as st

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.xacro import run_xacro
from loadpath.files.xml_reading import read_xml

from .hostile import NAMES, NUMBERS, seeds
from .outcome import ACCEPTED, REFUSED, Fault, Outcome, Parser, Refusal, refusals
from .xml_trees import Tree, parsed

START = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
_NAMES = ("a", "b", "c", "mass", "lib")
_SOUND = (
    "1", "2.5", "-3", "'x'", "'2'", "True", "[1, 2, 'z']", "pi", "dict(k=1)", "range(3)", "1e-3",
    "'a b'", "None", "(1, 2)",
)
_CALLS = (
    "len({})", "str({})", "float({})", "int({})", "abs({})", "python.abs({})", "sin({})", "max({}, {})", "min({}, 2)",
    "list({})", "sorted({})", "round({}, 2)", "bool({})", "{}[0]", "{}.upper()", "{}['k']", "{}.k", "radians({})",
    "python.sum({})", "[i for i in {}]", "[2 * i for i in {} if i]", "{}[1:]", "'%s' % {}", "xacro.tokenize({})",
    "list(map(str, {}))", "sqrt({})", "{}.split(' ')", "list({}.keys())",
)
_OPERATIONS = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", ">", ">=", "and", "or", "in")
_HOSTILE = (
    '().__class__', "python['vars']", 'python.vars(1)', '9**9**9', '[0]*10**9', "'a'*10**9", "__import__('os')",
    "open('x')", 'lambda: 1', '(x for x in [1])', "f'{a}'", 'a.__dict__', "xacro.load_yaml('/etc/passwd')",
    "load_yaml('../x')", 'range(10**12)', '[[0]*1000]*1000', "'%9999999d' % 1", '1 << 10**6', 'round(1, -10**9)',
    '((((((((((1))))))))))', 'a' * 6000, '1 +', ')', "'", "xacro.fatal('x')", "xacro.warning('\x1b[2J')", 'type(1)',
    '[i for i in range(9999) for j in range(9999)]', '*a', '**a', 'a := 1', 'math', 'python', 'len', 'lib',
    "sorted([1, 'a'])", '{1: 2}', '1j', "b'x'", '...', 'not', "'\\ud800'", 'chr(0)', "'\\x00'", 'factorial(10**6)',
    "''.join(['a'*9999]*9999)", "'a'.zfill(10**9)", '-' * 300 + '1',
)


def expression(rng: random.Random, depth: int, hostile: bool) -> str:
    """An expression, sound or not; what it uses may not be there."""
    if hostile and rng.random() < 0.2:
        return rng.choice(_HOSTILE)
    if depth == 0 or rng.random() < 0.3:
        return rng.choice((*_SOUND, *_NAMES))
    inner = [expression(rng, depth - 1, hostile) for _ in range(2)]
    kind = rng.random()
    if kind < 0.45:
        return f"{inner[0]} {rng.choice(_OPERATIONS)} {inner[1]}"
    if kind < 0.55:
        return f"({inner[0]} if {inner[1]} else {rng.choice(_SOUND)})"
    call = rng.choice(_CALLS)
    return call.format(*inner[: call.count("{}")])


def text(rng: random.Random, hostile: bool) -> str:
    """The value of an attribute: words, expressions, arguments."""
    pieces = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.random()
        if kind < 0.55:
            pieces.append(f"${{{expression(rng, rng.choice((0, 1, 2)), hostile)}}}")
        elif kind < 0.65:
            pieces.append(rng.choice(("$(arg flag)", "$(arg n)", "$(eval n + 1)", "$$(x)", "$${x}", "$", "$x")))
        elif hostile and kind < 0.75:
            odd = ("$(env HOME)", "$(find ..)", "$(cwd)", "${", "$(", "$(arg", "${1}}")
            pieces.append(rng.choice((*odd, *NAMES, *NUMBERS)))
        else:
            pieces.append(rng.choice(("x", " ", "0.5", "true", "'q'", "1_0", "left_")))
    return "".join(pieces)


def element(rng: random.Random, depth: int, hostile: bool) -> str:
    """An element, with others in it."""
    inner = "".join(element(rng, depth - 1, hostile) for _ in range(rng.choice((0, 1, 2)))) if depth else ""
    value = lambda: quoteattr(text(rng, hostile))  # noqa: E731
    name = rng.choice(_NAMES)
    ways = (
        lambda: f"<xacro:property name='{name}' value={value()}/>",
        lambda: f"<xacro:property name='{name}' value={value()} scope='{rng.choice(('global', 'parent'))}'/>",
        lambda: f"<xacro:property name='{name}' default={value()}/>",
        lambda: f"<xacro:property name='{name}' value={value()} lazy_eval='false'/>",
        lambda: f"<xacro:property name='{name}' remove='true'/>",
        lambda: f"<xacro:property name='block'>{inner}<e/></xacro:property><xacro:insert_block name='block'/>",
        lambda: f"<xacro:if value={value()}>{inner}</xacro:if>",
        lambda: f"<xacro:unless value={value()}>{inner}</xacro:unless>",
        lambda: (
            f"<xacro:macro name='m' params='a b:=2 c:=^|{rng.randint(0, 9)} *o'>{inner}"
            "<xacro:insert_block name='o'/>"
            f"<in v='${{a}} ${{b}} ${{c}}'/></xacro:macro><xacro:m a={value()}><o v={value()}/></xacro:m>"
        ),
        lambda: f"<xacro:m a={value()} b={value()}><o/></xacro:m>",
        lambda: "<xacro:include filename='other.xml'/>",
        lambda: "<xacro:include filename='other.xml' ns='lib'/>",
        lambda: "<xacro:part name='p'/>",
        lambda: "<xacro:lib.part name='p'/>",
        lambda: f"<xacro:element xacro:name='e{rng.randint(0, 9)}' v={value()}>{inner}</xacro:element>",
        lambda: f"<x v={value()}>{inner}</x>",
        lambda: f"<x v={value()} w={value()}/>",
        lambda: f"<y>{'' if hostile else 't '}{inner}</y>",
        lambda: f"<x v={value()}/>",
        lambda: f"<x v={value()}/>",
    )
    return rng.choice(ways)()


OTHER = f"""{START}<xacro:property name="mass" value="${{2 * 3}}"/><xacro:macro name="part" params="name">
<link name="${{name}}" m="${{mass}}"/></xacro:macro><link name="other"/></robot>"""


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A file; whether it is hostile, and then is not given to the package `xacro`."""
    rng = random.Random(draw(seeds))
    hostile = draw(st.booleans())
    known = "".join(f"<xacro:property name='{name}' value='{rng.choice((1, 2.5, 'w', 'true'))}'/>" for name in "abc")
    body = "".join(element(rng, rng.choice((0, 1, 2)), hostile) for _ in range(draw(st.integers(1, 6))))
    arguments = "<xacro:arg name='n' default='3'/><xacro:arg name='flag' default='false'/>"
    return {"text": f"{START}{arguments}{known}{body}</robot>", "hostile": hostile}


def check(case: dict[str, Any]) -> Outcome:
    """Refused in our words, or what xacro makes of it."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder) / "case.xacro"
        file.write_text(case["text"], encoding="utf-8", errors="replace")
        (Path(folder) / "other.xml").write_text(OTHER)
        try:
            with refusals(ModelError, names="case.xacro"):
                made = run_xacro(file.read_bytes(), str(file), Assets(Path(folder)), {"flag": "true"})
                read_xml(made, "case.xacro")
        except Refusal:
            return REFUSED
        if b"root:" in made:
            raise Fault("it read a file of the system")
        return ACCEPTED if case["hostile"] else _compared(file, made)


def _compared(file: Path, made: bytes) -> Outcome:
    try:
        import xacro
    except ImportError:
        return ACCEPTED
    import contextlib
    import io

    with contextlib.redirect_stderr(io.StringIO()):
        try:
            reference = xacro.process_file(str(file), mappings={"flag": "true"}).toxml()
        except Exception as problem:
            return Outcome("explained", f"xacro refuses: {type(problem).__name__}")
    ours, theirs = _plain(parsed(made)), _plain(parsed(reference))
    if ours != theirs:
        raise Fault(f"xacro makes something else: {theirs} for {ours}"[:600])
    return Outcome("agreed")


def _plain(tree: Tree) -> Any:
    kept = sorted((name, value) for name, value in tree.attributes if not name.startswith("xmlns"))
    return tree.tag, kept, [_plain(child) for child in tree.children]


xacro_files = Parser("xacro", cases(), check, weight=1.5)
