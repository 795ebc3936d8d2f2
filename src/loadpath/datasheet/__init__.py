"""The data sheet of a robot: what a maker prints of it, computed: `robot.datasheet(motion).save("sheet.html")`.

`configurations` draws those that it can take, `workspace` where its tip gets, `stopping` how single joints stop
(`without_power` and `with_drives` compute many stops at once), `torque_speed` what its motors do over the duty, `pages`
makes sections of the report's blocks from them, and `sheet` the whole.
"""

from loadpath.datasheet.sheet import Datasheet, datasheet

__all__ = ["Datasheet", "datasheet"]
