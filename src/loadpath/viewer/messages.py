"""What a browser may say: that a control of the page has a value that the page could give it, that a handle in the
scene was dragged, where the camera is. All else, from other programs than the page, is passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

FARTHEST = 1e6
"""m: no handle or camera is farther out."""
LONGEST_TEXT, MOST_PARTS = 1000, 64
SAID = (
    "GuiUpdateMessage", "CommandTriggerMessage", "ViewerCameraMessage", "TransformControlsUpdateMessage",
    "TransformControlsDragStartMessage", "TransformControlsDragEndMessage",
)
LENGTHS = {"wxyz": 4, "position": 3, "look_at": 3, "up_direction": 3}
NUMBERS = ("fov", "near", "far", "image_height", "image_width")
TEXTS = ("uuid", "name", "owner")


def sound(raw: Any, server: Any) -> bool:
    """Whether a message makes sense to a server of viser with its controls."""
    message = _decoded(raw)
    if message is None or message.get("type") not in SAID or not _bounded(message):
        return False
    if not all(_fits_its_name(name, value) for name, value in message.items()):
        return False
    return message["type"] != "GuiUpdateMessage" or _fits(message, server)


def _decoded(raw: Any) -> dict[Any, Any] | None:
    import msgspec

    try:
        message = msgspec.msgpack.decode(raw) if isinstance(raw, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _fits_its_name(name: Any, value: Any) -> bool:
    """Whether a part of a message has the kind and the size that its name asks for."""
    if name in LENGTHS:
        if not isinstance(value, list) or len(value) != LENGTHS[name]:
            return False
        return all(_is_number(part, FARTHEST) for part in value) and (name != "wxyz" or any(value))
    if name in NUMBERS:
        return _is_number(value, 1e3 * FARTHEST)
    return isinstance(value, str) if name in TEXTS else True


def _fits(message: dict[str, Any], server: Any) -> bool:
    """Whether a control can have the value that is sent for it."""
    control = server.gui._gui_input_handle_from_uuid.get(message.get("uuid"))
    updates = message.get("updates")
    if control is None or not isinstance(updates, dict) or list(updates) != ["value"]:
        return False
    rule = _RULES.get(type(control).__name__)
    return rule is not None and rule(control, updates["value"])


def _on_slider(control: Any, value: Any) -> bool:
    slack = 1e-6 * (control.max - control.min)  # sums of steps in the browser end beside the end
    return _is_number(value) and bool(control.min - slack <= value <= control.max + slack)


def _in_box(control: Any, value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(control.value) or not all(map(_is_number, value)):
        return False
    low, high = control.min or (-math.inf,) * len(value), control.max or (math.inf,) * len(value)
    return all(a <= part <= b for a, part, b in zip(low, value, high, strict=True))


_RULES: dict[str, Callable[[Any, Any], bool]] = {
    "GuiSliderHandle": _on_slider,
    "GuiVector3Handle": _in_box,
    "GuiCheckboxHandle": lambda _, value: isinstance(value, bool),
    "GuiButtonHandle": lambda _, value: value is True,
    "GuiDropdownHandle": lambda control, value: isinstance(value, str) and value in control.options,
    "GuiButtonGroupHandle": lambda control, value: isinstance(value, str) and value in control.options,
}


def _is_number(value: Any, most: float = math.inf) -> bool:
    """Finite, and no larger than that.

    >>> _is_number(2), _is_number(True), _is_number("2"), _is_number(float("nan")), _is_number(10**400, 1e9)
    (True, False, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= most and abs(value) < 1e300


def _bounded(value: Any, depth: int = 3) -> bool:
    """Whether there is no more in a message than a control sends."""
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    if isinstance(value, (list, dict)):
        parts = list(value.values()) if isinstance(value, dict) else value
        return depth > 0 and len(parts) <= MOST_PARTS and all(_bounded(part, depth - 1) for part in parts)
    return value is None or isinstance(value, (bool, int, float))
