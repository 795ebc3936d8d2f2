"""Who may talk to the viewer: whoever knows its whole address, from a page of its own.

Any page in a browser of this machine can send requests to 127.0.0.1, and any name can be made to lead there (DNS
rebinding). Therefore the address has a random part, which no such page knows; the `Host` of a request must be a name of
this machine, its `Origin` the page itself; and what comes in over the connection is looked at before viser sees it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loadpath.viewer.messages import sound
from loadpath.viewer.policy import nonced, policy_of_viewer

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
