"""The viewer in the browser: `robot.view()`, `loadpath view robot.urdf`. The robot in space with its loads, and
controls to move it.

`subject` is what is shown, how it moves and what loads it, without a browser. `stage` has the thread that draws, and
`layers` are what it draws. `view` has what users hold, and writes a motion as one HTML file. viser does the rest: the
scene, the controls, the way to the browser.
"""

from loadpath.viewer.view import Viewer, view

__all__ = ["Viewer", "view"]
