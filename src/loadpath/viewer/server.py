"""The server that the browser talks to: for this machine only, unless another address is given."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
from typing import Any

from loadpath.viewer.guard import EVERYWHERE, Guard, guarding

PORT = 8080
TRIED = 100
"""Ports that are tried, from the one that is asked for on."""


def start(host: str, port: int, title: str) -> tuple[Any, str]:
    """A server of viser on the first port that is free, from the given one on, and the address to open: it has a random
    part, without which nothing is answered.
    """
    try:
        import viser
    except ImportError as problem:
        raise ImportError("the viewer is drawn by viser, which is not installed: pip install 'loadpath[viewer]'"
                          ) from problem
    free, guard, server = free_port(host, port), Guard(host, viser.__version__), None
    try:
        with contextlib.redirect_stdout(io.StringIO()), guarding(guard, free):  # it would print a box of its own
            server = viser.ViserServer(host=host, port=free, label=title, verbose=False)
    except BaseException:
        if server is not None:
            stop(server)
        raise
    guard.server = server
    # The share button would send the scene to a server on the net. The guard lets no page ask for that, and no program
    # should by mistake.
    server.request_share_url = _nothing_is_shared
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
    server.gui.main_panel.dock_right()  # beside the scene, not over the robot
    shown = "127.0.0.1" if host in EVERYWHERE else host
    return server, f"http://{f'[{shown}]' if ':' in shown else shown}:{server.get_port()}/{guard.token}/"


def _nothing_is_shared(verbose: bool = True) -> None:
    """In place of what asks a server on the net for an address at which others see the scene."""


def stop(server: Any) -> None:
    """End a server."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def free_port(host: str, port: int) -> int:
    """The first port from the given one on that nobody listens at.

    >>> free_port("127.0.0.1", 70000)
    Traceback (most recent call last):
    ValueError: port is 70000: expected a whole number from 1 to 65535
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 1 <= port <= 65535:
        raise ValueError(f"port is {port!r}: expected a whole number from 1 to 65535")
    problem: OSError | None = None
    for candidate in range(port, min(port + TRIED, 65536)):
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(address)
                return candidate
        except socket.gaierror as unknown:
            raise ValueError(f"host is {host!r}: {unknown.strerror}; expected an address of this machine, like "
                             "'127.0.0.1', or '0.0.0.0' for all of them") from None
        except OSError as taken:
            problem = taken
    assert problem is not None
    last = min(port + TRIED, 65536) - 1
    raise ValueError(f"no port from {port} to {last} can be had at host {host!r}: {problem.strerror}")


def has_display() -> bool:
    """Whether a browser could be opened here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
