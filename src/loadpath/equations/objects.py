"""The objects that equations have: what they mean, what they are called on paper, and their parts.

A value is an expression, a matrix, or named parts of them (by link, by joint, by cause, a force and a torque).
`pieces` takes it apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import NamedTuple

import numpy as np
import sympy

from loadpath.equations.letters.schemes import Scheme
from loadpath.equations.typeset import label_latex

Value = object
"""A SymPy expression or matrix, or named parts of them."""


@dataclass(frozen=True)
class Described:
    """What an object is."""

    meaning: str
    letter: str
    """In LaTeX; a source may have another."""
    text: str = ""
    """In plain text, where it is short."""
    title: str = ""
    """Its heading, where the name is none."""


OBJECTS: dict[str, Described] = {
    "link_poses": Described("Pose of each link's frame in the world: the kinematic model.", "T"),
    "velocities": Described("Velocity of each link: of its frame's origin, and angular.", "v"),
    "jacobians": Described("Jacobian of each link at its frame's origin, linear rows first.", "J"),
    "T": Described("Natural orthogonal complement: twists of all links per unit of each speed, t = T qd.", "T", "T",
                   "natural orthogonal complement"),
    "T_dot": Described("Time derivative of the natural orthogonal complement.", r"\dot{T}",
                       title="rate of the natural orthogonal complement"),
    "K": Described("Velocity constraints of the joints on the twists of all links: K t = 0, K T = 0.", "K", "K",
                   "constraint matrix"),
    "kinetic_energies": Described("Kinetic energy of each link, without rotors.", "K"),
    "potential_energies": Described("Potential energy of each link.", "P"),
    "kinetic_energy": Described("Kinetic energy.", "K", "K"),
    "potential_energy": Described("Potential energy.", "P", "P"),
    "lagrangian": Described("Lagrangian, kinetic less potential energy.", "L", "L"),
    "dL_dq": Described("Derivatives of the Lagrangian by the coordinates.", r"(\partial L/\partial q)",
                       title="derivatives of the Lagrangian"),
    "dL_dqd": Described("Derivatives of the Lagrangian by the speeds: the generalized momenta.", "p", "p",
                        "generalized momenta"),
    "mass_matrix": Described("Mass matrix M(q), rotors included.", "M", "M"),
    "coriolis_matrix": Described("Coriolis matrix C(q, qd) by the Christoffel symbols: dM/dt - 2 C is skew.", "C", "C"),
    "centrifugal": Described("Coefficients of the squares of the speeds.", "B", "B"),
    "coriolis": Described("Coefficients of the products of two speeds, half under each order.", "C", "C"),
    "velocity_forces": Described("Centrifugal and Coriolis forces together, h(q, qd).", "h", "h"),
    "gravity": Described("Gravity forces G(q).", "G", "G"),
    "friction": Described("Forces against friction, F(qd).", "F", "F"),
    "torques": Described("Forces of the drives.", r"\tau", "tau"),
    "joint_wrenches": Described("Force and torque in every joint, by the parent on the child, in joint axes.", "w"),
    "wrenches_by_cause": Described("Force and torque in every joint, each cause by itself.", "w"),
    "constraint_wrenches": Described("Constraint wrenches of all links about their mass centers, torques first.",
                                     "w^{C}"),
    "constraints": Described("What is zero while the loops are closed.", r"\phi", "phi"),
    "constraint_jacobian": Described("Jacobian of the constraints: J qd = 0.", "J", "J"),
    "constraint_rate": Described("What the constraints accelerate by at constant speeds: J qdd + gamma = 0.",
                                 r"\gamma", "gamma"),
    "multipliers": Described("Multipliers of the constraints.", r"\lambda", "lambda"),
    "complement": Described("All speeds per unit of each independent one: J T = 0.", "T", "T"),
    "open_torques": Described("What the open tree would take in all its joints.", r"\tau_{\mathrm{open}}"),
    "equations_of_motion": Described("What is zero in every motion.", r"\varepsilon"),
    "reduced_mass_matrix": Described("Mass matrix of the independent speeds.", r"M_{\mathrm{red}}"),
    "reduced_gravity": Described("Gravity forces at the independent speeds.", r"G_{\mathrm{red}}"),
    "reduced_torques": Described("What the drives together do at the independent speeds.", r"\tau_{\mathrm{red}}"),
}
"""By the name of the attribute, in the order of a book."""

_FIELDS = {"force": "f", "torque": "n", "linear": "v", "angular": r"\omega", "total": ""}
"""Parts that have a letter of their own."""
_VECTORS = frozenset(_FIELDS)
Path = tuple[str, ...]


class Piece(NamedTuple):
    """An expression or matrix of an object, and where it is in it."""

    path: Path
    value: sympy.Expr | sympy.MatrixBase
    indices: tuple[int, ...] = ()
    """Of a matrix in an array with more indices: the first ones, counted from 1."""

    @property
    def name(self) -> str:
        """In plain text, "theta1.force"; of a matrix in an array, "2.1"."""
        return ".".join((*self.path, *map(str, self.indices)))

    @property
    def is_vector(self) -> bool:
        """Whether its rows are x, y, z."""
        return (
            isinstance(self.value, sympy.MatrixBase) and self.value.shape == (3, 1) and bool(_VECTORS & set(self.path))
        )

    def head(self, letter: str) -> str:
        """The left side of its equation in LaTeX: a letter, the first name below it, the others above it."""
        own = [part for part in self.path if _FIELDS.get(part)]
        names = [label_latex(part) for part in self.path if part not in _FIELDS]
        head = _FIELDS[own[-1]] if own else letter
        if not head:  # the parts are the letters: M, B and C of the course notes
            return ",".join(self.path)
        names = [*([self.numbered] if self.indices else []), *names]
        if names:
            head = f"{head}_{{{names[0]}}}"
        return f"{head}^{{{','.join(names[1:])}}}" if names[1:] else head

    @property
    def numbered(self) -> str:
        """The indices of a matrix in an array: "21", with commas where one has two digits."""
        return ("," if max(self.indices, default=0) > 9 else "").join(map(str, self.indices))


def pieces(value: object, path: Path = ()) -> Iterator[Piece]:
    """The expressions and matrices of a value.

    >>> x = sympy.Symbol("x")
    >>> [piece.name for piece in pieces({"arm": {"force": sympy.Matrix([x, 0, 0]), "torque": x}})]
    ['arm.force', 'arm.torque']
    """
    if isinstance(value, (sympy.Expr, sympy.MatrixBase)):
        yield Piece(path, value)
    elif isinstance(value, sympy.NDimArray):
        for first in np.ndindex(*value.shape[:-2]):
            yield Piece(path, sympy.Matrix(value[first]), tuple(k + 1 for k in first))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            names = key if isinstance(key, tuple) else (key,)
            yield from pieces(part, (*path, *map(str, names)))
    elif hasattr(value, "force") and hasattr(value, "torque"):
        yield Piece((*path, "force"), value.force)
        yield Piece((*path, "torque"), value.torque)
    elif is_dataclass(value) or hasattr(value, "_fields"):
        for name in getattr(value, "_fields", ()) or getattr(value, "__dataclass_fields__", ()):
            yield from pieces(getattr(value, name), (*path, name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for k, part in enumerate(value):
            yield from pieces(part, (*path, str(k + 1)))


def letter(name: str, scheme: Scheme) -> str:
    """The letter of an object on paper, as the source has it."""
    return scheme.heads.get(name) or OBJECTS[name].letter
