"""The counts of the sources, executed: their steps line by line as printed, and repaired.

>>> print(angeles(6))                                                  # (7.43)
800 multiplications, 646 additions
>>> for item, count in algorithm_7_4_1(6).rows.items():                # table 7.1
...     print(f"{item:9} {count.multiplications:4} {count.additions:4}")
Q           24    0
c           48   60
omega       48   30
cdot       120   96
omegadot    60   42
cddot      192  168
"""

from loadpath.counting.angeles_steps import (
    algorithm_7_4_1,
    algorithm_7_4_2,
    angeles,
    inward_form_a,
    inward_form_b,
    outward_needed,
    outward_prismatic,
)
from loadpath.counting.lecture_steps import table_3_2, trace_form
from loadpath.counting.tally import Tally

__all__ = [
    "Tally",
    "algorithm_7_4_1",
    "algorithm_7_4_2",
    "angeles",
    "inward_form_a",
    "inward_form_b",
    "outward_needed",
    "outward_prismatic",
    "table_3_2",
    "trace_form",
]
