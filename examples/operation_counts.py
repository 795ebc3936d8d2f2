"""What one inverse dynamics costs: tables 7.1 to 7.4 of Angeles and the figures of the lecture, their steps executed on
scalars that tally every product and sum, next to what this library executes.

`python operation_counts.py 7` does it for seven joints.
"""

import sys

import loadpath as lp
from loadpath import counting
from loadpath.counting import printed

n = int(sys.argv[1]) if len(sys.argv) > 1 else 6


def rows(title: str, tally: printed.Tally) -> None:
    """A table of the source, row by row, and its total."""
    print(f"\n{title:46}{'M':>10}{'A':>10}")
    for name, count in tally.rows.items():
        print(f"  {name:44}{count.multiplications:10,}{count.additions:10,}")
    print(f"  {'total':44}{tally.total.multiplications:10,}{tally.total.additions:10,}")


# Angeles, algorithm 7.4.1. The book's table has no row for the mass centers c, but its total has them.
rows(f"Table 7.1, outward, {n} revolute joints", printed.algorithm_7_4_1(n))
# Algorithm 7.4.2; the names are the numbers of its lines.
rows("Table 7.2, inward", printed.algorithm_7_4_2(n))
both = printed.angeles(n)
print(f"  {'(7.43), both':44}{both.multiplications:10,}{both.additions:10,}")
assert (both.multiplications, both.additions) == (137 * n - 22, 110 * n - 14)

# As printed, 7.4.2 adds vectors of different frames. Two repairs, and what torques alone need:
form_a, form_b = printed.inward_form_a(n).total, printed.inward_form_b(n).total
print(f"\n{'Algorithm 7.4.2 repaired':46}{'M':>10}{'A':>10}")
print(f"  {'form A: sums in frame i+1, torque by two parts':44}{form_a.multiplications:8,}{form_a.additions:10,}")
print(f"  {'form B: sums in frame i+1, then turned':44}{form_b.multiplications:10,}{form_b.additions:10,}")

# The lecture: Luh's recursion (table 3.2), and the trace form with full 4 x 4 products.
rows("The lecture, Newton-Euler (table 3.2)", printed.table_3_2(n))
rows("The lecture, Lagrange-Euler (trace form)", printed.trace_form(n))

print(f"\n{'Table 7.3: authors':28}{'':8}{'multiplications':>18}{'additions':>14}{f'n = {n}':>16}")
for entry in counting.TABLE_7_3:
    by_n = str(entry.formula).replace(" multiplications", "").replace(" additions", "").split(", ")
    count = entry.formula(n)
    print(f"  {entry.authors:26}{entry.method:8}{by_n[0]:>18}{by_n[1]:>14}{count.multiplications:9}{count.additions:7}")
if n == 6:
    print("Table 7.4 has these numbers, but 420 additions where 81 n - 65 = 421 (Balafoutis & Patel), and in addition")
    for row in counting.quoted(6):
        if row.where == "table 7.4" and not row.what.startswith("Balafoutis"):
            print(f"  {row.what:28}{'':38}{row.operations.multiplications:9}{row.operations.additions:7}")

# What is executed here, for an arm with nothing special in it: no zero in its table, full inertias.
arm = lp.catalog.random_dh_arm(n, seed=1)
print(f"\n{'Here':34}{'as written':>20}{'compiled':>20}")
for formulation in ("newton-euler", "luh", "natural-orthogonal-complement", "generalized-recursive", "lagrange-euler"):
    written = arm.operation_count(formulation=formulation, as_written=True)
    compiled = arm.operation_count(formulation=formulation)
    pairs = [f"{count.multiplications:,}, {count.additions:,}" for count in (written, compiled)]
    print(f"  {formulation:32}{pairs[0]:>20}{pairs[1]:>20}")

puma = lp.catalog.puma560(drives=False)
print(f"\nA PUMA 560, with the zeros of its table: {puma.operation_count()}")
