"""LLVM text of one loop: rows of a table that are products of pairs, or copies, by lists of numbers.

    void pair_rows(items, others, rows, states, lists)

`items` (states, items, 27) have a matrix (6, 3) by columns, w and a wrench each, `others` (states, others, 6) wrenches,
`rows` (states, rows, 6) is written. `lists` has how many items, others and rows there are, and five lists, each after
its length: see `loadpath.algorithms.load_pairs.Pieces`. It is compiled once, for all robots. `nothing` is a loop of a
ufunc that leaves its results as they come.
"""

# ruff: noqa: E741  (l is the letter of the table)
from __future__ import annotations

SYMBOL, NOTHING = "pair_rows", "nothing"
ITEM, WRENCH, AT_W, AT_WRENCH = 27, 6, 18, 21
SIX = "<6 x double>"


class _Text:
    """Lines of one function, with names for what they compute."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def put(self, operation: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {operation}")
        return f"%t{self.count}"

    def numbers(self, entry: str, count: int) -> list[str]:
        """Whole numbers of an entry of a list."""
        found = []
        for k in range(count):
            place = self.put(f"getelementptr i32, ptr {entry}, i64 {k}")
            found.append(self.put(f"zext i32 {self.put(f'load i32, ptr {place}, align 4')} to i64"))
        return found

    def at(self, start: str, number: str, size: int) -> str:
        """Where the entry of a number begins, in an array of entries of a size."""
        return self.put(f"getelementptr double, ptr {start}, i64 {self.put(f'mul i64 {number}, {size}')}")

    def six(self, start: str, first: int = 0) -> str:
        """Six numbers at once."""
        return self.put(f"load {SIX}, ptr {self.put(f'getelementptr double, ptr {start}, i64 {first}')}, align 8")

    def everywhere(self, value: str) -> str:
        """One number six times."""
        one = self.put(f"insertelement {SIX} poison, double {value}, i32 0")
        return self.put(f"shufflevector {SIX} {one}, {SIX} poison, <6 x i32> zeroinitializer")

    def product(self, item: str, of: str) -> str:
        """The matrix of one item times the w of another."""
        total = ""
        for c in range(3):
            place = self.put(f"getelementptr double, ptr {of}, i64 {AT_W + c}")
            w = self.everywhere(self.put(f"load double, ptr {place}, align 8"))
            term = self.put(f"fmul contract {SIX} {self.six(item, 6 * c)}, {w}")
            total = term if not total else self.put(f"fadd contract {SIX} {total}, {term}")
        return total

    def half(self, value: str) -> str:
        return self.put(f"fmul contract {SIX} {value}, {self.everywhere('5.0e-1')}")

    def store(self, value: str, row: str) -> None:
        self.lines.append(f"  store {SIX} {value}, ptr {self.at('%rows.here', row, WRENCH)}, align 8")


def _bilinear(text: _Text, entry: str) -> None:
    l, k, row = text.numbers(entry, 3)
    text.store(text.product(text.at("%items.here", l, ITEM), text.at("%items.here", k, ITEM)), row)


def _halves(text: _Text, entry: str) -> None:
    l, k, row = text.numbers(entry, 3)
    text.store(text.half(text.product(text.at("%items.here", l, ITEM), text.at("%items.here", k, ITEM))), row)


def _of_items(text: _Text, entry: str) -> None:
    item, row = text.numbers(entry, 2)
    text.store(text.six(text.at("%items.here", item, ITEM), AT_WRENCH), row)


def _of_others(text: _Text, entry: str) -> None:
    other, row = text.numbers(entry, 2)
    text.store(text.six(text.at("%others.here", other, WRENCH)), row)


def _sums(text: _Text, entry: str) -> None:
    """Both orders of two movers, half each, and another wrench; the first of these is zero, for none."""
    l, k, other, row = text.numbers(entry, 4)
    first, second = (text.at("%items.here", number, ITEM) for number in (l, k))
    both = text.put(f"fadd contract {SIX} {text.product(first, second)}, {text.product(second, first)}")
    more = text.six(text.at("%others.here", other, WRENCH))
    text.store(text.put(f"fadd contract {SIX} {text.half(both)}, {more}"), row)


LISTS = ((_bilinear, 3), (_halves, 3), (_of_items, 2), (_of_others, 2), (_sums, 4))
"""What is done with each list, and how many numbers an entry of it has."""


def pair_rows_text() -> str:
    """The module."""
    parts = [f"""
define void @{SYMBOL}(
  ptr noalias readonly %items, ptr noalias readonly %others, ptr noalias %rows, i64 %states, ptr noalias readonly %lists
) nounwind {{
begin:
  %n.items = load i32, ptr %lists, align 4
  %count.items = zext i32 %n.items to i64
  %p.others = getelementptr i32, ptr %lists, i64 1
  %n.others = load i32, ptr %p.others, align 4
  %count.others = zext i32 %n.others to i64
  %p.rows = getelementptr i32, ptr %lists, i64 2
  %n.rows = load i32, ptr %p.rows, align 4
  %count.rows = zext i32 %n.rows to i64
  %stride.items = mul i64 %count.items, {ITEM}
  %stride.others = mul i64 %count.others, {WRENCH}
  %stride.rows = mul i64 %count.rows, {WRENCH}
  %first = getelementptr i32, ptr %lists, i64 3
  %some = icmp sgt i64 %states, 0
  br i1 %some, label %state, label %end
state:
  %s = phi i64 [0, %begin], [%s.next, %done]
  %off.items = mul i64 %s, %stride.items
  %off.others = mul i64 %s, %stride.others
  %off.rows = mul i64 %s, %stride.rows
  %items.here = getelementptr double, ptr %items, i64 %off.items
  %others.here = getelementptr double, ptr %others, i64 %off.others
  %rows.here = getelementptr double, ptr %rows, i64 %off.rows
  br label %list0
"""]
    text = _Text()
    for number, (body, size) in enumerate(LISTS):
        start = "%first" if number == 0 else f"%after{number - 1}"
        after = f"list{number + 1}" if number + 1 < len(LISTS) else "done"
        text.lines = []
        body(text, f"%entry{number}")
        inside = "\n".join(text.lines)
        parts.append(f"""
list{number}:
  %n{number} = load i32, ptr {start}, align 4
  %length{number} = zext i32 %n{number} to i64
  %entries{number} = getelementptr i32, ptr {start}, i64 1
  %size{number} = mul i64 %length{number}, {size}
  %after{number} = getelementptr i32, ptr %entries{number}, i64 %size{number}
  %any{number} = icmp sgt i64 %length{number}, 0
  br i1 %any{number}, label %each{number}, label %{after}
each{number}:
  %k{number} = phi i64 [0, %list{number}], [%k{number}.next, %each{number}]
  %place{number} = mul i64 %k{number}, {size}
  %entry{number} = getelementptr i32, ptr %entries{number}, i64 %place{number}
{inside}
  %k{number}.next = add i64 %k{number}, 1
  %more{number} = icmp slt i64 %k{number}.next, %length{number}
  br i1 %more{number}, label %each{number}, label %{after}
""")
    parts.append("""
done:
  %s.next = add i64 %s, 1
  %again = icmp slt i64 %s.next, %states
  br i1 %again, label %state, label %end
end:
  ret void
}

define void @nothing(ptr %args, ptr %dimensions, ptr %steps, ptr %data) nounwind {
  ret void
}
""")
    return "".join(parts)
