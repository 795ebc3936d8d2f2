"""The equations of motion of a robot with loops: those of its tree, its constraints, and both reduced to the drives."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from loadpath.cached import cached_property
from loadpath.equations.result import Equations
from loadpath.equations.symbolic import Table
from loadpath.equations.wrenches import Axes, CauseKey, SymbolicJointWrenches, SymbolicLoad
from loadpath.equations.written import rounded
from loadpath.printable import printable


@dataclass(frozen=True, eq=False)
class ClosedEquations(Equations):
    """Equations of motion of a robot with loops, as SymPy matrices; made when first asked for.

    With the `mass_matrix`, `coriolis_matrix`, `gravity` and `friction` of the open tree,

        M qdd + C qd + G + F = tau + J^T lambda,     phi(q) = 0,   J qd = 0,   J qdd + gamma = 0,

    where phi are the `constraints`, J their `constraint_jacobian`, gamma = Jdot qd their `constraint_rate`, and lambda
    the `multipliers`: forces (and torques) that the loops' first links exert on their second ones. tau is zero at
    passive joints. With qd = T qd_I (the `complement`) the multipliers drop out:

        T^T (M qdd + C qd + G + F) = T^T tau,

    the `reduced_torques`. Directions that a loop's joint holds and no joint moves have no equation (`left_out`): in a
    plane linkage those across the plane.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar().equations(parameters="symbols")
    >>> bar.constraint_names
    ('rocker_pin.x', 'rocker_pin.z')
    >>> bar.constraints[0]
    l0 - l1*cos(q1) - l2*cos(q1 + q2) + l3*cos(q3)
    >>> bar.constraint_jacobian[0, 2]
    -l3*sin(q3)
    >>> bar.complement[2]
    l1*sin(q2)/(l3*sin(q1 + q2 - q3))
    """

    constraints: sympy.Matrix = field(default_factory=lambda: sympy.zeros(0, 1))
    """phi(q), (rows, 1): zero while the loops are closed."""
    constraint_names: tuple[str, ...] = ()
    """What each row holds: the loop, and x, y or z of the common ancestor's axes, or the number of a force or turn."""
    left_out: tuple[str, ...] = ()
    """Directions that are held and that no joint moves."""
    driven: tuple[int, ...] = ()
    """Numbers of the speeds with a drive, from 0."""
    independent: tuple[int, ...] = ()
    """Numbers of the speeds that determine all others."""
    dependent: tuple[int, ...] = ()
    """Numbers of the others."""
    _rates: tuple[sympy.Expr, ...] = field(default=(), repr=False)

    # What the tree does not know

    def _refused(self, what: str) -> ValueError:
        return ValueError(f"no {what} of robot '{self.robot_name}' in symbols: its loops carry forces that depend on "
                          "how stiff its joints are; robot.joint_wrenches gives them in numbers, and the multipliers "
                          "of equations_of_motion are the forces in the loops' joints")

    def joint_wrenches_in(self, axes: Axes) -> SymbolicJointWrenches:
        """Not of a robot with loops."""
        raise self._refused("joint wrenches")

    def loads_by_cause(self, axes: Axes = "joint", *, by_link: bool = False) -> Table[dict[CauseKey, SymbolicLoad]]:
        """Not of a robot with loops."""
        raise self._refused("joint wrenches by cause")

    @property
    def constraint_wrenches(self) -> sympy.Matrix:
        """Not of a robot with loops."""
        raise self._refused("constraint wrenches")

    # Constraints

    @cached_property
    def constraint_jacobian(self) -> sympy.Matrix:
        """J, (rows, n): J qd is the rate of the constraints."""
        if self._rates == self.qd:
            return sympy.Matrix(len(self.constraints), len(self.qd),
                                lambda i, j: sympy.diff(self.constraints[int(i)], self.q[int(j)]))
        rates = [self._rate(phi) for phi in self.constraints]
        return sympy.Matrix(len(rates), len(self.qd), lambda i, j: sympy.diff(rates[int(i)], self.qd[int(j)]))

    @cached_property
    def constraint_rate(self) -> sympy.Matrix:
        """gamma = Jdot qd, (rows, 1): what the constraints accelerate by while qdd is zero."""
        if self._rates == self.qd:
            gammas = [self._second_rate(phi) for phi in self.constraints]
        else:
            gammas = [self._rate(self._rate(phi)) for phi in self.constraints]
        return sympy.Matrix(len(gammas), 1, gammas)

    def _rate(self, expression: sympy.Expr) -> sympy.Expr:
        """Time derivative while the speeds are constant."""
        rates = zip(self.q, self._rates, strict=True)
        return sympy.expand(sympy.Add(*(sympy.diff(expression, symbol) * rate for symbol, rate in rates)))

    def _second_rate(self, expression: sympy.Expr) -> sympy.Expr:
        """The second, where the speeds are the rates of the coordinates: equal coefficients of several products of
        speeds are taken out once.
        """
        n = len(self.q)
        shared: dict[sympy.Expr, sympy.Expr] = {}
        for term in sympy.Add.make_args(expression):
            for j in range(n):
                slope = sympy.diff(term, self.q[j])
                for k in range(j, n) if slope != 0 else ():
                    curve = sympy.diff(slope, self.q[k])
                    sign = -1 if -curve in shared else 1
                    speeds = (1 if j == k else 2) * sign * self.qd[j] * self.qd[k]
                    if curve != 0:
                        shared[sign * curve] = shared.get(sign * curve, sympy.Integer(0)) + speeds
        return sympy.Add(*(sympy.factor(speeds) * curve for curve, speeds in shared.items()))

    @cached_property
    def multipliers(self) -> tuple[sympy.Symbol, ...]:
        """Symbols of the multipliers, one for each constraint."""
        return tuple(sympy.Symbol(f"lambda{k + 1}") for k in range(len(self.constraints)))

    @cached_property
    def drive_symbols(self) -> sympy.Matrix:
        """tau, (n, 1): symbols of the drives, zero at passive joints."""
        return sympy.Matrix(
            len(self.qd), 1, lambda k, _: sympy.Symbol(f"tau{int(k) + 1}") if k in self.driven else sympy.Integer(0)
        )

    # Equations of motion

    @cached_property
    def open_torques(self) -> sympy.Matrix:
        """M qdd + C qd + G + F, (n, 1): what the open tree would take in all its joints."""
        return super().torques

    @cached_property
    def equations_of_motion(self) -> sympy.Matrix:
        """M qdd + C qd + G + F - tau - J^T lambda, (n, 1): zero in every motion."""
        multipliers = sympy.Matrix(len(self.multipliers), 1, list(self.multipliers))
        return self.open_torques - self.drive_symbols - self.constraint_jacobian.T * multipliers

    @cached_property
    def complement(self) -> sympy.Matrix:
        """T, (n, freedoms): all speeds per unit of each independent one, J T = 0."""
        J = self.constraint_jacobian
        rows = self._independent_rows
        passive = J.extract(rows, list(self.dependent))
        right = -J.extract(rows, list(self.independent))
        result = sympy.zeros(len(self.qd), len(self.independent))
        solved = _solved(passive, right) if self.dependent else right
        for column, k in enumerate(self.independent):
            result[k, column] = sympy.Integer(1)
            for row, i in enumerate(self.dependent):
                result[i, column] = solved[row, column]
        return result

    @cached_property
    def _independent_rows(self) -> list[int]:
        """As many constraints as there are dependent speeds, that determine them: by numbers at a generic place."""
        import numpy as np
        from scipy.linalg import qr

        count = len(self.dependent)
        passive = self.constraint_jacobian.extract(list(range(len(self.constraints))), list(self.dependent))
        if passive.rows == count:
            return list(range(count))
        places = {symbol: 0.37 + 0.61 * k for k, symbol in enumerate(self.q)} | dict(self.parameters)
        values = np.array(passive.subs(places).evalf().tolist(), dtype=float)
        return sorted(int(k) for k in qr(values.T, pivoting=True)[2][:count])

    @cached_property
    def reduced_mass_matrix(self) -> sympy.Matrix:
        """T^T M T, (freedoms, freedoms)."""
        return self.complement.T * self.mass_matrix * self.complement

    @cached_property
    def reduced_gravity(self) -> sympy.Matrix:
        """T^T G, (freedoms, 1)."""
        return self.complement.T * self.gravity

    @cached_property
    def reduced_torques(self) -> sympy.Matrix:
        """T^T (M qdd + C qd + G + F), (freedoms, 1): what the drives together do at the independent speeds."""
        return self.complement.T * self.open_torques

    @property
    def torques(self) -> sympy.Matrix:
        """Forces of the drives, (n, 1), zero at passive joints."""
        if set(self.driven) != set(self.independent):
            raise ValueError(f"robot '{self.robot_name}' has {len(self.driven)} drives and {len(self.independent)} "
                             "freedoms, so that its equations do not say what each drive does: reduced_torques has "
                             "what they do together, equations_of_motion everything")
        result = sympy.zeros(len(self.qd), 1)
        for row, k in enumerate(self.independent):
            result[k] = self.reduced_torques[row]
        return result

    # Printing

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects; the multipliers of loops are symbols that nothing is said of."""
        return tuple(name for name in super().objects if name != "multipliers")

    @property
    def heading(self) -> str:
        """What the lines mean."""
        friction = " + F(qd)" if any(self.friction) else ""
        return f"M(q) qdd + h(q, qd) + G(q){friction} = tau + J' lambda; phi(q) = 0; J qd = 0; J qdd + gamma = 0"

    def lines(self, *, digits: int = 6) -> list[tuple[str, str]]:
        """Every entry that is not zero, as a name and a text; `T` are the dependent speeds per independent one."""
        found = super().lines(digits=digits)
        n, r = len(self.qd), len(self.constraints)
        comma = "," if n > 9 or r > 9 else ""
        more = [(f"phi{i + 1}", self.constraints[i]) for i in range(r)]
        J, T = self.constraint_jacobian, self.complement
        more += [(f"J{i + 1}{comma}{j + 1}", J[i, j]) for i in range(r) for j in range(n)]
        more += [(f"gamma{i + 1}", self.constraint_rate[i]) for i in range(r)]
        more += [(f"T{i + 1}{comma}{self.independent[j] + 1}", T[i, j])
                 for i in self.dependent for j in range(len(self.independent))]
        return found + [(name, str(rounded(entry, digits))) for name, entry in more if entry != 0]

    def notes(self) -> list[str]:
        """What the names in the lines stand for."""
        drives = [k + 1 for k in self.driven]
        rows = [f"phi{k + 1}: {name}" for k, name in enumerate(self.constraint_names)]
        notes = [f"tau: {', '.join(f'tau{k}' for k in drives)}, the others are zero; {', '.join(rows)}"]
        if self.left_out:
            notes.append(f"left out, since no joint moves there: {', '.join(self.left_out)}")
        return notes + super().notes()

    def _whole(self, digits: int) -> list[str]:
        """M qdd + C qd + G (+ F) = tau + J^T lambda, phi = 0, J qdd + gamma = 0."""
        typesetter = self._typesetter

        def write(expression: sympy.Expr) -> str:
            return typesetter.text(rounded(expression, digits))

        speeds, accelerations = (sympy.Matrix(symbols) for symbols in (self.qd, self.qdd))
        multipliers = sympy.Matrix(len(self.multipliers), 1, list(self.multipliers))
        J = self.constraint_jacobian
        left = [
            f"{write(self.mass_matrix)} {write(accelerations)}",
            f"+ {write(self.coriolis_matrix)} {write(speeds)}",
            f"+ {write(self.gravity)}",
        ]
        left += [f"+ {write(self.friction)}"] if any(self.friction) else []
        right = [
            f"= {write(self.drive_symbols)} + {write(J.T)} {write(multipliers)}",
            f"{write(self.constraints)} = 0",
            f"{write(J)} {write(accelerations)} + {write(self.constraint_rate)} = 0",
        ]
        lines = [*left, *right]
        if max(typesetter.width(line) for line in lines) <= typesetter.room:
            return [f"&{line}" for line in lines]
        friction = [" + F"] if any(self.friction) else []
        names = ["mass_matrix", "velocity_forces", "gravity", *(["friction"] if friction else []), "constraints",
                 "constraint_jacobian", "constraint_rate"]
        own = [equation for name in names for equation in self[name]._equations(digits)]
        forces = f"{write(self.drive_symbols)} + J^{{T}} {write(multipliers)}"
        return [rf"&M \ddot{{q}} + h + G{''.join(friction)} = {forces}",
                r"&\phi = 0,\; J \ddot{q} + \gamma = 0", *typesetter.block(own)]

    @cached_property
    def _latex_names(self) -> dict[sympy.Symbol, str]:
        names = dict(super()._latex_names)
        names |= {symbol: rf"\lambda_{{{k + 1}}}" for k, symbol in enumerate(self.multipliers)}
        return names | {sympy.Symbol(f"tau{k + 1}"): rf"\tau_{{{k + 1}}}" for k in range(len(self.qd))}

    def __str__(self) -> str:
        text = [f"Equations of '{printable(self.robot_name)}' by {self.formulation}: {self.heading}"]
        text += [f"{name} = {entry}" for name, entry in self.lines()] + self.notes()
        if self.parameters:
            text.append(", ".join(f"{symbol} = {value:.6g}" for symbol, value in self.parameters.items()))
        return "\n".join(text)


def _solved(matrix: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
    """matrix^-1 right, with functions of differences of angles where products of functions make them."""
    if matrix.rows > 3:
        return matrix.LUsolve(right)
    bottom = _shorter(matrix.det(method="berkowitz"))
    top = (matrix.adjugate() * right).applyfunc(_shorter)
    return top / bottom


def _shorter(expression: sympy.Expr) -> sympy.Expr:
    """Products of sines and cosines as functions of sums, where that has fewer terms."""
    from sympy.simplify.fu import TR8

    expanded = sympy.expand(expression)
    summed = sympy.expand(TR8(expanded))
    best = min((expanded, summed), key=lambda e: len(sympy.Add.make_args(e)))
    return sympy.factor_terms(best)
