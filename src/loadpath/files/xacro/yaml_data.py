"""YAML for xacro: plain data from the tree of a document, in which what is used again counts again.

PyYAML reads the text into nodes; they are turned into data here, as a few lines of references can stand for any amount.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.xacro.limits import DEEPEST, Steps, weighed
from loadpath.printable import clipped

_UNITS = {"!radians": 1.0, "!degrees": math.pi / 180.0, "!meters": 1.0, "!millimeters": 0.001, "!foot": 0.3048,
          "!inches": 0.0254}
_CORE = "tag:yaml.org,2002:"
_TAGS = {"sequence": _CORE + "seq", "mapping": _CORE + "map"}
_TRUE = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]{0,300})")
_BASED = {"0b": 2, "0x": 16}


def yaml_data(text: str, evaluate: Callable[[str], object], steps: Steps) -> object:
    """The data of a document; `evaluate` is for values with a unit, as `!degrees 2 * 45`.

    >>> yaml_data("limits: {upper: !degrees 180, names: [a, b]}", float, Steps())
    {'limits': {'upper': 3.141592653589793, 'names': ['a', 'b']}}
    """
    try:
        import yaml
    except ImportError:
        raise ModelError("load_yaml takes PyYAML: pip install 'loadpath[xacro]'") from None
    depth = 0
    for sign in text:  # PyYAML looks at all that are open, at each character
        depth += (sign in "[{") - (sign in "]}")
        if depth > DEEPEST:
            raise ModelError("it is nested too deeply")
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise ModelError(f"it is no YAML{place}: {clipped(str(getattr(problem, 'problem', None) or 'not readable'))}"
                         ) from None
    except RecursionError:
        raise ModelError("it is nested too deeply") from None
    return weighed(_Data(evaluate, steps).of(node, 0), steps)


class _Data:
    def __init__(self, evaluate: Callable[[str], object], steps: Steps) -> None:
        self.evaluate, self.steps = evaluate, steps

    def of(self, node: Any, depth: int) -> Any:
        self.steps.take(10)
        if depth > DEEPEST:
            raise ModelError(f"its lists are more than {DEEPEST} deep")
        if node is None:
            return None
        if node.id in _TAGS and node.tag != _TAGS[node.id]:
            raise _unknown(node.tag)
        if node.id == "sequence":
            return [self.of(item, depth + 1) for item in node.value]
        if node.id == "mapping":
            return self._mapping(node, depth)
        return self._scalar(node.tag, node.value)

    def _mapping(self, node: Any, depth: int) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        entries: dict[Any, Any] = {}
        for key, value in node.value:
            if key.tag == _CORE + "merge":
                parts = value.value if value.id == "sequence" else [value]
                for part in reversed(parts):  # the first counts most; as PyYAML, whose order the keys have then
                    if part.id != "mapping":
                        raise ModelError("'<<' is not given a mapping")
                    merged |= self.of(part, depth + 1)
                continue
            name = self.of(key, depth + 1)
            if isinstance(name, (list, dict)):
                raise ModelError("a key is a list or a mapping: expected a name")
            entries[name] = self.of(value, depth + 1)
        return {**merged, **entries}

    def _scalar(self, tag: str, text: str) -> Any:
        if tag in _UNITS:
            value = self.evaluate(text)
            if isinstance(value, (str, int, float)):
                return float(value) * _UNITS[tag]
            raise ModelError(f"'{tag} {clipped(text)}': expected a number")
        kind = tag.removeprefix(_CORE)
        if kind == "null":
            return None
        if kind == "bool":
            return _TRUE[text.lower()]
        if kind == "float":
            return _float(text)
        if kind == "int":
            return _int(text)
        if kind in ("str", "timestamp", "value"):
            return text
        raise _unknown(tag)


def _unknown(tag: str) -> ModelError:
    return ModelError(f"the tag '{clipped(tag)}' is not known: expected plain data, or {', '.join(_UNITS)}")


def _int(text: str) -> Any:
    """A whole number as YAML 1.1 writes them, octal ones with a leading zero."""
    plain = text.replace("_", "")
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    sign, digits = (-1 if plain.startswith("-") else 1), plain.lstrip("+-")
    if ":" in digits or len(digits) > 300:
        raise ModelError(f"the number '{clipped(text)}' is not read: write it in decimal digits")
    base = _BASED.get(digits[:2].lower())
    return sign * (int(digits[2:], base) if base else int(digits, 8))


def _float(text: str) -> float:
    plain = text.replace("_", "").lower()
    if plain.lstrip("+-") in (".inf", ".nan"):
        return float(plain.replace(".", ""))
    try:
        return float(plain)
    except ValueError:
        raise ModelError(f"the number '{clipped(text)}' is not read: write it in decimal digits") from None
