"""What a robot's functions cost and what they read like: operation counts, equations in symbols, the books' objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadpath.cached import cached_property
from loadpath.engine.arguments import DEFAULT, Variant, formulation_name, link_name
from loadpath.engine.quantity import compiled_line
from loadpath.quantities.table import RobotQuantities
from loadpath.scalars import OperationCount

if TYPE_CHECKING:
    from loadpath.books import Books
    from loadpath.equations import Choice, Equations, Letters


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Readable(RobotQuantities):
    """A robot and what it reads like."""

    _purpose = "Equations and their cost"

    def operation_count(
        self,
        name: str = "inverse_dynamics",
        formulation: str = DEFAULT,
        link: str | None = None,
        *,
        as_written: bool = False,
    ) -> OperationCount:
        """Multiplications and additions per state that the function of that name executes: compiled, with the robot's
        constants folded in and nothing computed twice. With `as_written=True`, and where a formulation is not compiled
        because the robot is too large, those that the formulation's lines execute one after the other.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().operation_count("gravity_forces").functions > 0
        True
        >>> print(lp.catalog.random_dh_arm(6, seed=1).operation_count())
        386 multiplications, 328 additions, 10 functions
        """
        quantity = compiled_line(self, name, "function")
        method = getattr(self, name)
        if quantity.takes_link:
            link = link_name(method, link)
        return quantity.count(self, Variant(formulation_name(method, formulation), link), as_written=as_written)

    def equations(
        self,
        formulation: str = DEFAULT,
        parameters: Choice | None = None,
        *,
        letters: Letters | None = None,
        shapes: bool = True,
    ) -> Equations:
        """Equations of motion as SymPy expressions, by any formulation of the inverse dynamics. With
        `parameters="symbols"` every constant gets a symbol (m1, l1, c1x, I1xx, g), with a mapping the named ones get
        those given, like {"link1.mass": "m1", "joint2.origin.x": "l1"}; see `loadpath.equations.parameters`.

        `letters` are those of a source ("lau", "angeles", "course", "lecture"), for coordinates and speeds too, or a
        mapping like {"joint1.q": "theta1"}; constants are then symbols unless `parameters` says otherwise. Links that
        are rods, discs or bars have their moments in masses and lengths (m l^2/12), unless `shapes` is False.

        Of a robot with loops they are those of the open tree, with the constraints of the loops, their Jacobian and
        multipliers, and both reduced to the independent speeds: `loadpath.equations.ClosedEquations`.

        >>> import loadpath as lp
        >>> lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1).equations().mass_matrix
        Matrix([
        [2*cos(q2) + 3, cos(q2) + 1],
        [  cos(q2) + 1,           1]])
        >>> lp.catalog.two_link(distributed=True).equations(letters="course").mass_matrix[1, 1]
        l2**2*m2/3
        >>> lp.catalog.lau_arm().equations(letters="lau").gravity[2]
        M2*g*sin(theta2)
        >>> lp.catalog.slider_crank().equations(parameters="symbols").constraints
        Matrix([
        [-l1*cos(q1) - l2*cos(q1 + q2) + q3],
        [     -l1*sin(q1) - l2*sin(q1 + q2)]])
        """
        from loadpath import equations

        formulations = RobotQuantities.inverse_dynamics.formulations
        return equations.equations(self, formulations, formulation, parameters, letters, shapes=shapes)

    @cached_property
    def books(self) -> Books:
        """The objects of the sources under their own letters, compiled and batched: T and K of the natural orthogonal
        complement, the D_ikl of Lau, U_ij of the trace form, the linear system of the course notes.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().books.angeles.T([[0, 0], [1, 1]]).shape
        (2, 18, 2)
        """
        from loadpath.books import Books

        return Books(self)
