"""Files that begin with a comment longer than what parsers of XML look at in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadpath as lp
from loadpath.files.formats import root_of


@pytest.mark.parametrize("size", [100, 65_530, 65_536, 70_000, 1_000_000])
def test_a_urdf_may_begin_with_a_long_comment(size: int, tmp_path: Path) -> None:
    text = lp.catalog.planar(2).to_urdf()
    head, mark, rest = text.partition("<robot")
    path = tmp_path / "arm.urdf"
    path.write_text(f"{head}<!-- {'-x' * (size // 2)} -->\n{mark}{rest}", encoding="utf-8")
    assert root_of(path.read_bytes()) == "robot"
    assert lp.load(path).n == 2


def test_the_parser_is_told_that_it_has_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer versions of Expat keep long pieces back until there is more, or the end: as one that keeps all of it."""
    from loadpath.files import formats

    class Reluctant(formats.DefusedExpatParser):  # type: ignore[misc]
        kept = b""

        def feed(self, data: bytes, isFinal: bool = False) -> None:
            self.kept += data
            if isFinal:
                super().feed(self.kept, True)

        def close(self) -> None:
            self.feed(b"", True)

    monkeypatch.setattr(formats, "DefusedExpatParser", Reluctant)
    assert formats.root_of(b"<!-- arm --><robot name='r'></robot>") == "robot"
