"""The server that the browser talks to: for this machine only, unless another address is given."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import io
import ipaddress
import logging
import math
import os
import re
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loadpath.content_policy import policy

# What a browser may say: that a control of the page has a value that the page could give it, that a handle in the
# scene was dragged, where the camera is. All else, from other programs than the page, is passed over.


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


# viser's page, closed in: its own scripts run, and no other; a recording asks the network for nothing.


_SCRIPT = re.compile(r"<script(?=[\s>])")
_LATER = 'e.type="module";'
"""In viser's page: where a script that was packed becomes one of the page."""


def nonced(page: str) -> tuple[str, str]:
    """viser's page with a random word on each of its scripts, and the word; scripts that come in without it do not run.

    >>> page, word = nonced('<head><script>a(e.type="module";b)</script></head>')
    >>> page == f'<head><script nonce="{word}">a(e.type="module";e.nonce="{word}";b)</script></head>'
    True
    """
    word = secrets.token_urlsafe(18)
    # Within an element for a script nothing is a tag but its end, so what looks like one in packed text stays.
    parts = re.split(r"(</script>)", page)
    marked = "".join(_SCRIPT.sub(f'<script nonce="{word}"', part, count=1) for part in parts)
    return marked.replace(_LATER, f'{_LATER}e.nonce="{word}";'), word


def policy_of_viewer(word: str, server: str = "") -> str:
    """What a page of viser may do: run its own scripts, draw, and talk to its server, if there is one."""
    # viser makes functions of strings (of its own); markup that gets in has no script that could.
    return policy(scripts=(f"'nonce-{word}'", "'unsafe-eval'", "blob:"), workers="blob: data:",
                  connect=f"data: blob: {server}".strip(), images="data: blob:", fonts="data:")


# Who may talk to the viewer: whoever knows its whole address, from a page of its own.
#
# Any page in a browser of this machine can send requests to 127.0.0.1, and any name can be made to lead there (DNS
# rebinding). Therefore the address has a random part, which no such page knows; the `Host` of a request must be a name
# of this machine, its `Origin` the page itself; and what comes in over the connection is looked at before viser sees
# it.


MOST_CONNECTIONS = 32
LONGEST_MESSAGE = 1 << 20
"""Bytes of what a browser sends; a control sends less than a hundred."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@\s]+)(?::[0-9]{1,5})?")
_quiet = logging.getLogger("loadpath.viewer")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False  # what a stranger sends must not fill the terminal


class Refusal(NamedTuple):
    """An answer in place of the page."""

    status: HTTPStatus
    words: str


class Guard:
    """The door of one server."""

    def __init__(self, host: str, version: str) -> None:
        self.host, self.version = host, version
        self.token = secrets.token_urlsafe(18)
        self.server: Any = None
        """viser's server, as soon as it is there: it knows the controls."""
        self.visitors: set[Any] = set()
        self.stands = False
        """Whether the server asks here."""

    def refusal(self, path: str, hosts: list[str], origins: list[str], protocols: str | None) -> Refusal | None:
        """Why a request is not answered; none if it is. `protocols` are those of a WebSocket, none of a page.

        >>> guard = Guard("127.0.0.1", "1.1.1")
        >>> guard.refusal(f"/{guard.token}/", ["127.0.0.1:8080"], [], None)
        >>> guard.refusal("/", ["127.0.0.1:8080"], [], None).status.value
        403
        >>> guard.refusal(f"/{guard.token}/", ["evil.example:8080"], [], None).status.value
        421
        """
        if len(hosts) != 1 or not self._is_here(hosts[0]):
            return Refusal(HTTPStatus.MISDIRECTED_REQUEST, "This viewer does not answer to that name.\n")
        if any(not _same_origin(origin, hosts[0]) for origin in origins):
            return Refusal(HTTPStatus.FORBIDDEN, "This viewer does not answer to other pages.\n")
        if self.inside(path) is None:
            return Refusal(HTTPStatus.FORBIDDEN, "Open the whole address of the viewer, as it was printed.\n")
        if protocols is not None and protocols.strip() != f"viser-v{self.version}":
            return Refusal(HTTPStatus.BAD_REQUEST, "This page is of another version: load it again.\n")
        return None

    def inside(self, path: str) -> str | None:
        """What comes after the random part of a path; none where that is missing or wrong."""
        first, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
        if not hmac.compare_digest(first.encode(errors="replace"), self.token.encode()):
            return None
        return f"/{rest}"

    def _is_here(self, host: str) -> bool:
        """Whether a `Host` is a name of this machine that the server was told to answer to."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].lower()
        if name in LOOPBACK or name.strip("[]") == self.host.lower():
            return True
        if self.host in LOOPBACK or self.host == "::1":
            return False
        return _is_address(name.strip("[]")) or name == socket.gethostname().lower()  # addresses cannot be rebound

    def admits(self, raw: Any) -> bool:
        """Whether a message from a browser is passed on to viser."""
        return self.server is not None and sound(raw, self.server)


def _same_origin(origin: str, host: str) -> bool:
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


_starting = threading.Lock()


@contextmanager
def guarding(guard: Guard, port: int) -> Iterator[None]:
    """While this lasts, the server that viser begins at a port asks the guard. Where it does not, an error: viser may
    have changed, and a server that anybody can use is none.
    """
    from viser.infra import _infra
    from websockets.asyncio import server as sockets

    class Guarded:
        """What viser takes for the package websockets: all of it, with a server that asks first."""

        def __getattr__(self, name: str) -> Any:
            return getattr(original, name)

        class asyncio:
            class server:
                ServerConnection = sockets.ServerConnection

                @staticmethod
                def serve(handler: Any, host: str, at: int, **options: Any) -> Any:
                    ours = host == guard.host and at >= port
                    return sockets.serve(handler, host, at, **(_asking(guard, options) if ours else options))

    with _starting:
        original = _infra.websockets
        _infra.websockets = Guarded()
        try:
            yield
        finally:
            _infra.websockets = original
    if not guard.stands:
        raise ImportError("the viewer cannot be guarded with this version of viser: pip install -U 'loadpath[viewer]'")


def _asking(guard: Guard, options: dict[str, Any]) -> dict[str, Any]:
    """Options of a server of websockets, with the guard before viser's own functions."""
    from websockets.asyncio.server import ServerConnection

    pages = options["process_request"]

    class Visitor(ServerConnection):
        """A connection whose messages are looked at."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            guard.visitors.add(self)
            if len(guard.visitors) > MOST_CONNECTIONS:
                transport.abort()

        def connection_lost(self, problem: Exception | None) -> None:
            guard.visitors.discard(self)
            super().connection_lost(problem)

        async def recv(self, *arguments: Any, **named: Any) -> Any:
            while True:
                raw = await super().recv(*arguments, **named)
                if guard.admits(raw):
                    return raw

    def process_request(connection: Any, request: Any) -> Any:
        headers = request.headers
        upgrade = headers.get_all("Upgrade")
        protocols = ",".join(headers.get_all("Sec-WebSocket-Protocol")) if upgrade else None
        hosts = headers.get_all("Host")
        refusal = guard.refusal(request.path, hosts, headers.get_all("Origin"), protocols)
        if refusal is not None:
            return connection.respond(*refusal)
        response = pages(connection, replace(request, path=guard.inside(request.path) or "/"))
        return response if response is None else _closed_in(response, hosts[0])

    guard.stands = True
    asyncio.get_running_loop().set_exception_handler(lambda _, what: _quiet.debug("in the server: %s", what))
    return {**options, "process_request": process_request, "create_connection": Visitor, "logger": _quiet,
            "max_size": LONGEST_MESSAGE}


def _closed_in(response: Any, host: str) -> Any:
    """A page that runs its own scripts only, and talks to its own server only."""
    import gzip

    headers, body = response.headers, response.body or b""
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
        del headers["Content-Encoding"]
    if headers.get("Content-Type", "").startswith("text/html"):
        text, nonce = nonced(body.decode())
        body = text.encode()
        headers["Content-Security-Policy"] = policy_of_viewer(nonce, f"'self' ws://{host} wss://{host}")
    for name, value in (("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
                        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store")):
        headers[name] = value
    del headers["Content-Length"]
    headers["Content-Length"] = str(len(body))
    response.body = body
    return response


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
