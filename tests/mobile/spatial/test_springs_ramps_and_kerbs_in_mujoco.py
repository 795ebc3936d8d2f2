"""Wheels on springs over ramps, kerbs and a step down, against MuJoCo with the same stiffness and damping of the tyres.

A contact of MuJoCo has the force -(k r + c v)/((1 - d) A) - d a/((1 - d) A) at the depth -r, with its impedance d, the
inverse weight A of its body, and k and c of a negative `solref`: so a tyre is stated there exactly, but for an
added mass d/A, here `ADDED` of the hub. Its wheels are balls, which are discs while the base does not roll.
"""

import mujoco
import numpy as np
import pytest

import loadpath as lp

G, ADDED, STEP = 9.81, 1e-4, 1e-4
HALF, R, H = 0.35, 0.1, 0.2
"""m: half the distance of the axles, radius of the wheels, height of the mass center."""


def prism(corners, depth=2.0):
    """A convex piece of ground of a profile (x, z), as a mesh."""
    return " ".join(f"{x} {y} {z}" for x, z in corners for y in (-depth, depth))


class Cart:
    """Four wheels at (+-HALF, +-0.3) under a body; on springs of their own where hubs have a mass. In MuJoCo they are
    balls on a plane at the height `floor` and on `pieces` (profiles).
    """

    def __init__(self, *pieces, floor=0.0, mass=30.0, inertia=2.0, tyre=(3e4, 300.0), hub=0.0, strut=(0.0, 0.0)):
        self.mass, self.inertia, self.tyre, self.hub, self.strut = mass, inertia, tyre, hub, strut
        self.pieces, self.floor = pieces, floor

    def rover(self, surface):
        parts = {"stiffness": self.tyre[0], "damping": self.tyre[1]}
        if self.hub:
            parts["suspension"] = lp.Suspension(stiffness=self.strut[0], damping=self.strut[1], unsprung_mass=self.hub,
                                                preload=(self.mass / 4 - self.hub) * G)
        wheels = [lp.CasterWheel((x, y), R, **parts) for x in (HALF, -HALF) for y in (0.3, -0.3)]
        base = lp.WheeledBase(mass=self.mass, center_of_mass=(0, 0, H), inertia=np.diag([0.5, 1.0, 1.0]) * self.inertia,
                              wheels=wheels, friction=lp.WheelFriction(0.8))
        return base.carrying(ground=lp.Ground(surface=surface))

    def model(self, solref):
        own = f'solref="{-solref[0]:.15g} {-solref[1]:.15g}" solimp="{ADDED} {ADDED} 1 0.5 2"'
        contact = f'condim="1" priority="1" {own}'
        spots = [(x, y) for x in (HALF, -HALF) for y in (0.3, -0.3)]
        sprung = self.mass - 4 * self.hub
        # The body without its hubs: its mass center and inertia about it.
        high = (self.mass * H - 4 * self.hub * R) / sprung
        Iy = self.inertia - sprung * (high - H) ** 2 - 4 * self.hub * (HALF**2 + (R - H) ** 2)
        if self.hub:
            preload = (self.mass / 4 - self.hub) * G
            slide = (f'<joint type="slide" axis="0 0 1" stiffness="{self.strut[0]}" damping="{self.strut[1]}" '
                     f'springref="{-preload / self.strut[0]:.15g}"/>')
            wheels = "".join(
                f'<body pos="{x} {y} {R}">{slide}<inertial pos="0 0 0" mass="{self.hub}" diaginertia="1e-9 1e-9 1e-9"/>'
                f'<geom type="sphere" size="{R}" {contact}/></body>' for x, y in spots)
        else:
            wheels = "".join(f'<geom type="sphere" size="{R}" pos="{x} {y} {R}" {contact}/>' for x, y in spots)
        meshes = "".join(f'<mesh name="piece{k}" vertex="{prism(piece)}"/>' for k, piece in enumerate(self.pieces))
        pieces = "".join(f'<geom type="mesh" mesh="piece{k}"/>' for k in range(len(self.pieces)))
        return mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler inertiafromgeom="false" boundmass="1e-12" boundinertia="1e-12"/>'
            f'<option timestep="{STEP}" integrator="RK4" cone="elliptic" ccd_tolerance="1e-12" tolerance="1e-14" '
            f'iterations="200"/><asset>{meshes}</asset><worldbody>{pieces}'
            f'<geom type="plane" size="50 50 1" pos="0 0 {self.floor}"/><body>'
            f'<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
            f'<joint type="hinge" axis="0 1 0"/><inertial pos="0 0 {high:.15g}" mass="{sprung:.15g}" '
            f'diaginertia="{Iy:.15g} {Iy:.15g} {Iy:.15g}"/>{wheels}</body></worldbody></mujoco>')

    def in_mujoco(self, run):
        """(times, 3): x, z and pitch from the first state of a run on."""
        ball = mujoco.mjtGeom.mjGEOM_SPHERE
        model = self.model((1.0, 1.0))
        geom = int(np.flatnonzero(model.geom_type == ball)[0])
        weight = float(model.body_invweight0[model.geom_bodyid[geom], 0])
        model = self.model([value * (1 - ADDED) * weight for value in self.tyre])
        data = mujoco.MjData(model)
        c, s, v = np.cos(run.pitch[0]), np.sin(run.pitch[0]), run.base_velocity[0]
        data.qpos[:3] = run.position[0, 0], run.position[0, 2], run.pitch[0]
        data.qvel[:3] = v[0] * c + v[2] * s, -v[0] * s + v[2] * c, v[4]
        if self.hub:
            data.qpos[3:] = run.suspension_travel[0]
        found = []
        for _ in range(round(run.times[-1] / STEP) + 1):
            found.append(data.qpos.copy())
            mujoco.mj_step(model, data)
        times = STEP * np.arange(len(found))
        return np.column_stack([np.interp(run.times, times, each) for each in np.array(found).T])


def check(cart, surface, within, **options):
    """Simulate on both sides: x, z, pitch and the travel of suspensions agree."""
    run = cart.rover(surface).simulate(sample_rate=100, **options)
    own = np.column_stack([run.position[:, 0], run.position[:, 2], run.pitch,
                           *([run.suspension_travel] if cart.hub else [])])
    assert np.abs(own - cart.in_mujoco(run)).max() < within
    assert run.energy_drift < 1e-5
    return run


def test_over_a_crest_and_down_a_ramp():
    slope = 0.15
    crest = [(-5, 0), (0.6, 0), (3, -2.4 * np.tan(slope)), (3, -1), (-5, -1)]
    run = check(Cart(crest, floor=-5.0), lp.Ramp(at=0.6, slope=-slope, length=2.4), 1e-5, velocity=(1.5, 0),
                duration=0.5)
    assert run.of_kind("lifts") and run.of_kind("lands") and run.pitch[-1] > 0.1


def test_down_a_step_on_suspensions():
    """The wheels leave the edge, and land before the base has fallen as far."""
    edge = [(-5, 0), (1.0, 0), (1, -1), (-5, -1)]
    cart = Cart(edge, floor=-0.05, mass=400.0, inertia=60.0, tyre=(5e4, 100.0), hub=8.0, strut=(6e3, 500.0))
    run = check(cart, lp.Kerb(at=1.0, step=-0.05), 1e-5, velocity=(4.0, 0), duration=0.4)
    assert run.of_kind("lifts") and run.of_kind("lands") and np.ptp(run.suspension_travel) > 0.05


@pytest.mark.parametrize("speed", [1.0, pytest.param(0.5, marks=pytest.mark.slow)])
def test_against_a_kerb(speed):
    """The fast one climbs, the slow one is thrown back: by the impulse that changes its speed."""
    kerb = [(1.0, 0.03), (3, 0.03), (3, -1), (1, -1)]
    run = check(Cart(kerb), lp.Kerb(at=1.0, step=0.03), 1e-4, velocity=(speed, 0), pose=(0.52, 0, 0), duration=0.4)
    assert run.velocity[-1, 0] > 0.5 if speed > 0.9 else run.velocity[-1, 0] < -0.3


@pytest.mark.parametrize("slope", [1e-9, pytest.param(1e-3, marks=pytest.mark.slow)])
def test_the_foot_of_a_ramp_that_hardly_rises_is_not_felt(slope):
    """A tyre that is pressed into road and ramp stands on one of them: its load is not that of both together."""
    run = Cart().rover(lp.Ramp(at=0.6, slope=slope, length=2.4)).simulate(velocity=(2.0, 0), duration=0.25)
    assert run.position[-1, 0] + HALF > 0.8
    assert np.abs(run.normal / run.normal[0] - 1).max() < 1e-6 + 60 * slope and run.energy_drift < 1e-9


