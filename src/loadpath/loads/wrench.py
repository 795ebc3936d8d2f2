"""Wrenches: a force and a torque with a stated point and stated axes, never six bare numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Axes = Literal["world", "link", "joint"]


@dataclass(frozen=True, eq=False)
class Wrench:
    """A force (N) and a torque (N m) about the point where the force acts; each (..., 3).

    As an external wrench it acts *on* a link, at the origin of the link's frame, with components in world axes
    or, with `axes="link"`, in the axes of the link's frame. A joint wrench has `axes="joint"`: it acts at the
    joint's origin and is in the child link's joint frame, which need not be the link's own frame.

    >>> Wrench(force=(0, 0, -50)).torque
    array([0., 0., 0.])
    """

    force: NDArray[np.float64] = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # both made arrays below
    torque: NDArray[np.float64] = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    axes: Axes = "world"

    def __post_init__(self) -> None:
        for part in ("force", "torque"):
            value: Any = getattr(self, part)
            if not (hasattr(value, "dtype") and hasattr(value, "shape")):  # Dask and JAX arrays stay what they are
                value = np.asarray(value)
            if value.dtype.kind not in "biuf" or value.ndim == 0 or value.shape[-1] != 3:
                raise ValueError(f"{part} of a wrench has the shape {value.shape} and dtype {value.dtype}: "
                                 "expected real numbers of the shape (..., 3)")  # fmt: skip
            object.__setattr__(self, part, value if value.dtype.kind == "f" else value.astype(float))
        try:
            np.broadcast_shapes(self.force.shape, self.torque.shape)
        except ValueError:
            raise ValueError(f"force and torque of a wrench have the shapes {self.force.shape} and "
                             f"{self.torque.shape}, which do not go together") from None  # fmt: skip
        if self.axes not in ("world", "link", "joint"):
            raise ValueError(f"axes of a wrench are {self.axes!r}: expected 'world', 'link' or 'joint'")


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """Force and torque at every joint, each (..., joints, 3): at the joint's origin, in the child link's joint
    frame, exerted by the parent on the child. Joints are in the order of `joint_names`, fixed ones too.
    """

    force: NDArray[np.float64]
    torque: NDArray[np.float64]
    joint_names: tuple[str, ...]

    def __getitem__(self, joint: str) -> Wrench:
        """The wrench at one joint, by its name."""
        if joint not in self.joint_names:
            raise ValueError(f"no joint '{joint}'; there are {', '.join(self.joint_names)}")
        k = self.joint_names.index(joint)
        return Wrench(self.force[..., k, :], self.torque[..., k, :], axes="joint")

    __iter__ = None  # a joint wrench is found by its name; `force, torque = ...` would mistake names for numbers
