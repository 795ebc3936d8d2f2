"""viser's page, closed in: its own scripts run, and no other; a recording asks the network for nothing."""

from __future__ import annotations

import re
import secrets

from loadpath.content_policy import policy

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
