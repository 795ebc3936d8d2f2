"""Operation counts of inverse dynamics: printed in the sources, corrected, as written here and as compiled here.

| file | what is in it |
|---|---|
| `figures` | counts as formulas in the number of joints (other authors': tables 7.3 and 7.4), next to a robot's |
| `printed` | the steps of the sources, executed on scalars that tally: what the formulas are found by |
"""

from loadpath.counting import printed
from loadpath.counting.figures import (
    NEWTON_EULER,
    OF_THE_SOURCES,
    TABLE_7_3,
    TABLE_7_4,
    TRACE_FORM,
    Counted,
    Formula,
    Published,
    Row,
    compared,
    of_the_sources,
    quoted,
)

__all__ = [
    "NEWTON_EULER",
    "OF_THE_SOURCES",
    "TABLE_7_3",
    "TABLE_7_4",
    "TRACE_FORM",
    "Counted",
    "Formula",
    "Published",
    "Row",
    "compared",
    "of_the_sources",
    "printed",
    "quoted",
]
