"""The compiled parts of a flexible arm in motion.

What a step of a rod and a mass point do is the same for every arm, and compiled once; only the walk from the base
outwards is an arm's own, so that its program stays short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.structure.motion_in_time.chain import Chain
from loadpath.structure.motion_in_time.mass_point import mass_point
from loadpath.structure.motion_in_time.rod_step import rod_step
from loadpath.structure.motion_in_time.walk import chain_motion


@dataclass(frozen=True)
class _EveryArm:
    """The subject of what is the same for every arm."""

    name: str = "every arm"
    n: int = 0
    defined_by: tuple[object, ...] = ()

    @property
    def sizes(self) -> Mapping[str, int]:
        return {}


def _itself(subject: Chain | _EveryArm) -> Chain | _EveryArm:
    return subject


class _Kernels:
    rod_step = Compiled(
        rod_step, "(12),(12),()->(3,3),(5,3),(12,6)", _itself, "One step along a rod.", public_name="simulate"
    )
    mass_point = Compiled(
        mass_point,
        "(8,3),(3),(),(3),(3,3)->(6,6),(6),()",
        _itself,
        "Inertia and bias wrench of a mass point.",
        public_name="simulate",
    )
    chain_motion = Compiled(
        chain_motion,
        "(q),(n),(k,3,3),(k,5,3)->(j,6),(k,6,6),(m,8,3),(m,6),()",
        _itself,
        "Where the bodies of a flexible arm are, and how they move.",
        takes_external=True,
        public_name="simulate",
    )


_EVERY_ARM = _EveryArm()
every_rod_step = CompiledMethod(_EVERY_ARM, _Kernels.rod_step)
every_mass_point = CompiledMethod(_EVERY_ARM, _Kernels.mass_point)


def motion_of(chain: Chain) -> CompiledMethod:
    """The compiled `chain_motion`."""
    return CompiledMethod(chain, _Kernels.chain_motion)
