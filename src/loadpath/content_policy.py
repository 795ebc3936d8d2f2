"""What a page that is written here may do in a browser: run the scripts that were written into it, and nothing else.

Names from users' files are escaped where they are written. Should one get through nevertheless, the browser does not
run it, and nothing in the page can reach the network.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape


def fingerprint(script: str) -> str:
    """By which a policy names a script: its hash.

    >>> fingerprint("alert(1)")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(
    scripts: Iterable[str], *, connect: str = "'none'", images: str = "data: blob:", fonts: str = "data:",
    workers: str = "'none'",
) -> str:
    """A content-security policy. `scripts` are the sources of scripts that run: fingerprints, nonces.

    >>> policy(["'nonce-abc'"]).split("; ")[:2]
    ["default-src 'none'", "script-src 'nonce-abc'"]
    """
    parts = {
        "default-src": "'none'",
        "script-src": " ".join(scripts),
        "style-src": "'unsafe-inline'",  # drawing sets sizes and colours element by element
        "img-src": images,
        "font-src": fonts,
        "connect-src": connect,
        "worker-src": workers,
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def in_page(text: str) -> str:
    """A policy as an element for a page's head, before any script.

    >>> in_page("default-src 'none'")
    '<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;">'
    """
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(text)}">'
