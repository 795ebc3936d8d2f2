"""Operation counts: those printed in the sources, executed step by step (`printed`), beside those of the formulations
and of the compiled programs here (`compared`).
"""

from loadpath.counting.compared import TABLE_7_4, Row, compared

__all__ = ["TABLE_7_4", "Row", "compared"]
