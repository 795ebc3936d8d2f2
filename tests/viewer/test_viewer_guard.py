"""The door of the viewer: no token, no page; no foreign page or name; no value that a control cannot have."""

import http.client
import socket
import time
from urllib.parse import urlsplit

import pytest

import loadpath as lp

viser = pytest.importorskip("viser")
msgspec = pytest.importorskip("msgspec")
client = pytest.importorskip("websockets.sync.client")
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

PROTOCOL = f"viser-v{viser.__version__}"


@pytest.fixture(scope="module")
def viewer():
    with lp.catalog.lau_arm().view(open_browser=False) as shown:
        yield shown


def get(viewer, path=None, **headers):
    """Status, headers and length of a page."""
    parts = urlsplit(viewer.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.request("GET", parts.path if path is None else path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def talk(viewer, path=None, origin=None, host=None, protocol=PROTOCOL):
    """A connection as the page makes it."""
    parts = urlsplit(viewer.url)
    where = f"ws://{parts.netloc}{parts.path.rstrip('/') if path is None else path}"
    own = f"http://{parts.netloc}" if origin is None else origin
    # Under another name, as a page sends it whose name was made to lead here.
    if host is not None:
        wire = socket.create_connection((parts.hostname, parts.port), timeout=30)
        return client.connect(where.replace(parts.netloc, host), sock=wire, origin=own, subprotocols=[protocol])
    return client.connect(where, origin=own, subprotocols=[protocol], open_timeout=30)


def say(talking, **message):
    talking.send(msgspec.msgpack.encode(message))


def control(viewer, label):
    handles = viewer.stage.server.gui._gui_input_handle_from_uuid
    return next((uuid, handle) for uuid, handle in handles.items() if handle.label == label)


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_the_page_needs_the_whole_address(viewer):
    token = urlsplit(viewer.url).path.strip("/")
    assert len(token) >= 20
    status, headers, body = get(viewer)
    assert status == 200 and len(body) > 100_000 and "default-src 'none'" in headers["Content-Security-Policy"]
    for path in ("/", "/index.html", f"/{token[:-1]}/", f"/{token}x/", f"/x/{token}/", f"/?{token}", f"//{token}"):
        status, _, body = get(viewer, path)
        assert status == 403 and len(body) < 200, path
    with lp.catalog.lau_arm().view(open_browser=False) as other:
        assert urlsplit(other.url).path != urlsplit(viewer.url).path


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", "127.0.0.1@evil", ""])
def test_a_foreign_name_is_not_answered(viewer, host):
    status, _, body = get(viewer, Host=host)
    assert status == 421 and len(body) < 200
    if host and "@" not in host:
        with pytest.raises(InvalidStatus) as refused:
            talk(viewer, host=host, origin=f"http://{host}")
        assert refused.value.response.status_code == 421


def test_names_of_this_machine_are_answered_also_by_another_port_that_is_forwarded(viewer):
    for host in ("localhost:9000", "127.0.0.1", "[::1]:8080"):
        assert get(viewer, Host=host)[0] == 200
    with talk(viewer, host="localhost:9000", origin="http://localhost:9000") as talking:
        assert len(talking.recv(timeout=30)) > 100


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_a_foreign_page_is_not_answered(viewer, origin):
    assert get(viewer, Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refused:
        talk(viewer, origin=origin)
    assert refused.value.response.status_code == 403


def test_a_connection_needs_the_token_and_the_page_of_this_version(viewer):
    with pytest.raises(InvalidStatus) as refused:
        talk(viewer, path="/")
    assert refused.value.response.status_code == 403
    with pytest.raises(InvalidStatus) as refused:
        talk(viewer, protocol="viser-v0.0.0")
    assert refused.value.response.status_code == 400


def test_values_that_no_control_can_have_are_passed_over(viewer, capfd):
    uuid, slider = control(viewer, "theta1 (deg)")
    chooser, cause = control(viewer, "cause")
    box, gizmo = control(viewer, "gizmo")
    vector, force = control(viewer, "force (N)")
    before, values = viewer.q, [slider.value, cause.value, gizmo.value, force.value]
    with talk(viewer) as talking:
        camera = {"wxyz": [1.0, 0, 0, 0], "position": [1.0, 1, 1], "fov": 0.8, "near": 0.1, "far": 100.0,
                  "image_height": 100, "image_width": 100, "look_at": [0, 0, 0], "up_direction": [0, 0, 1]}
        say(talking, type="ViewerCameraMessage", **camera)
        for value in (1.15e18, -1.15e18, float("nan"), float("inf"), "1.0", True, None, [1.0], {"a": 1}, 2**63):
            say(talking, type="GuiUpdateMessage", uuid=uuid, updates={"value": value})
        for value in ("no such cause", 3, None):
            say(talking, type="GuiUpdateMessage", uuid=chooser, updates={"value": value})
        say(talking, type="GuiUpdateMessage", uuid=box, updates={"value": "yes"})
        for value in ([1e12, 0.0, 0.0], [1.0, 2.0], ["a", "b", "c"], 4.0):
            say(talking, type="GuiUpdateMessage", uuid=vector, updates={"value": value})
        for name in ("sync_cb", "update_cb", "removed", "no_such_property"):
            say(talking, type="GuiUpdateMessage", uuid=uuid, updates={name: 1})
        say(talking, type="GuiUpdateMessage", uuid=uuid, updates=7)
        say(talking, type="GuiUpdateMessage", uuid=uuid)
        say(talking, type="GuiUpdateMessage", uuid=[1], updates={"value": 1.0})
        say(talking, type="NoSuchMessage")
        say(talking, type="ShareUrlRequest")
        say(talking, type=7)
        say(talking, type="ViewerCameraMessage", **{**camera, "wxyz": "abcd"})
        say(talking, type="ViewerCameraMessage", **{**camera, "wxyz": [0, 0, 0, 0]})
        say(talking, type="TransformControlsUpdateMessage", name="/robot/tip", wxyz=[0, 0, 0, 0], position=[0, 0, 0])
        say(talking, type="TransformControlsUpdateMessage", name="/robot/tip", wxyz=[1, 0, 0, 0], position=[1e99, 0, 0])
        talking.send(msgspec.msgpack.encode([1, 2]))
        talking.send(b"\xc1 nothing")
        talking.send("words")
        nested = 1
        for _ in range(500):
            nested = [nested]
        talking.send(msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": nested}}))
        # The last one is what a person does: it arrives after all others.
        say(talking, type="GuiUpdateMessage", uuid=uuid, updates={"value": 20})
        until(lambda: abs(slider.value - 20.0) < 1e-9)
        until(lambda: abs(viewer.stage.subject.moving.controls[0].of(viewer.q) - 20.0) < 1e-6)
    assert [cause.value, gizmo.value, force.value] == values[1:]
    viewer.set(before)
    until(lambda: slider.value == values[0])
    said = capfd.readouterr()
    assert said.err == "" and said.out == ""


def test_a_message_that_is_too_long_ends_the_connection_quietly(viewer, capfd):
    with talk(viewer) as talking, pytest.raises(ConnectionClosed):
        talking.send(b"x" * (2 << 20))
        while True:
            talking.recv(timeout=30)
    assert get(viewer)[0] == 200
    assert capfd.readouterr().err == ""


def test_connections_are_bounded_and_given_back(viewer, capfd):
    from loadpath.viewer.server import MOST_CONNECTIONS

    sockets, refused = [], 0
    for _ in range(MOST_CONNECTIONS + 10):
        try:
            sockets.append(talk(viewer))
        except (OSError, EOFError, InvalidStatus, ConnectionClosed, TimeoutError) as _:
            refused += 1
        except Exception as problem:  # websockets' own, with a name that changed between versions
            assert "handshake" in str(problem) or "response" in str(problem)
            refused += 1
    assert len(sockets) <= MOST_CONNECTIONS and refused >= 10
    for talking in sockets:
        talking.close()
    until(lambda: _answers(viewer))
    assert capfd.readouterr().err == ""


def _answers(viewer):
    try:
        return get(viewer)[0] == 200
    except OSError:
        return False


def test_a_viser_that_cannot_be_guarded_is_not_served(monkeypatch):
    from loadpath.viewer import server

    monkeypatch.setattr(server, "_asking", lambda server, options: options)
    with pytest.raises(ImportError, match="cannot be guarded"):
        lp.catalog.planar(2).view(open_browser=False)
