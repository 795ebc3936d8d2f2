"""What a study found: labelled arrays, tables, filters, fronts, and why a design is limited."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.breakdown.result import Contribution
from loadpath.robot.conditions import Condition, Kinds
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.studies.answers import Answer, unit_of
from loadpath.studies.charts import check_names, figure_of, map_chart, parallel_chart, slice_charts
from loadpath.studies.chunks import COMPUTED, FAILED, LEFT_OUT
from loadpath.studies.fronts import Front, check_choice, front_over
from loadpath.studies.indices import SobolIndices, indices_of
from loadpath.studies.problem import Problem
from loadpath.studies.report import chosen_designs, report_of
from loadpath.studies.robust import Robust
from loadpath.studies.sampling import GRID, PAIRS, checked_seed
from loadpath.studies.sensitivities import Sensitivities, sensitivities_of
from loadpath.studies.space import Space
from loadpath.studies.values import Columns, label, words_of
from loadpath.studies.why import Why, why_of
from loadpath.whole_file import check_ending, write_whole

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure
    from xarray import Dataset

    from loadpath.api.robot import Robot
    from loadpath.report.report import Report
    from loadpath.studies.store import InMemory, OnDisk, Status

INSTALL = "pip install 'loadpath[study]'"
_STATUS = {COMPUTED: "computed", FAILED: "failed", LEFT_OUT: "left out", 0: "not computed yet"}


def check_parquet() -> None:
    """An error where no library is installed that writes Parquet files."""
    if importlib.util.find_spec("pyarrow") is None:
        raise ImportError("Parquet files need pyarrow: pip install 'loadpath[parquet]'")


class Results:
    """What there is to ask of a study that was run, or of what is there of it."""

    problem: Problem

    @property
    def space(self) -> Space:
        """The space, as the robot knows it."""
        raise NotImplementedError

    @property
    def store(self) -> InMemory | OnDisk:
        """The answers, as far as they are there."""
        raise NotImplementedError

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What is asked of each design."""
        return self.problem.answers

    def forget(self) -> None:
        """Read everything again when it is asked for."""
        for name in ("_columns", "_status"):
            self.__dict__.pop(name, None)

    # Arrays

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the designs: the axes of a grid, or one."""
        return self.space.shape

    @property
    def status(self) -> Status:
        """(designs,): 1 computed, 2 failed, 3 left out by a condition, 0 not computed yet."""
        if "_status" not in self.__dict__:
            self.__dict__["_status"] = self.store.statuses()
        found: Status = self.__dict__["_status"]
        return found

    @property
    def counts(self) -> dict[str, int]:
        """How many designs were computed, failed, are left out by conditions, and are not computed yet."""
        return {words: int((self.status == code).sum()) for code, words in _STATUS.items()}

    @property
    def failures(self) -> dict[int, str]:
        """Why designs failed, by their number."""
        return self.store.all_reasons()

    def answer(self, name: str) -> Floats:
        """An answer of all designs: the axes of a grid (or one of the designs), then its own; NaN where there is none.
        """
        self._known(name)
        flat = self.store.read(name, slice(0, len(self.space)))
        return flat.reshape(*self.shape, *flat.shape[1:])

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters."""
        return self.space.names

    def shape_of(self, answer: str) -> tuple[int, ...]:
        """Of an answer of one design."""
        return tuple(self.store.read(answer, slice(0, 1)).shape[1:])

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse what is neither a parameter nor an answer."""
        known = list(self.kinds())
        for name in names:
            if name not in known:
                raise ValueError(f"there is no parameter or answer '{name}' in this study{nearest(str(name), known)}")

    def middle(self) -> int:
        """The number of the computed design that is nearest to the middle of all parameters."""
        good = np.flatnonzero(self.status == COMPUTED)
        if not len(good):
            raise ValueError("no design of this study is computed: study.run(), or study.failures says why")
        off = np.zeros(len(good))
        for name in self.space.varying:
            column = self.columns()[name]
            if column.dtype.kind == "f":
                low, high = float(column.min()), float(column.max())
                off += ((column[good].astype(float) - 0.5 * (low + high)) / ((high - low) or 1.0)) ** 2
        return int(good[np.argmin(off)])

    def _known(self, name: str) -> None:
        names = [answer.name for answer in self.answers]
        if name not in names:
            raise ValueError(f"there is no answer '{name}' in this study{nearest(name, names)}")

    def design(self, number: int) -> dict[str, object]:
        """The parameters of a design, by its number."""
        return self.space.design(number)

    def robot_of(self, design: int | Mapping[str, object]) -> Robot:
        """The robot (or rover) of a design, by its number or its parameters."""
        columns = self.space.columns([self.number_of(design)])
        robot: Robot = self.problem.robot_at(columns, 0)
        return robot

    def motion_of(self, design: int | Mapping[str, object]) -> object:
        """The motion of a design."""
        columns = self.space.columns([self.number_of(design)])
        return self.problem.motion_at(columns, 0, self.problem.robot_at(columns, 0))

    def number_of(self, design: int | Mapping[str, object]) -> int:
        """The number of a design, by its parameters: the nearest there is.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> study = lp.study(arm, lp.Space({"payload.mass": [0.0, 1.0, 2.0]}), answers=["mass"])
        >>> study.number_of({"payload.mass": 0.9})
        1
        """
        if isinstance(design, (int, np.integer)) and not isinstance(design, bool):
            if not 0 <= design < len(self.space):
                raise ValueError(f"there is no design {design}: this study has {len(self.space)}")
            return int(design)
        if not isinstance(design, Mapping):
            raise ValueError(f"a design is {design!r}: expected its number, or its parameters in a mapping")
        off = np.zeros(len(self.space))
        columns = self.columns()
        for name, value in design.items():
            if name not in columns:
                raise ValueError(f"'{name}' is no parameter of this study{nearest(str(name), list(columns))}")
            column = columns[name]
            if column.dtype == object:
                off += np.array([0.0 if label(entry) == label(value) else 1e6 for entry in column])
                continue
            number = self.space.values(str(name), [value])
            if number.dtype == object:
                raise ValueError(f"'{name}' is {value!r}: expected a number, or text with a unit")
            numbers = column.astype(float)
            spread = float(numbers.max() - numbers.min()) or 1.0
            off += ((numbers - float(number[0])) / spread) ** 2
        return int(np.argmin(off))

    def columns(self) -> Columns:
        """The values of all parameters of all designs, (designs,) each."""
        if "_columns" not in self.__dict__:
            self.__dict__["_columns"] = self.space.columns(slice(0, len(self.space)))
        found: Columns = self.__dict__["_columns"]
        return found

    def scalars(self) -> Columns:
        """Parameters and answers that are one number of each design, (designs,) each; of others the largest."""
        found: Columns = {}
        for name, column in self.columns().items():
            found[name] = np.array([label(entry) for entry in column]) if column.dtype == object else column
        for answer in self.answers:
            flat = self.store.read(answer.name, slice(0, len(self.space)))
            if flat.ndim > 1:
                with np.errstate(invalid="ignore"):
                    flat = flat.reshape(len(flat), -1).max(axis=1) if flat.size else np.full(len(flat), np.nan)
            found[answer.name] = flat
        return found

    def kinds(self) -> dict[str, Kinds]:
        """What parameters and answers measure, as far as that is known."""
        kinds = {name: self.space.kinds(name) for name in self.space.names}
        return kinds | {answer.name: answer.kinds for answer in self.answers}

    # Labelled

    @property
    def dataset(self) -> Dataset:
        """The answers with their names and coordinates, as an `xarray.Dataset`: dimensions of a grid are its
        parameters, of samples `design`. `status` is 1 computed, 2 failed, 3 left out, 0 not computed yet.
        """
        try:
            import xarray
        except ImportError:
            raise ImportError(f"study.dataset needs xarray: {INSTALL}; study.answer(name) has the arrays") from None
        grid = self.space.sampling.kind == GRID
        drawn = ("draw",) if self.space.scattered else ()
        dims = (*self.space.chosen, *drawn) if grid else ("design", *drawn)
        coords: dict[str, Any] = {}
        if grid:
            for name in self.space.chosen:
                values = self.space.axis(name)
                coords[name] = (name, words_of(values) if values.dtype == object else values)
        for name, column in self.columns().items():
            if name not in coords:
                values = np.array(words_of(column)) if column.dtype == object else column
                coords[name] = (dims, np.reshape(values, self.shape))
        variables: dict[str, Any] = {}
        for answer in self.answers:
            array = self.answer(answer.name)
            axes = self._axes_of(answer, array.shape[len(self.shape):])
            for axis, labels in axes:
                coords.setdefault(axis, (axis, list(labels)))
            variables[answer.name] = ((*dims, *(axis for axis, _ in axes)), array, {"units": self._unit(answer)})
        variables["status"] = (dims, self.status.reshape(self.shape))
        return xarray.Dataset(variables, coords)

    def _axes_of(self, answer: Answer, shape: Sequence[int]) -> list[tuple[str, Sequence[Any]]]:
        """The names of an answer's own axes, and what stands along them. Axes of one name and other labels are apart.
        """
        axes = self.problem.bound["axes"].get(answer.name, ())
        named = list(axes) if len(axes) == len(shape) else []
        named = named or [(f"{answer.name} {k + 1}", range(size)) for k, size in enumerate(shape)]
        first: dict[str, tuple[str, ...]] = {}
        for other in self.answers:
            for axis, labels in self.problem.bound["axes"].get(other.name, ()):
                first.setdefault(axis, labels)
        return [(axis if first.get(axis, labels) == labels else f"{axis} of {answer.name}", labels)
                for axis, labels in named]

    def _unit(self, answer: Answer) -> str:
        return unit_of(answer)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame: a row for each design, its parameters and answers as columns; of answers with several
        entries a column for each.
        """
        import pandas

        columns: dict[str, Any] = {}
        for name, column in self.columns().items():
            columns[name] = words_of(column) if column.dtype == object else column
        for answer in self.answers:
            flat = self.store.read(answer.name, slice(0, len(self.space)))
            if flat.ndim == 1:
                columns[answer.name] = flat
                continue
            axes = self._axes_of(answer, flat.shape[1:])
            for place in np.ndindex(*flat.shape[1:]):
                at = " ".join(str(labels[k]) for (_, labels), k in zip(axes, place, strict=True))
                columns[f"{answer.name} {at}"] = flat[(slice(None), *place)]
        columns["status"] = [_STATUS[int(code)] for code in self.status]
        frame: DataFrame = pandas.DataFrame(columns)
        frame.index.name = "design"
        return frame

    def to_parquet(self, path: str | PathLike[str]) -> Path:
        """The same table as a Parquet file."""
        check_ending(path, (".parquet",), "a table of designs")
        check_parquet()
        frame = self.to_dataframe()
        return write_whole(path, frame.to_parquet)

    # Choosing

    def where(self, condition: str) -> Ints:
        """Numbers of the designs that were computed and fulfil a condition on parameters and answers. Numbers may have
        units; of answers with several entries the largest counts.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> study = lp.study(arm, lp.Space({"payload.mass": lp.span("0 kg", "4 kg")}), answers=["mass"]).run()
        >>> study.where("mass <= 4000 g and payload.mass > 0").tolist()
        [1, 2]
        """
        return np.flatnonzero(self.fulfilling(condition))

    def fulfilling(self, condition: str | None) -> Bools:
        """Which designs were computed and fulfil a condition."""
        good: Bools = self.status == COMPUTED
        if condition is None:
            return good
        return good & Condition(condition)(self.scalars(), self.kinds())

    def front(self, *aims: str, where: str | None = None, maximise: Iterable[str] = ()) -> Front:
        """The designs that no other is better than, in two aims or more: parameters or answers, which shall be small,
        or large for those in `maximise`. `where` is what designs have to fulfil.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "motion.duration": lp.span("1 s", "2 s", 3)})
        >>> study = lp.study(arm, space, lp.Motion.swing(arm, samples=50), answers=["joint1.drive"]).run()
        >>> study.front("joint1.drive", "payload.mass", maximise=["payload.mass"]).numbers.tolist()
        [2, 5, 8, 11, 14]
        """
        return front_over(self, aims, where, maximise)

    # Pictures

    def _at(self, design: int | Mapping[str, object] | None) -> int:
        return self.middle() if design is None else self.number_of(design)

    def _parameters(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.space.free:
                raise ValueError(f"'{name}' is no free parameter of this study{nearest(str(name), self.space.free)}")

    def plot_map(self, answer: str, x: str, y: str, at: int | Mapping[str, object] | None = None) -> Figure:
        """A Plotly figure: an answer over two parameters, the others as in one design (without one, that in the
        middle). Of a grid its designs; of samples designs are computed for it. Of a utilisation a line is at 1.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "link1.length": lp.span("0.8 m", "1 m")})
        >>> level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
        >>> study = lp.study(arm, space, level, answers=["joint1.drive"]).run()
        >>> study.plot_map("joint1.drive", "payload.mass", "link1.length").data[0].type
        'heatmap'
        """
        self._known(answer)
        self._parameters([x, y])
        if x == y:
            raise ValueError(f"plot_map: x and y are both '{x}': expected two parameters")
        return figure_of(map_chart(self, answer, x, y, self._at(at)))

    def plot_slice(self, answer: str, along: str, at: int | Mapping[str, object] | None = None) -> Figure:
        """A Plotly figure: an answer along one parameter, the others as in one design; designs are computed for it."""
        self._known(answer)
        self._parameters([along])
        return figure_of(slice_charts(self, answer, self._at(at), [along])[along])

    def plot_parallel(self, *names: str, color: str | None = None, where: str | None = None) -> Figure:
        """A Plotly figure: designs as lines across parameters and answers (without names, across all that vary), those
        that fulfil a condition, coloured by one of them.
        """
        every = check_names(self, names)
        self.check_names([] if color is None else [color])
        return figure_of(parallel_chart(self, every, every[-1] if color is None else color, where))

    def report(
        self, *aims: str, where: str | None = None, maximise: Iterable[str] = (),
        designs: Sequence[int | Mapping[str, object]] | None = None, indices: SobolIndices | None = None,
        title: str | None = None, about: str = "",
    ) -> Report:
        """A page that works offline: the front of some aims with its designs side by side, what limits them and what
        lifting that gains, slices and maps, derivatives, Sobol indices (of a study over pairs, or `indices` of
        another), what failed and why. `designs` are those to look at: without, the knee and the ends of the front.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "link1.length": lp.span("0.8 m", "1 m")})
        >>> level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
        >>> study = lp.study(arm, space, level, answers=["joint1.drive"]).run()
        >>> study.report("joint1.drive", maximise="payload.mass").title
        'Study of planar2'
        """
        every, larger = self.check_choice(*aims, maximise=maximise, where=where)
        front = self.front(*every, where=where, maximise=larger) if every else None
        chosen = chosen_designs(self, front, designs)
        return report_of(self, front, where, chosen, indices, title, about)

    def robust(self, *, over: Sequence[str] = (), where: str | None = None, smallest: Iterable[str] = ()) -> Robust:
        """What becomes of each design over what is not chosen: of a space with `space.scatter(...)`, or over axes of a
        grid. The worst of each answer, its mean and spread, and the probability that `where` holds. Of answers in
        `smallest` the smallest is the worst, as it is of lives, safeties, frequencies and margins.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(0.0)
        >>> space = lp.Space({"link1.length": ["0.8 m", "1 m"], "payload.mass": lp.span("0 kg", "4 kg")})
        >>> level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
        >>> study = lp.study(arm, space.scatter("payload.mass", count=64), level, answers=["joint1.drive"]).run()
        >>> found = study.robust(where="joint1.drive <= 60")
        >>> found.worst["joint1.drive"].round(2).tolist(), found.probability.round(2).tolist()
        ([88.29, 98.1], [0.59, 0.52])
        """
        return Robust(self, over, where, smallest)

    def check_choice(
        self, *aims: str, maximise: Iterable[str] = (), where: str | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All aims of a front, and those that shall be large; an error if one, or the condition, asks for what is
        neither a parameter nor an answer. Nothing is computed for it.
        """
        return check_choice(self, aims, where, maximise)

    def sobol_indices(self, *, confidence: float = 0.95, seed: int = 0) -> SobolIndices:
        """Which parameters the answers depend on, over the whole space: of a study over `space.pairs(count)`, whose
        designs go through the same kernels, chunks and store as any. A study that is not done yet has those of the
        pairs that are.

        `confidence` is that of the bounds, found by drawing the pairs again with replacement, by `seed`. Answers that
        are the same in all designs have NaN.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(1.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "link1.length": lp.span("0.8 m", "1 m")})
        >>> level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
        >>> study = lp.study(arm, space.pairs(256, seed=1), level, answers=["joint1.drive"]).run()
        >>> [(name, round(share, 2)) for name, share in study.sobol_indices().ranked("joint1.drive")]
        [('payload.mass', 0.99), ('link1.length', 0.01)]
        """
        if self.space.sampling.kind != PAIRS:
            raise ValueError("sobol_indices: they are of a study over pairs of designs: "
                             "lp.study(..., space.pairs(1024), ...)")
        if not (isinstance(confidence, (int, float)) and 0.0 < confidence < 1.0):
            raise ValueError(f"confidence is {confidence!r}: expected a share between 0 and 1, like 0.95")
        dims = len(self.space.varying)
        done = np.flatnonzero(self.status == 0)
        last = int(done[0]) if len(done) else len(self.space)
        if last < dims + 2:
            raise ValueError("sobol_indices: no pair is computed yet: study.run()")
        values = {answer.name: self.store.read(answer.name, slice(0, last)) for answer in self.answers}
        return indices_of(values, self.space.varying, float(confidence), checked_seed(seed))

    def sensitivities(
        self, design: int | Mapping[str, object], answers: Sequence[str] | None = None,
        parameters: Sequence[str] | None = None,
    ) -> Sensitivities:
        """How the answers of one design change with its parameters: derivatives in SI units.

        Where designs go through the kernels of a family they are exact: the family's map and equations are
        differentiated as they are traced, reductions and rules of the verdict as they are computed. The largest value
        over a motion changes as at the state that attains it; where two states (or parts) are as large, it has a corner
        with other derivatives on both sides, and `warnings` says so. What is not traced (functions that make robots or
        motions, beams, wheels) is found by differences of designs nearby, with an estimate of the error.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_payload(1.0)
        >>> space = lp.Space({"payload.mass": lp.span("0 kg", "4 kg"), "link1.length": lp.span("0.8 m", "1 m")})
        >>> level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
        >>> study = lp.study(arm, space, level, answers=["joint1.drive", "mass"])
        >>> slopes = study.sensitivities({"payload.mass": 2.0, "link1.length": 1.0})
        >>> round(float(slopes["joint1.drive"]["payload.mass"]), 9), float(slopes["mass"]["payload.mass"])
        (19.62, 1.0)
        """
        return sensitivities_of(self.problem, self.number_of(design), answers, parameters)

    def why(self, design: int | Mapping[str, object]) -> Why:
        """Why a design is limited: the part, the instant, the causes, and what lifting it by 10 % gains.

        >>> import loadpath as lp
        >>> arm = lp.catalog.panda().with_payload(0.0)
        >>> study = lp.study(arm, lp.Space({"payload.mass": [1.0, 3.0]}), lp.Motion.swing(arm), answers=["utilisation"])
        >>> study.why({"payload.mass": 3.0}).worst
        <speed limit of 'panda_joint1': 1.74 of 2.175 rad/s, 80.0 % at 0.6466 s>
        """
        number = self.number_of(design)
        columns = self.space.columns([number])
        robot = self.problem.robot_at(columns, 0)
        if self.problem.motion is None and not self.problem.names_of_states:
            raise ValueError("why: this study has no motion, so there is no verdict")
        motion = self.problem.motion_at(columns, 0, robot)
        return why_of(number, self.space.design(number), robot, motion, self.problem.hours,
                      self.problem.acting)


__all__ = ["Contribution", "Front", "Results"]
