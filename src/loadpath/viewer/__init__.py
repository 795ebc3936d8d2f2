"""The viewer in the browser: `robot.view()`, `loadpath view robot.urdf`. The robot in space with its loads, and
controls to move it.

`subject` is what is shown and how it moves, `state` and `loads` what is computed for one picture, without a browser.
`stage` has the thread that draws; `layers` are what it draws, one a file, and `viewer` is what users hold. `recording`
writes a motion as one HTML file. viser does the rest: the scene, the controls, the way to the browser.
"""

from loadpath.viewer.view import view
from loadpath.viewer.viewer import Viewer

__all__ = ["Viewer", "view"]
