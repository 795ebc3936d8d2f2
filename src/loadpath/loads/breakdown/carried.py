"""Loads that a motion carries as causes of their own: "carried box", apart from other wrenches on the same link.

They come as parts of the external wrench on their link. Terms are linear in it, so each part is what the same
computation gives for it alone; where nothing else acts on the link, the term of the wrench is that of the load.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.quantities.load_index import Cause, Index
from loadpath.scalars.types import Floats

Plan = tuple[tuple[str, tuple[str, ...], bool], ...]
"""Links with loads, the names of these, and whether nothing else acts on the link."""


def has_loads(external: Mapping[str, Any] | None) -> bool:
    """Whether carried loads are among external wrenches."""
    return any(getattr(wrench, "parts", None) for wrench in (external or {}).values())


def split_loads(
    index: Index,
    values: Floats,
    drives: Floats | None,
    external: Mapping[str, Any],
    compute: Callable[[Mapping[str, Any]], Any],
) -> tuple[Index, Floats, Floats | None]:
    """The terms of a breakdown with a row for each load in place of the wrench that it is a part of; `compute` gives
    the terms of the same states under other wrenches on the same links.
    """
    plan: Plan = tuple((link, tuple(wrench.parts), wrench.alone) for link, wrench in external.items()
                       if getattr(wrench, "parts", None))
    new, rows, sources = _split_index(index, plan)
    most = max(len(names) for _, names, _ in plan)
    if most == 1 and all(alone for *_, alone in plan):
        return new, values, drives
    alone_values: list[Any] = []
    alone_drives: list[Any] = []
    for k in range(most):
        mine = dict(external)
        for link, names, _ in plan:
            part = external[link].parts[names[min(k, len(names) - 1)]]
            mine[link] = part
        found = compute(mine)
        alone_values.append(found[0])
        alone_drives.append(getattr(found, "drives", None))
    split_values = _taken(values, rows, alone_values, axis=-2)
    split_drives = None if drives is None else _taken(drives, sources, alone_drives, axis=-2)
    return new, split_values, split_drives


Row = tuple[int, int | None, int]
"""A row of the whole, which load's part of it (by number; none for the rest), and how many loads there are."""


@functools.lru_cache(maxsize=64)
def _split_index(index: Index, plan: Plan) -> tuple[Index, tuple[Row, ...], tuple[Row, ...]]:
    """The index with terms of loads, and where the rows of its terms and of its sources come from."""
    loads = {link: (names, alone) for link, names, alone in plan}
    terms, rows = [], []
    for row, term in enumerate(index.terms):
        for cause, part, count in _causes(loads, term.kind, term.names):
            terms.append(term._replace(kind=cause[0], names=cause[1]))
            rows.append((row, part, count))
    sources, of_sources = [], []
    for row, ((kind, names), link) in enumerate(index.sources):
        for cause, part, count in _causes(loads, kind, names):
            sources.append((cause, link))
            of_sources.append((row, part, count))
    carried = tuple(dict.fromkeys(name for _, names, _ in plan for name in names))
    new = replace(index, terms=tuple(terms), sources=tuple(sources), load_names=carried)
    return new, tuple(rows), tuple(of_sources)


def _causes(loads: Mapping[str, tuple[tuple[str, ...], bool]], kind: Any, names: tuple[str, ...]) -> Any:
    """What takes the place of a cause."""
    if kind != "external" or names[0] not in loads:
        return [((kind, names), None, 0)]
    carried, alone = loads[names[0]]
    found: list[tuple[Cause, int | None, int]] = [] if alone else [((kind, names), None, len(carried))]
    return found + [(("carried", (name,)), k, len(carried)) for k, name in enumerate(carried)]


def _taken(whole: Any, rows: tuple[Row, ...], parts: list[Any], axis: int) -> Floats:
    """Rows of the whole, of the parts, and what the parts leave of the whole."""
    columns = []
    for row, part, count in rows:
        if part is not None:
            columns.append(parts[part][..., row, :])
        elif count:
            columns.append(whole[..., row, :] - sum(parts[k][..., row, :] for k in range(count)))
        else:
            columns.append(whole[..., row, :])
    return np.stack(np.broadcast_arrays(*columns), axis=axis)
