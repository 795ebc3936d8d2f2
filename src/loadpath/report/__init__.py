"""The report: `robot.report(motion).save("report.html")`, one HTML file that works without a network.

`report` collects, `peaks`, `over_time`, `causes` and `overview` make its sections, `charts` draws, `blocks` says what a
page is made of, `page` and `templates` turn that into HTML.
"""

from loadpath.report.blocks import Chart, Choice, Figure, Section, Table, Text
from loadpath.report.report import Report, report

__all__ = ["Chart", "Choice", "Figure", "Report", "Section", "Table", "Text", "report"]
