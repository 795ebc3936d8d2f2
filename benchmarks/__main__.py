"""`python -m benchmarks [--quick] [--write] [--history] [table ...]`: run the tables and say what is reached."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from datetime import date
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before NumPy is imported: one thread each, ours and theirs


def main() -> int:
    """Runs the tables asked for; the exit code is 1 if a requirement is missed."""
    from benchmarks import docs_page, history, tables
    from benchmarks.report import machine, print_markdown, print_table

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=f"one of {', '.join(tables.ALL)}; none: all")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and smaller sizes, to see that it runs")
    parser.add_argument("--markdown", action="store_true", help="print for a document")
    parser.add_argument("--write", action="store_true", help="write this run into docs/benchmarks.md; of "
                        "some tables alone below the run of all")
    parser.add_argument("--history", nargs="?", const=history.FILE, type=Path, metavar="FILE", help="append this run "
                        f"to a file of all runs, by default {history.FILE.name} beside this program; --write does, too")
    parser.add_argument("--trend", action="store_true", help="run nothing: the trend of the runs that are kept")
    parser.add_argument("--plot", type=Path, metavar="PAGE", help="with --trend, write a page with the curves as well")
    arguments = parser.parse_args()
    if arguments.trend:
        return _trend(arguments.history or history.FILE, arguments.plot)
    if (arguments.write or arguments.history) and arguments.quick:
        parser.error("--write and --history are for sizes that count: leave out --quick")
    unknown = [name for name in arguments.tables if name not in tables.ALL]
    if unknown:
        parser.error(f"no table '{unknown[0]}'; there are {', '.join(tables.ALL)}")
    show = print_markdown if arguments.markdown else print_table
    print(machine(), end="\n\n")
    missed, run_tables = 0, {}
    for name in arguments.tables or tables.ALL:
        title, run = tables.ALL[name]
        begin = time.perf_counter()
        try:
            rows = run(arguments.quick)
            show(title, rows)
        except Exception:  # the other tables are still wanted; the page names those that are not there
            traceback.print_exc()
            rows, missed = [], missed + 1
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        run_tables[name] = title, rows
        missed += sum(row.passed is False for row in rows)
    if arguments.write:  # at the end: a run that breaks off writes nothing
        page = docs_page.PAGE.read_text(encoding="utf-8")
        day, titles = date.today().isoformat(), {name: title for name, (title, _) in tables.ALL.items()}
        written = docs_page.with_other(page, day, machine(), run_tables, titles) if arguments.tables else \
            docs_page.of_run(page, day, machine(), run_tables)
        docs_page.PAGE.write_text(written, encoding="utf-8")
    if arguments.write or arguments.history:
        this = history.record(date.today().isoformat(), machine(), run_tables)
        history.append(this, arguments.history or history.FILE)
    return 1 if missed else 0


def _trend(file: Path, page: Path | None) -> int:
    """The runs that are kept, on the machine of the last one; the exit code is 1 if a row became much worse."""
    from benchmarks import history

    every = history.runs(file)
    if not every:
        print(f"{file}: no runs are kept", file=sys.stderr)
        return 1
    found, where = history.trends(every), history.processor(every[-1]["machine"])
    history.print_trends(found, where)
    if page is not None:
        history.plot(found, where, page)
    return 1 if any(trend.better and trend.change < -history.NOTICED for trend in found) else 0


if __name__ == "__main__":
    sys.exit(main())
