"""A parser in a process of its own: whatever it does, the caller gets data that was checked, or words."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.foreign.messages import LARGEST_HEADER, Message, NoMessageError, read_message, write_message
from loadpath.foreign.process import Parser

HERE = Path(__file__).parent
SOURCES = Path(lp.__file__).parents[1]


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Parser]:
    monkeypatch.syspath_prepend(str(HERE))
    made = Parser("hostile_parser", "the hostile parser")
    yield made
    while made.idle:
        made.idle.pop().end()


def ask(parser: Parser, do: str, **fields: object) -> Message:
    return parser.run(Message({"do": do, **fields}, {"x": np.arange(3.0)}), "arm.xml")


def test_data_goes_to_and_fro_and_the_process_is_kept(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    first = ask(parser, "answer")
    np.testing.assert_array_equal(first.arrays["doubled"], [0.0, 2.0, 4.0])
    assert first.fields["pid"] == ask(parser, "answer").fields["pid"] != os.getpid()
    assert first.fields["folder"] == os.sep and "SECRET_TOKEN" not in first.fields["seen"]


def test_the_parser_may_ask_for_what_it_needs(parser: Parser) -> None:
    reply = parser.run(Message({"do": "question"}), "arm.xml", lambda asked: Message({"words": asked.fields["of"]}))
    assert reply.fields["heard"] == "the caller"
    with pytest.raises(lp.ModelError, match=r"arm.xml: the hostile parser answers with what is no data \(a question\)"):
        ask(parser, "question")


ENDS = {
    "refuse": r"arm.xml: body 'b': no",
    "fail": r"arm.xml: the hostile parser fails on this file: KeyError: 'inside'",
    "crash": r"arm.xml: the hostile parser crashed on this file \(SIGSEGV\): .*nothing was read",
    "abort": r"arm.xml: the hostile parser crashed on this file \(SIGABRT\)",
    "leave": r"arm.xml: the hostile parser crashed on this file \(exit code 3\)",
    "fill": r"arm.xml: the hostile parser needed more than 4 GiB of memory .*LOADPATH_PARSER_GIB",
    "no_message": r"arm.xml: the hostile parser answers with what is no data",
    "not_finite": r"arm.xml: the hostile parser crashed on this file \(exit code 1\)",
}


@pytest.mark.parametrize("do", ENDS)
def test_however_it_ends_there_are_words_and_the_next_file_is_read(parser: Parser, do: str) -> None:
    if do == "no_message" and not Path("/proc/self/fd").exists():
        pytest.skip("finds its pipe by /proc")
    with pytest.raises(lp.ModelError, match=ENDS[do]):
        ask(parser, do)
    np.testing.assert_array_equal(ask(parser, "answer").arrays["doubled"], [0.0, 2.0, 4.0])


@pytest.mark.parametrize("do", ["sleep", "compute"])
def test_time_is_limited(parser: Parser, do: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(parser, "answer")
    monkeypatch.setenv("LOADPATH_PARSER_SECONDS", "0.5")
    with pytest.raises(lp.ModelError, match=r"arm.xml: the hostile parser needed more than 0.5 s .*_PARSER_SECONDS"):
        ask(parser, do)
    monkeypatch.setenv("LOADPATH_PARSER_SECONDS", "soon")
    with pytest.raises(ValueError, match="LOADPATH_PARSER_SECONDS is 'soon': expected a number greater than zero"):
        ask(parser, "answer")


def test_what_it_prints_disturbs_nobody(parser: Parser, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(parser, "print_much").fields["fine"]
    assert not any(capfd.readouterr())


def test_it_opens_no_files_and_starts_nothing(parser: Parser, tmp_path: Path) -> None:
    for do in ("open_file", "write_file", "start_process", "connect"):
        with pytest.raises(lp.ModelError, match=r"PermissionError: a parser (opens|calls)"):
            ask(parser, do, file=str(tmp_path / "file"))
    assert not list(tmp_path.iterdir())


def test_a_parser_that_is_not_there_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="no_such_parser"):
        ask(Parser("no_such_parser", "nobody"), "answer")


def test_a_program_that_is_no_interpreter_says_what_it_needs(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(RuntimeError, match=r"name one by multiprocessing\.set_executable"):
        ask(parser, "answer")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of open files")
def test_few_open_files_are_told_with_the_file_and_what_to_do(tmp_path: Path) -> None:
    """Every number of files with which the robot's own file can be opened, up to that with which it is read."""
    code = """
import resource, sys
import loadpath as lp, loadpath.files.mjcf.reading, loadpath.files.opening, loadpath.foreign.process
words = []
for few in range(4, 40):
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    try:
        lp.load(sys.argv[1])
        break
    except lp.ModelError as problem:
        words.append(str(problem))
print(len(words), *sorted(set(words)))
"""
    file = tmp_path / "arm.xml"
    file.write_text("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False)
    count, _, words = done.stdout.strip().partition(" ")
    assert done.returncode == 0 and int(count) >= 4, done.stderr
    why = "no process could be started for MuJoCo's compiler (Too many open files)"
    assert words == f"{file}: {why}: close files and programs, or raise the limits (ulimit -n, ulimit -u)"


def test_threads_have_a_process_each_and_not_too_many(parser: Parser) -> None:
    found: list[int] = []

    def work() -> None:
        for _ in range(3):
            found.append(ask(parser, "answer").fields["pid"])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 24 and len(parser.idle) == 1


def test_a_worker_that_died_meanwhile_is_replaced(parser: Parser) -> None:
    first = ask(parser, "answer").fields["pid"]
    os.kill(first, signal.SIGKILL)
    parser.idle[0].process.wait()
    assert ask(parser, "answer").fields["pid"] != first


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_has_processes_of_its_own(parser: Parser) -> None:
    mine = ask(parser, "answer").fields["pid"]
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, str(ask(parser, "answer").fields["pid"]).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    theirs = int(os.read(read, 100))
    os.close(read)
    assert theirs != mine and ask(parser, "answer").fields["pid"] == mine
    _wait_until_gone(theirs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_while_another_thread_waits_for_a_parser_does_not_hang(parser: Parser) -> None:
    ask(parser, "answer")
    worker = parser.idle[0].process

    def wait() -> None:
        with pytest.raises(lp.ModelError, match="was killed"):
            ask(parser, "sleep")

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.5)  # the thread is in its read, most likely; each fork is a chance
    children = []
    for _ in range(5):
        child = os.fork()
        if not child:
            os._exit(0)
        children.append(child)
    ended = [_ends(child) for child in children]
    worker.kill()
    waiting.join(60)
    assert ended == [True] * 5


def _ends(child: int) -> bool:
    for _ in range(200):
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _wait_until_gone(pid: int) -> None:
    for _ in range(300):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and ") Z " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} is still there")


SCRIPT = """
import sys, os
sys.path[:0] = [{here!r}, {sources!r}]
from loadpath.foreign.messages import Message
from loadpath.foreign.process import Parser
import numpy as np
parser = Parser("hostile_parser", "it")
print(parser.run(Message({{"do": "answer"}}, {{"x": np.zeros(1)}}), "a").fields["pid"], flush=True)
if sys.argv[1] == "exit":
    os._exit(0)
parser.run(Message({{"do": sys.argv[1]}}, {{}}), "a")
"""


def script(do: str) -> subprocess.Popen[str]:
    text = SCRIPT.format(here=str(HERE), sources=str(SOURCES))
    return subprocess.Popen([sys.executable, "-c", text, do], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("do", ["sleep", "compute"])
def test_ctrl_c_is_answered_at_once(do: str) -> None:
    with script(do) as caller:
        assert caller.stdout is not None
        worker = int(caller.stdout.readline())
        time.sleep(0.3)
        caller.send_signal(signal.SIGINT)
        _, said = caller.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    _wait_until_gone(worker)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_process_ends_with_its_caller() -> None:
    with script("exit") as caller:
        assert caller.stdout is not None
        worker = int(caller.stdout.readline())
        caller.communicate(timeout=30)
    _wait_until_gone(worker)


def message(header: bytes, rest: bytes = b"") -> io.BytesIO:
    return io.BytesIO(len(header).to_bytes(8, "little") + header + rest)


BAD = {
    "not JSON": message(b"\x80\x04N."),
    "long header": io.BytesIO((LARGEST_HEADER + 1).to_bytes(8, "little")),
    "no arrays": message(b'{"fields": {}}'),
    "fields that are none": message(b'{"fields": [], "arrays": []}'),
    "objects": message(b'{"fields": {}, "arrays": [["x", "|O", [1]]]}', b"\x00" * 8),
    "names of fields": message(b'{"fields": {}, "arrays": [["x", "<M8[s]", [1]]]}', b"\x00" * 8),
    "negative": message(b'{"fields": {}, "arrays": [["x", "<f8", [-1]]]}'),
    "huge": message(b'{"fields": {}, "arrays": [["x", "<f8", [99999999999, 99999999999]]]}'),
    "NaN": message(b'{"fields": {"x": NaN}, "arrays": []}'),
    "endless shape": message(b'{"fields": {}, "arrays": [["x", "<f8", [0, 1' + b"0" * 40 + b"]]]}"),
    "many dimensions": message(b'{"fields": {}, "arrays": [["x", "<f8", [' + b"9, " * 200 + b"0]]]}"),
    "shape": message(b'{"fields": {}, "arrays": [["x", "<f8", [true]]]}', b"\x00" * 8),
    "depth": message(b'{"fields": ' + b"[" * 100_000 + b"]" * 100_000 + b', "arrays": []}'),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_message_is_refused(name: str) -> None:
    with pytest.raises(NoMessageError):
        read_message(BAD[name])


def test_a_message_that_ends_early() -> None:
    pipe = io.BytesIO()
    write_message(pipe, Message({"a": 1}, {"x": np.arange(4.0)}))
    for size in (0, 4, 20, len(pipe.getvalue()) - 1):
        with pytest.raises(EOFError):
            read_message(io.BytesIO(pipe.getvalue()[:size]))
