"""`loadpath study project.toml`: the study of a project file, killed and continued, with its table and its front."""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, complete_projects

if will_run():
    from rich.text import Text

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal, wrote
    from loadpath.cli.options import is_trusted
    from loadpath.cli.tables import Sheet, titled
    from loadpath.printable import printable
    from loadpath.progress import is_hidden, shown
    from loadpath.report.report import check_name
    from loadpath.studies.fronts import Front
    from loadpath.studies.results import check_parquet
    from loadpath.studies.store import OnDisk, followed
    from loadpath.studies.study import in_words, size_in_words
    from loadpath.studies.summary import kinds_of_failures, ranges_of, table_of_answers, table_of_front
    from loadpath.studies.values import label
    from loadpath.whole_file import check_ending, check_writable, write_whole

NOTHING = 1
"""The exit code where no design was computed, or none is what was asked for."""
KNEE = "knee"
_MOST_REASONS = 5
_MOST_IN_JSON = 1000
_SAYS_EACH = 30.0
"""Seconds between lines that say how far it is, where there is no terminal."""
_FINDS_WITHIN = 20.0

LESS_IMPORTANT = ("design (least)", "design (largest)", "median", "unit")


def study(
    robot: Annotated[
        str,
        typer.Argument(metavar="PROJECT", help="A project file with the tables study and study.space.",
                       autocompletion=complete_projects),
    ],
    *,
    to: Annotated[
        str | None,
        typer.Option(help="The folder of the store, in the place of the file's; else its name with .zarr, beside it."),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Go on with what is there of this study; --no-resume deletes it and begins anew.")
    ] = True,
    in_memory: Annotated[bool, typer.Option("--in-memory", help="Keep nothing on the disk.")] = False,
    cost: Annotated[
        bool, typer.Option("--cost", help="Say how many designs, how long, how much memory and disk, and stop.")
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Compute on a Dask cluster that exists: its address (tcp://...), or its scheduler file."),
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of this process; else one for each core.")] = None,
    front: Annotated[
        str | None, typer.Option(help="Aims that shall be small, with commas, in the place of the file's.")
    ] = None,
    maximise: Annotated[str | None, typer.Option(help="Aims that shall be large, with commas.")] = None,
    where: Annotated[str | None, typer.Option(help="What designs have to fulfil, like 'life >= 20_000 h'.")] = None,
    why: Annotated[
        str | None, typer.Option(help="Why this design is limited: its number, or 'knee' of the front.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Designs of the front that are shown.")] = 20,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write: a row for each design.")] = None,
    parquet: Annotated[str | None, typer.Option(help="The same as a Parquet file.")] = None,
    report: Annotated[
        str | None, typer.Option(help="A page to write that works offline (.html, or .pdf): front, maps, causes.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Every design of a project's space: computed in chunks, killed and continued, with the front of the best."""
    with errors_reported():
        _check_files(csv, parquet, report)
        if Path(robot).suffix.lower() != ".toml":
            raise ValueError(f"'{robot}' is no project file: expected a name that ends in .toml, with [study] in it")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            project = lp.load_project(robot, trust=is_trusted())
            folder = _folder(project, to, in_memory)
            if not resume and folder is not None and not cost:
                _delete(folder)
            with busy("Looking at the first designs ..."):
                asked = project.study(folder)
        chosen = _Chosen(asked, project, front, maximise, where)
        if cost:
            _print_cost(asked, project, as_json)
            return
        number = _number(asked, chosen, why)
        _run(asked, scheduler, threads)
        best = chosen.front()
        if why == KNEE and best is not None:
            number = best.knee()
        reason = None if number is None else asked.why(number)
        files = _written(asked, csv, parquet, report, chosen)
    messages = list(dict.fromkeys(str(warning.message) for warning in caught))
    if as_json:
        _print_json(asked, project, chosen, best, reason, files, messages)
    else:
        _print(asked, chosen, best, rows)
        if reason is not None:
            show(terminal(), *str(reason).splitlines(), "")
        print_warnings(messages)
        for path in files:
            wrote(path)
    if not asked.counts["computed"] or not chosen.count:
        raise typer.Exit(NOTHING)


def _check_files(csv: str | None, parquet: str | None, report: str | None) -> None:
    """The names of the files to write, before anything is computed."""
    for path, ending in ((csv, ".csv"), (parquet, ".parquet")):
        if path is not None:
            check_ending(path, (ending,), "a table of designs")
            check_writable(path)
    if parquet is not None:
        check_parquet()
    if report is not None:
        check_name(report)
        check_writable(report)


class _Chosen:
    """Which designs are asked for: by the options, else by the file. Names are looked up before anything is computed.
    """

    def __init__(self, study: lp.Study, project: lp.Project, front: str | None, maximise: str | None,
                 where: str | None) -> None:
        assert project.asked_study is not None
        own = project.asked_study.choice
        given = front is not None or maximise is not None
        self.study = study
        self.small = _names(front) if given else own.front
        self.large = _names(maximise) if given else own.maximise
        self.where = own.where if where is None else where
        study.check_choice(*self.small, maximise=self.large, where=self.where)

    @property
    def asked(self) -> bool:
        """Whether a front is asked for."""
        return bool(self.small or self.large)

    @property
    def count(self) -> int:
        """Designs that fulfil what they have to."""
        return len(self.study.where(self.where)) if self.where is not None else self.study.counts["computed"]

    def front(self) -> Front | None:
        """The front, where there is one."""
        return self.study.front(*self.small, maximise=self.large, where=self.where) \
            if self.asked and self.count else None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _folder(project: lp.Project, to: str | None, in_memory: bool) -> Path | None:
    """Where the answers are kept."""
    if in_memory:
        if to is not None:
            raise ValueError("--in-memory and --to: give one of them")
        return None
    asked = None if project.asked_study is None else project.asked_study.to
    if to is not None:
        if not to:
            raise ValueError("the name of the store of a study is empty")
        return Path(to)
    return asked or project.path.with_suffix(".zarr")


def _delete(folder: Path) -> None:
    """What is there of a study, and of nothing else."""
    folder = followed(folder)
    if OnDisk.manifest(folder) is None:
        return
    store = OnDisk(folder, 0, 1, {})
    with store.locked():
        gone = folder.with_name(f".{folder.name}.deleted")
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
    shutil.rmtree(gone)


def _number(study: lp.Study, chosen: _Chosen, why: str | None) -> int | None:
    """The design that `--why` names by its number; which one is the knee is known later."""
    if why is None:
        return None
    if why == KNEE:
        if not chosen.asked:
            raise ValueError("--why knee is of a front: expected --front with its aims, or a design's number")
        return None
    if not why.isdigit() or int(why) >= len(study):
        raise ValueError(f"--why {why}: expected the number of a design, 0 to {len(study) - 1}, or 'knee'")
    return int(why)


# Running


def _run(study: lp.Study, scheduler: str | None, threads: int | None) -> None:
    """Compute what is missing, with the share done, the rate and the time left."""
    there = study.share_done
    if there:
        print_notes("all of it is there" if there == 1 else f"{100 * there:.3g} % are there: it goes on with the rest")
    elif study.to is not None:
        _check_room(study)
    with _client(scheduler) as client, _progress(len(study), there) as report:
        try:
            study.run(client, threads=threads, progress=report)
        except KeyboardInterrupt:
            if study.to is not None:
                print_notes(f"{100 * study.share_done:.3g} % are kept in {study.to}: the same command goes on")
            raise


def _check_room(study: lp.Study) -> None:
    needed = study.disk
    parent = Path(study.to or ".").parent
    if parent.is_dir() and needed > (free := shutil.disk_usage(parent).free):
        raise ValueError(f"the store '{study.to}' needs {size_in_words(needed)}, and {size_in_words(free)} are free "
                         "there: ask for fewer designs or answers, or give --to another disk")


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    """A cluster that exists."""
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise ImportError("--scheduler needs Dask: pip install 'loadpath[study]'") from None
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=_FINDS_WITHIN)
    except (OSError, ValueError) as problem:  # a time that is out is an OSError
        raise ValueError(f"--scheduler {scheduler}: no scheduler of Dask answers there ({problem}): expected its "
                         "address, like tcp://10.0.0.1:8786, or its scheduler file") from None
    with client:
        yield client


@contextmanager
def _progress(designs: int, before: float) -> Iterator[Callable[[float], None] | bool]:
    """A bar in a terminal, else a line now and then, as batch systems keep them; nothing with --no-progress."""
    console = terminal(stderr=True)
    start = time.perf_counter()

    def rate(share: float) -> str:
        return f"{(share - before) * designs / max(time.perf_counter() - start, 1e-9):,.4g} designs/s"

    said = start

    def line(share: float) -> None:
        nonlocal said
        now = time.perf_counter()
        if now - said >= _SAYS_EACH and share < 1.0:
            said = now
            left = (now - start) * (1.0 - share) / max(share - before, 1e-9)
            print_notes(f"{100 * share:.3g} % done, {rate(share)}, {in_words(left)} left")

    with shown("study", console, rate, before):
        yield line if not (console.is_terminal or is_hidden()) else False


# What is said


def _print_cost(study: lp.Study, project: lp.Project, as_json: bool) -> None:
    with busy("Trying a few designs ..."):
        found = study.cost
    if as_json:
        print_json(**_head(study, project), cost=found.as_dict(), **dict.fromkeys(
            ("answers", "failures", "where", "fulfilling", "front", "why"), None), file=_file(study), files=[],
            warnings=[])
        return
    show(terminal(), str(found))


def _print(study: lp.Study, chosen: _Chosen, best: Front | None, rows: int) -> None:
    console = terminal()
    counts = study.counts
    words = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    show(console, Text(printable(f"{len(study):,} designs of {', '.join(study.space.varying)}"), style="bold"), words,
         "")
    show(console, titled("Answers", Sheet.of(table_of_answers(study), LESS_IMPORTANT)))
    failures = kinds_of_failures(study.failures)
    for reason, count, first in failures[:_MOST_REASONS]:
        many = f"{count:,} designs failed, the first is {first}" if count > 1 else f"design {first} failed"
        show(console, printable(f"{many}: {reason}"))
    if len(failures) > _MOST_REASONS:
        show(console, f"and {len(failures) - _MOST_REASONS} more reasons")
    if failures:
        show(console, "")
    if chosen.where is not None:
        show(console, printable(f"{chosen.count:,} designs fulfil {chosen.where}"), "")
    if best is not None:
        table = table_of_front(best, rows)
        show(console, titled(table.title, Sheet.of(table)))
    if study.to is not None:
        print_notes(f"kept in {study.to}")


def _print_json(study: lp.Study, project: lp.Project, chosen: _Chosen, best: Front | None, reason: lp.Why | None,
                files: list[str], messages: list[str]) -> None:
    failures = [{"reason": why, "designs": count, "first": first}
                for why, count, first in kinds_of_failures(study.failures)]
    designs = None if best is None else [
        {**{name: _plain(value) for name, value in one.items()}, "knee": one["design"] == best.knee()}
        for one in best.designs[:_MOST_IN_JSON]]
    print_json(**_head(study, project), cost=None, answers=ranges_of(study), failures=failures[:_MOST_IN_JSON],
               where=chosen.where, fulfilling=chosen.count, front=designs,
               why=None if reason is None else str(reason), file=_file(study), files=files, warnings=messages)


def _head(study: lp.Study, project: lp.Project) -> dict[str, Any]:
    counts = study.counts if study.share_done else dict.fromkeys(("computed", "failed", "left out"), 0)
    subject = project.robot if project.rover is None else project.rover
    return {"robot": subject.name, "designs": len(study), "parameters": list(study.space.names),
            **{name.replace(" ", "_"): counts[name] for name in ("computed", "failed", "left out")}}


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else float(value) if hasattr(value, "dtype") else label(value)


def _file(study: lp.Study) -> str | None:
    return None if study.to is None else str(study.to)


def _written(
    study: lp.Study, csv: str | None, parquet: str | None, report: str | None, chosen: _Chosen
) -> list[str]:
    if csv is not None:
        write_whole(csv, study.to_dataframe().to_csv)
    if parquet is not None:
        study.to_parquet(parquet)
    if report is not None:
        aims = chosen.small if chosen.count else ()
        with busy("Writing the report ..."):
            study.report(*aims, maximise=chosen.large if chosen.count else (), where=chosen.where).save(report)
    return [path for path in (csv, parquet, report) if path is not None]
