"""Makes the gallery of examples: `python -m docs.gallery` runs them, draws docs/images/gallery/ (curves by matplotlib,
robots by Chromium) and writes docs/gallery.md. `python -m docs.gallery NAME ...` draws only those, `--page` none.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import os
import runpy
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
IMAGES = HERE / "images" / "gallery"

GROUPS = {
    "Loads of arms": ["torques_of_a_urdf", "robot_from_dh", "bearing_loads", "data_sheet", "dask_batch",
                      "identify_a_payload"],
    "Motion and control": ["swing_of_a_puma", "optimal_swing", "space_robot"],
    "Linkages and parallel robots": ["palletizer", "excavator", "stewart_platform", "two_arms_hold_a_box"],
    "Arms that bend": ["slender_arm_in_time", "telescopic_boom", "bending_and_buckling"],
    "On wheels": ["cart_that_must_not_tip", "lau_rover"],
    "Spaces of designs": ["study_of_an_arm", "study_of_a_rover", "study_of_a_telescopic_crane"],
    "Examples of the books": [
        "two_poses", "lau_arm_by_steps", "orthogonal_complement_of_a_chain", "operation_counts",
    ],
}
"""Examples by heading; others come last."""

HEAD = """# Examples

Scripts to run and change: `python examples/bearing_loads.py`. The pictures are drawn from the numbers that they find.
This page is made by `python -m docs.gallery`.
"""


def names() -> list[str]:
    """All examples."""
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def groups() -> dict[str, list[str]]:
    """All examples by heading."""
    there = names()
    found = {heading: [name for name in group if name in there] for heading, group in GROUPS.items()}
    found["More"] = [name for name in there if not any(name in group for group in GROUPS.values())]
    return {heading: group for heading, group in found.items() if group}


def docstring(name: str) -> str:
    """What an example says of itself."""
    return inspect.cleandoc(ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text())) or "")


def summary(name: str) -> str:
    """Its first paragraph, in a line."""
    return " ".join(docstring(name).split("\n\n")[0].split())


def title(name: str) -> str:
    """Its name in words."""
    words = name.replace("_", " ")
    return words[0].upper() + words[1:].replace(" dh", " DH").replace(" urdf", " URDF").replace(" puma", " PUMA")


def page() -> str:
    """docs/gallery.md: it reads as a list anywhere, and is laid out as cards on the site."""
    parts = [HEAD]
    for heading, group in groups().items():
        parts += [f"## {heading}\n", '<div class="cards">\n']
        for name in group:
            picture = next((file.name for file in sorted(IMAGES.glob(f"{name}.*"))), None)
            image = f"![{title(name)}](images/gallery/{picture})\\\n  " if picture else ""
            parts.append(f"- {image}[{title(name)}](../examples/{name}.py)\\\n  {summary(name)}")
        parts.append("\n</div>\n")
    return "\n".join(parts)


def draw(name: str) -> None:
    """Runs an example and draws its picture."""
    from docs import gallery_pictures as pictures
    from docs import gallery_robots as robots

    if name not in pictures.PICTURES and name not in robots.ROBOTS:
        print(f"{name}: no picture; add one in docs/gallery_pictures.py")
        return
    before, arguments = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        sys.argv = [name]
        try:
            found = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        finally:
            sys.argv = arguments
            os.chdir(before)
    IMAGES.mkdir(parents=True, exist_ok=True)
    if name in robots.ROBOTS:
        robots.draw(name, found, IMAGES / f"{name}.png")
    else:
        pictures.save(pictures.picture(name, found), IMAGES / f"{name}.svg")
    print(f"drew {name}")


def main(asked: list[str]) -> None:
    """Draws, and writes the page."""
    if asked != ["--page"]:
        for name in asked or names():
            draw(name)
    (HERE / "gallery.md").write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
