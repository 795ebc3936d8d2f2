"""A motion as one HTML file: the scene of every picture, with viser's own page around it, which needs no network."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from loadpath._version import __version__
from loadpath.content_policy import in_page
from loadpath.printable import storable
from loadpath.viewer.policy import nonced, policy_of_viewer
from loadpath.whole_file import check_ending, check_writable, write_whole

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from loadpath.viewer.layers.player import Player
    from loadpath.viewer.stage import Stage

MOST = 20_000
"""Pictures of a recording."""


def record(stage: Stage, player: Player, path: str | PathLike[str], rate: float) -> Path:
    """Write the motion, or the state if there is no motion."""
    check_ending(path, (".html", ".htm"), "a recording")
    target = check_writable(path)
    if not 1.0 <= rate <= 120.0:
        raise ValueError(f"rate is {rate}: expected pictures a second, from 1 to 120")
    duration = 0.0 if player.motion is None else player.motion.duration
    count = int(duration * rate) + 1
    if count > MOST:
        raise ValueError(f"{count} pictures, {duration:.4g} s at {rate:g} a second: expected at most {MOST}; record "
                         "with a lower rate, or a part of the motion (motion.between)")
    player.pause()
    with stage.alone():
        before = stage.state
        recorder = stage.server.get_scene_serializer()
        if player.motion is not None:
            for k in range(count):
                stage.draw(player.motion.at(k / rate, before))
                recorder.insert_sleep(1.0 / rate)
        page: str = recorder.as_html()
        stage.draw(before)
    text = storable(_titled(_closed_in(page), stage, duration)).encode()
    write_whole(target, lambda file: file.write(text))
    return target


def _closed_in(page: str) -> str:
    """The page with a policy: it runs its own scripts only, and asks the network for nothing."""
    marked, word = nonced(page)
    return marked.replace("<head>", f"<head>{in_page(policy_of_viewer(word))}", 1)


def _titled(page: str, stage: Stage, duration: float) -> str:
    """The page with its name, and what the arrows are, in a corner: the controls are not in a recording."""
    name = escape(stage.subject.name)
    legends = [layer.caption for layer in stage.layers]
    seconds = f", {duration:.3g} s" if duration else ""
    corner = (
        '<div style="position:fixed;right:10px;top:10px;z-index:1000;font:13px/1.45 system-ui,sans-serif;'
        'background:rgba(255,255,255,.85);color:#1d2730;padding:6px 10px;border-radius:6px;max-width:80vw">'
        f"<b>{name}</b>{seconds}{''.join(legends)}<div style='opacity:.6'>loadpath {escape(__version__)}</div></div>"
    )
    page = re.sub("<title>[^<]*</title>", lambda _: f"<title>{name}</title>", page, count=1)
    end = page.rindex("</body>")
    return page[:end] + corner + page[end:]
