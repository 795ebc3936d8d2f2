"""What the motors of wheels do, and what steering takes, in given states: from forces of the ground to the shafts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import warn
from loadpath.mobile.on_patches import static_friction
from loadpath.parts.part import Check, Instant, not_checked
from loadpath.robot.wheels.contacts import Contact
from loadpath.robot.wheels.tracks import named_tracks
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.rover import Rover
    from loadpath.parts.verdict.duties import Block

TORQUE, RMS, SPEED, POWER = "motor torque", "motor RMS torque", "motor speed", "motor power"
BRAKE, STEERING = "brake holds", "steering torque"
_STANDS = 1e-9
"""m/s, rad/s: slower is standing."""


@dataclass(frozen=True, eq=False)
class WheelMotors:
    """Motors of the wheels that have a `drive`, at their shafts; (..., contacts) each, NaN of wheels without one.

    `torque` (N m) with what accelerates the rotor and what the gear loses; `speed` (rad/s); `power` (W). The pieces of
    a track have equal shares of its torque. Shares of the limits: `torque_share` of the torque at that speed,
    `speed_share`, `power_share`; zero where nothing is limited. `steering_torque` (N m about the steering axis) is
    what turns a steered wheel with a `patch_radius` where it stands; `steering_share` that of what its drive has.

    >>> import loadpath as lp
    >>> drive = lp.WheelDrive(peak_torque=1.0, ratio=20, efficiency=0.8)
    >>> wheels = [lp.FixedWheel((0, y), 0.1, drive=drive) for y in (0.3, -0.3)] + [lp.CasterWheel((0.5, 0), 0.05)]
    >>> cart = lp.WheeledBase(mass=40, center_of_mass=(0.1, 0, 0.2), wheels=wheels).carrying()
    >>> motors = cart.wheel_loads([], velocity=(1.0, 0.0), acceleration=(2.0, 0.0)).motors
    >>> motors.torque.round(6).tolist(), motors.torque_share[0].round(6).item()        # 80 N x 0.1 m / 2 / 20 / 0.8
    ([0.25, 0.25, nan], 0.25)
    """

    names: tuple[str, ...]
    torque: Floats
    speed: Floats
    power: Floats
    torque_share: Floats
    speed_share: Floats
    power_share: Floats
    steering_torque: Floats
    steering_share: Floats


def wheel_motors(loads: WheelLoads) -> WheelMotors:
    """From what the wheels carry."""
    rover, state = loads.state.rover, loads.state
    wheels, shape = rover.arrangement, loads.normal.shape
    if state.free is not None:
        rate, change = state.free.wheel_rates, state.free.wheel_accelerations
    else:
        rows = wheels.rate_rows(state.placed)
        rate, change = (np.broadcast_to((rows @ part[..., None])[..., 0], shape)
                        for part in (state.speeds, state.accelerations))
    about = of_axles(rover, loads.drive_torque)
    found = {name: np.full(shape, np.nan) for name in (
        "torque", "speed", "power", "torque_share", "speed_share", "power_share", "steering_torque", "steering_share")}
    for k, wheel in enumerate(wheels.wheels):
        drive = wheel.drive
        if drive is not None:
            speed = abs(drive.ratio) * rate[..., k]
            torque = drive.motor_torque(about[..., k], rate[..., k], change[..., k])
            power = np.abs(torque * speed)
            found["torque"][..., k], found["speed"][..., k], found["power"][..., k] = torque, speed, power
            found["torque_share"][..., k] = _share(np.abs(torque), drive.torque_at(speed))
            found["speed_share"][..., k] = np.abs(speed) / drive.largest_speed
            found["power_share"][..., k] = power / (np.inf if drive.power is None else drive.power)
        if wheel.steered_by_drive and wheel.patch_radius:
            normal = np.maximum(loads.normal[..., k], 0.0)
            found["steering_torque"][..., k] = wheel.scrub_torque(static_friction(state, k), normal)
            if wheel.steering_drive is not None:
                found["steering_share"][..., k] = _share(found["steering_torque"][..., k],
                                                         wheel.steering_drive.most_torque(0.0))
    return WheelMotors(names=loads.names, **found)


def of_axles(rover: Rover, torques: Floats) -> Floats:
    """Torques (..., contacts) with those of the pieces of a track, which one sprocket moves, evenly shared."""
    tracks = named_tracks(rover.base.wheels)
    if not tracks:
        return torques
    result = torques.copy()
    for those in tracks.values():
        result[..., those] = torques[..., those].mean(axis=-1, keepdims=True)
    return result


def warn_of_torques(rover: Rover, torques: Floats, rates: Callable[[], Floats], caller: str) -> None:
    """A warning where torques (..., contacts) are beyond what the drives of their wheels, with their brakes, have."""
    for k, wheel in enumerate(rover.base.wheels):
        drive = wheel.drive
        if drive is None or not drive.limits_torque or not np.abs(torques[..., k]).max(initial=0.0) > 0:
            continue
        rate = rates()[..., k]
        most = drive.most_torque(rate) + (drive.most_brake or 0.0)
        used, most, rate = np.broadcast_arrays(np.abs(torques[..., k]), most, rate)
        beyond = np.where(used > most * (1 + 1e-9), used - most, 0.0)
        if beyond.any():
            at = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
            warn(f"{caller}: {used[at]:.4g} N m are given to wheel '{wheel.name}', and its drive has {most[at]:.4g} N "
                 f"m at {abs(rate[at]):.4g} rad/s; simulate cuts torques to what a drive has, here they act as given")
            return


def _share(used: Floats, most: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(most > 0, used / most, np.where(used > 0, np.inf, 0.0 * used))


class MotorChecks:
    """The drives of a rover's wheels over motions, block by block: torque, RMS, speed, power, brake, steering."""

    def __init__(self, rover: Rover) -> None:
        self.rover = rover
        self.wheels = [(k, wheel) for k, wheel in enumerate(rover.base.wheels)
                       if wheel.drive is not None or wheel.steering_drive is not None]
        self.worst: dict[tuple[int, str], tuple[float, float, float, Instant]] = {}
        """By wheel and check: utilisation, demand, capacity, when."""
        self.sums: dict[int, Floats] = {}

    def add(self, loads: WheelLoads, block: Block) -> None:
        """The next states."""
        motors, rows = loads.motors, len(block)
        stands = np.broadcast_to((np.abs(loads.state.velocity) < _STANDS).all(axis=-1), (rows,))

        def column(values: Floats, k: int) -> Floats:
            return np.broadcast_to(values, (rows, values.shape[-1]))[:, k]

        for k, wheel in self.wheels:
            drive, steering = wheel.drive, wheel.steering_drive
            if drive is not None:
                torque, speed = np.abs(column(motors.torque, k)), np.abs(column(motors.speed, k))
                if drive.peak_torque is not None or drive.intermittent_curve is not None or drive.power is not None:
                    self._keep(k, TORQUE, column(motors.torque_share, k), torque, drive.torque_at(speed), block)
                if np.isfinite(drive.largest_speed):
                    self._keep(k, SPEED, speed / drive.largest_speed, speed, drive.largest_speed, block)
                if drive.power is not None:
                    power = column(motors.power, k)
                    self._keep(k, POWER, power / drive.power, power, drive.power, block)
                if drive.most_brake is not None and stands.any():
                    held = np.where(stands, np.abs(column(of_axles(self.rover, loads.drive_torque), k)), 0.0)
                    self._keep(k, BRAKE, held / drive.most_brake, held, drive.most_brake, block)
                if drive.continuous_torque is not None:
                    known = np.isfinite(torque)
                    weight = np.where(known, block.weight, 0.0)
                    added = np.array([weight.sum(), weight @ np.where(known, torque, 0.0) ** 2])
                    self.sums[k] = self.sums.get(k, np.zeros(2)) + added
            if steering is not None:
                needed, most = column(motors.steering_torque, k), float(steering.most_torque(0.0))
                self._keep(k, STEERING, needed / most, needed, most, block)

    def _keep(
        self, k: int, check: str, share: Floats, used: Floats, most: Floats | float, block: Block
    ) -> None:
        if not np.isfinite(used).any():
            return
        i = int(np.nanargmax(share))
        old = self.worst.get((k, check))
        if old is None or share[i] > old[0]:
            sample = block.first + i
            at = Instant(block.duty.number, sample, block.duty.time_of(sample))
            self.worst[k, check] = float(share[i]), float(used[i]), float(np.broadcast_to(most, used.shape)[i]), at

    def checks(self) -> list[tuple[str, str, Check]]:
        """Wheel (or track), name of its drive, and check."""
        units = {TORQUE: "N m", SPEED: "rad/s", POWER: "W", BRAKE: "N m", STEERING: "N m"}
        found, seen = [], set[tuple[str, str]]()
        for k, wheel in self.wheels:
            name = wheel.track or wheel.name
            pieces = sum(1 for other in self.rover.base.wheels if wheel.track and other.track == wheel.track) or 1
            for check, unit in units.items():
                if (k, check) not in self.worst or (name, check) in seen:
                    continue
                share, used, most, at = self.worst[k, check]
                scale = 1 if check == SPEED else pieces  # each piece has its share of the motor
                seen.add((name, check))
                found.append((name, _label(wheel, check), Check(check, used * scale, most * scale, unit, share, at)))
            if k in self.sums and (name, RMS) not in seen:
                assert wheel.drive is not None and wheel.drive.continuous_torque is not None
                seen.add((name, RMS))
                weight, square = self.sums[k]
                rms, most = float(np.sqrt(square / (weight or 1.0))), wheel.drive.continuous_torque
                found.append((name, _label(wheel, RMS), Check(RMS, rms * pieces, most * pieces, "N m", rms / most)))
            if wheel.steering_drive is not None and (k, STEERING) not in self.worst:
                why = "no patch_radius of the wheel, or its friction is not known"
                found.append((name, _label(wheel, STEERING), not_checked(STEERING, why, "N m")))
        return found


def _label(wheel: Contact, check: str) -> str:
    drive, kind = (wheel.steering_drive, "steering drive") if check == STEERING else (wheel.drive, "wheel drive")
    return drive.name if drive is not None and drive.name else kind

