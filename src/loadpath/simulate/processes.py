"""Simulations in several processes. Each is started anew (no fork of the caller, who may have threads), takes one case
after the other, and ends with the caller. One that dies takes its case with it, and another takes its place.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from loadpath.simulate.one_case import Case, Job, Outcome

_GUARD = ("a script that starts processes does so under `if __name__ == \"__main__\":`, and functions of a console or "
          "notebook are not known to them: put them in a module, or leave out 'workers'")


class _Process:
    """One process and the pipe to it."""

    def __init__(self, work: bytes) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: Any = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.case = -1
        """Number of the case that it works on; -1 of none."""
        self.began = False

    def give(self, k: int, case: bytes) -> None:
        """Another case to work on."""
        self.case = k
        with suppress(OSError):  # it has died, which is noticed where its answer is read
            self.pipe.send_bytes(case)

    def end(self) -> None:
        """Whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_in_processes(job: Job, cases: Sequence[Case], count: int) -> Iterator[tuple[int, Outcome]]:
    """Outcomes by the numbers of their cases, as they come."""
    work = _pickled((job.subject, dict(job.common), job.keep), _what_of(job))
    waiting = [(k, _pickled(dict(case), f"case {k}")) for k, case in enumerate(cases)][::-1]
    running: list[_Process] = []
    try:
        while waiting or running:
            while waiting and len(running) < count:
                running.append(_Process(work))
                running[-1].give(*waiting.pop())
            ready = set(wait([each.pipe for each in running]))
            for each in [process for process in running if process.pipe in ready]:
                k, outcome = each.case, _received(each)
                if outcome is None:  # it has begun
                    continue
                yield k, outcome
                if not each.process.is_alive() or each.case < 0:
                    running.remove(each)
                    each.end()
                elif waiting:
                    each.give(*waiting.pop())
                else:
                    running.remove(each)
                    each.end()
    finally:
        for each in running:
            each.end()


def _received(each: _Process) -> Outcome | None:
    try:
        message = each.pipe.recv_bytes()
    except (EOFError, OSError):
        each.process.join()
        code, each.case = each.process.exitcode, -1
        if not each.began:
            raise RuntimeError(f"simulations: a process ended before it began (exit code {code}): {_GUARD}") from None
        ended = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
        return Outcome(failed=f"its process died ({ended})")
    if not each.began:
        each.began = True
        if message:
            raise ValueError(f"simulations: {message.decode()}: {_GUARD}")
        return None
    outcome: Outcome = pickle.loads(message)
    return outcome


def _serve(pipe: Connection, work: bytes) -> None:
    """What a process does: cases as they come, until there can be no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's, who ends this process
    try:
        job = Job(*pickle.loads(work))
    except Exception as problem:
        pipe.send_bytes(f"what was sent to a process is not known there ({type(problem).__name__}: {problem})".encode())
        return
    pipe.send_bytes(b"")
    while True:
        try:
            case = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            outcome = job.run(pickle.loads(case))
        except Exception as problem:
            outcome = Outcome(failed=f"{type(problem).__name__}: {problem}")
        try:
            message = pickle.dumps(outcome)
        except Exception as problem:
            told = f"its result cannot be sent between processes ({type(problem).__name__}: {problem}): use keep="
            message = pickle.dumps(Outcome(failed=told, warned=outcome.warned))
        pipe.send_bytes(message)


def _pickled(what: Any, called: str) -> bytes:
    try:
        return pickle.dumps(what)
    except Exception as problem:
        raise ValueError(f"simulations: {called} cannot be sent to another process ({type(problem).__name__}: "
                         f"{problem}): expected functions of a module (no lambda, none inside a function) and plain "
                         "data; or leave out 'workers'") from None


def _what_of(job: Job) -> str:
    """What of a job cannot be pickled, if anything."""
    for called, part in (("the subject", job.subject), ("'keep'", job.keep), *job.common.items()):
        try:
            pickle.dumps(part)
        except Exception:
            return called if called.startswith(("the ", "'")) else f"'{called}'"
    return "the job"
