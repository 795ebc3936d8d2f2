"""What the evaluation of one file of xacro may take: every step is counted, and no value grows beyond a size.

A file of a few lines can ask for any amount of work (`${9**9**9}`, `${[0]*10**9}`, macros that call themselves twice).
Each value is weighed when it is made, so whatever is done with values later (compared, sorted, written) is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadpath.errors import ModelError

LONGEST_EXPRESSION = 5_000
"""Characters of an expression."""
DEEPEST_EXPRESSION = 100
"""Operations inside one another in an expression."""
LARGEST_VALUE = 100_000
"""Items and characters of a value."""
LARGEST_BITS = 2_048
"""Binary digits of a whole number."""
MOST_STEPS = 1_000_000
"""Operations and pieces of text of a file with all that it includes. A large robot takes some 10,000."""
MOST_ELEMENTS = 100_000
"""Elements that a file may make. A large robot has some 5,000."""
MOST_TEXT = 2**24
"""Characters of the attributes and texts that a file may make."""
DEEPEST = 100
"""Macros, files, elements and properties inside one another."""
MOST_FILES = 1_000
"""Files that may be included."""
LARGEST_YAML = 2**18
"""Bytes of a file of YAML."""
LONGEST_MESSAGE = 1_000
"""Characters of what is said of an error."""


@dataclass
class Steps:
    """A count of what a file has used up.

    >>> Steps(left=2).take(3)
    Traceback (most recent call last):
    loadpath.errors.ModelError: it takes more than 1,000,000 steps to evaluate, which no robot needs
    """

    left: int = MOST_STEPS

    def take(self, count: int = 1) -> None:
        self.left -= count
        if self.left < 0:
            raise ModelError(f"it takes more than {MOST_STEPS:,} steps to evaluate, which no robot needs")


def weighed(value: object, steps: Steps) -> object:
    """A value, or an error if it is too large or not plain data: None, numbers, texts, and lists, tuples, ranges and
    dicts of them. What is shared inside it counts each time.
    """
    if isinstance(value, (bool, float)) or value is None:
        return value
    if isinstance(value, int):
        refuse_long_integer(value.bit_length())
        return value
    weight, level = 0, [value]
    for _ in range(DEEPEST):
        inner: list[object] = []
        for item in level:
            if isinstance(item, (str, list, tuple, range, dict)):
                weight += 1 + len(item)
            elif item is None or isinstance(item, (bool, int, float)):
                weight += 1
            else:
                raise ModelError(f"a value is of the type '{type(item).__name__}': expected a number, text, list or "
                                 "dict")
            refuse_large(weight)
            if isinstance(item, (list, tuple)):
                inner += item
            elif isinstance(item, dict):
                inner += (*item.keys(), *item.values())
        level = inner
        if not level:
            break
    else:  # to compare or to hash what is deeper would overflow the stack
        raise ModelError(f"a value has lists more than {DEEPEST} deep, which no robot needs")
    steps.take(1 + weight // 4)
    return value


def refuse_large(weight: int) -> None:
    """An error for a value of so many items and characters, before it is made."""
    if weight > LARGEST_VALUE:
        raise ModelError(f"a value has more than {LARGEST_VALUE:,} items or characters, which no robot needs")


def refuse_long_integer(bits: int) -> None:
    """An error for a whole number of so many binary digits, before it is made."""
    if bits > LARGEST_BITS:
        raise ModelError(f"a whole number has more than {LARGEST_BITS:,} binary digits, which no robot needs")
