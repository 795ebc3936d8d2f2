"""The report: `robot.report(motion).save("report.html")`, one HTML file that works without a network.

`report` collects, `verdict`, `overview`, `basis`, `peaks`, `over_time`, `causes` and others make its sections, `charts`
and `robot_picture` draw, `blocks` says what a page is made of, `page` and `templates` turn that into HTML and PDF.
"""

from loadpath.report.blocks import Chart, Choice, Facts, Figure, Picture, Section, Table, Text
from loadpath.report.report import Report, report

__all__ = ["Chart", "Choice", "Facts", "Figure", "Picture", "Report", "Section", "Table", "Text", "report"]
