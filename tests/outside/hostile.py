"""Names that would do something to a terminal, and a robot that has them."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

NASTY = ("\x9b2J", "\u202egnp.exe", "\nloadpath: all is well", "[red]x[/red]", "[/]", ":warning:", "a\tb", "x\u2028",
         "x\x85", "[bold]", "{0}", "%s", "\\x1b", "a'b", "x\u200b", "[link=file:///etc/passwd]x[/link]")
"""Names that XML can hold; ESC itself it cannot."""
WORST = (*NASTY, "\x1b[31m\x1b[2J", "\x1b]0;owned\x07", "\x07", "x\r", "\x08")

_CONTROL = {chr(k) for k in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"}
FORBIDDEN = _CONTROL | set("\u202e\u202d\u2028\u2029\u200b\u200e\ufeff")
"""Characters that no output has."""


def refuse_control(text: str) -> None:
    """Fail if there is anything in a text that a terminal would obey."""
    found = sorted({repr(c) for c in text if c in FORBIDDEN})
    assert not found, f"{found} in {text!r}"


def urdf(names: tuple[str, ...] = NASTY, robot: str = "\u202erobot\x9b", inertia: str = "1 1 1") -> str:
    """A chain whose links and joints have these names."""
    ixx, iyy, izz = inertia.split()
    moments = f'ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"'
    body = f'<inertial><mass value="1"/><inertia {moments}/></inertial>'
    limits = "<limit lower='-1' upper='1' velocity='1' effort='0.001'/>"
    parts = ['<link name="base"/>']
    parent = "base"
    for name in names:
        entities = {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
        own = quoteattr(name, entities)
        parts.append(f"<link name={own}>{body}</link>")
        ends = f"<parent link={quoteattr(parent, entities)}/><child link={own}/>"
        place = "<origin xyz='0.1 0 0'/><axis xyz='0 0 1'/>"
        parts.append(f"<joint name={own} type='revolute'>{ends}{place}{limits}</joint>")
        parent = name
    return f"<robot name={quoteattr(robot)}>{''.join(parts)}</robot>"
