"""The robots that two commits are compared on, of every kind, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import loadpath as lp
from real_robots import REAL_ROBOTS

TUBE, BAR, PROFILE = lp.Tube(0.03, 0.003), lp.Bar(0.03, 0.02), lp.RectangularTube(0.04, 0.06, 0.003)
ROD = lp.Rod(0.02)
Maker = Callable[[int], Any]


# Trees


def _limited(robot: Any) -> Any:
    """With limits of speed and effort, which payloads and verdicts are asked against."""
    return robot.with_limits({name: {"velocity": 3.0, "effort": 300.0} for name in robot.dof_names})


def _following(seed: int) -> lp.Robot:
    """A chain whose third joint follows its first."""
    chain = lp.catalog.random_chain(4, seed, ["revolute", "prismatic"], general=True, drives=True)
    joints = tuple(replace(joint, mimic=lp.Mimic("joint1", -0.5, 0.3)) if joint.name == "joint3" else joint
                   for joint in chain.joints)
    return replace(chain, joints=joints)


def _sprung(seed: int) -> lp.Robot:
    """Springs, a gear with losses and Stribeck friction."""
    arm = lp.catalog.planar(3, length=0.5, mass=3.0 + 0.1 * seed)
    spring = lp.LineSpring((0.0, 0.1, 0.0), (0.2, 0.02, 0.0), stiffness=800.0, free_length=0.15)
    friction = lp.Friction(1.0, coulomb=0.5)
    return _limited(arm).with_drives({
        "joint1": lp.Drive(ratio=80.0, rotor_inertia=2e-5, efficiency=(0.8, 0.7), friction=friction),
        "joint2": lp.Drive(ratio=50.0, spring=lp.TorsionSpring(20.0, 0.1, 3.0), no_load_torque=0.01),
        "joint3": lp.Drive(spring=spring, brake=0.5, torque_constant=0.1, resistance=0.4),
    })


def _fitted(seed: int) -> lp.Robot:
    """Parts with catalogue numbers, for verdicts."""
    ring = lp.CrossedRollerBearing(C=20e3, C0=30e3, dp=0.1, offset=0.02, permitted_moment=300)
    motor = lp.Motor(peak_torque=2, continuous_torque=1, max_speed=600, torque_constant=0.1, peak_current=30)
    flange = lp.BoltedFlange(bolts=8, circle=0.1, preload=8e3, proof_load=12e3, friction=0.12, load_factor=0.2)
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5, efficiency=(0.8, 0.7), no_load_torque=0.01)
    arm = _limited(lp.catalog.planar(3, length=0.4, mass=2.0 + 0.1 * seed)).with_drives({"joint1": drive})
    return arm.with_parts({"joint1": [ring, motor], "joint2": [flange], "joint3": ring})


TREES: dict[str, Maker] = {
    "two link": lambda seed: lp.catalog.two_link(distributed=True),
    "planar": lambda seed: _limited(lp.catalog.planar(3, mass=2.0)),
    "puma560": lambda seed: lp.catalog.puma560(),
    "stanford arm": lambda seed: lp.catalog.stanford_arm(),
    "ur5": lambda seed: lp.catalog.ur5(),
    "panda": lambda seed: lp.catalog.panda(),
    "lau arm": lambda seed: lp.catalog.lau_arm(),
    "six freedoms": lambda seed: lp.catalog.generalized(1),
    "dh arm": lambda seed: lp.catalog.random_dh_arm(4, 10 + seed),
    "chain": lambda seed: lp.catalog.random_chain(4, 20 + seed, general=True, drives=True),
    "chain of helices": lambda seed: lp.catalog.random_chain(3, 30 + seed, ["helical", "cylindrical"], general=True),
    "chain of balls": lambda seed: lp.catalog.random_chain(3, 40 + seed, ["spherical", "universal"], drives=True),
    "chain of slides": lambda seed: lp.catalog.random_chain(3, 50 + seed, ["planar", "translational", "fixed"]),
    "tree": lambda seed: lp.catalog.random_tree(6, 60 + seed, general=True, drives=True),
    "tree of all joints": lambda seed: lp.catalog.random_tree(8, 70 + seed, "all", general=True),
    "floating tree": lambda seed: lp.catalog.random_tree(4, 80 + seed, drives=True).floating(),
    "mimic": lambda seed: _following(90 + seed),
    "payload": lambda seed: _limited(lp.catalog.random_chain(4, 100 + seed, "revolute", drives=True)).with_payload(
        2.5, (0.1, 0.0, 0.05), inertia=np.diag([0.02, 0.03, 0.04])),
    "locked": lambda seed: lp.catalog.random_chain(5, 110 + seed, general=True).locked({"joint2": 0.4, "joint4": -0.3}),
    "reduced": lambda seed: lp.catalog.random_chain(3, 120 + seed, ["free", "revolute"]).reduced(
        {"joint1": ("rz", "x", "y")}),
    "generalized": lambda seed: lp.catalog.random_chain(2, 130 + seed, "revolute", drives=True).generalized(["joint2"]),
    "springs": _sprung,
    "parts": _fitted,
}


# Files

FILES = (
    "asr_twodof_description/TwoDofs", "double_pendulum_description/double_pendulum_continuous",
    "finger_edu_description/finger_edu", "iris_description/iris", "hextilt_description/hextilt_flying_arm_5",
    "kinova_description/kinova", "bolt_description/bolt", "so_arm_description/so101", "talos_data/talos_left_arm",
    "solo_description/solo", "panda_description/panda", "ur_description/ur5_robot",
)


def _of_file(name: str) -> Maker:
    return lambda seed: lp.load(REAL_ROBOTS[name])


URDFS: dict[str, Maker] = {f"{name.partition('/')[2]}.urdf": _of_file(name) for name in FILES if name in REAL_ROBOTS}


# Closed chains


def _belt(seed: int) -> Any:
    arm = lp.catalog.random_chain(3, 140 + seed, "revolute", general=True, drives=True)
    return arm.with_coupling({"joint3": 1.0, "joint1": 0.5}, name="belt", offset=0.3)


def _table(seed: int) -> Any:
    """Two arms that hold one box: more drives than freedoms."""
    arm = lp.catalog.planar(3, length=0.5, mass=2.0)
    across = lp.Pose.from_xyz_rpy((1.0, 0, 0), (0, 0, np.pi))
    at = [0.6, -1.2, 0.6]
    holds = {"left": lp.Hold(arm, grip=(-0.1, 0, 0)),
             "right": lp.Hold(arm, base=across, grip=lp.Pose.from_xyz_rpy((0.1, 0, 0), (0, np.pi, 0)))}
    return lp.grasp(holds, lp.Inertia(2.0, tensor=np.diag([0.01, 0.01, 0.01])), q={"left": at, "right": at})


CLOSED: dict[str, Maker] = {
    "four bar": lambda seed: lp.catalog.four_bar(),
    "four bar in space": lambda seed: lp.catalog.four_bar(spacing=0.05, gravity=(1.0, 2.0, -9.0)),
    "five bar": lambda seed: _limited(lp.catalog.five_bar()),
    "slider crank": lambda seed: lp.catalog.slider_crank(offset=0.02),
    "palletizer": lambda seed: lp.catalog.parallelogram_palletizer(),
    "excavator": lambda seed: lp.catalog.excavator(),
    "delta": lambda seed: lp.catalog.delta(),
    "stewart platform": lambda seed: lp.catalog.stewart_platform(),
    "belt": _belt,
    "four bar with payload": lambda seed: lp.catalog.four_bar().with_payload(0.5, (0.1, 0.02, 0.0), link="coupler"),
    "five bar locked": lambda seed: _five_bar_locked(),
    "four bar floating": lambda seed: lp.catalog.four_bar().floating(),
    "five bar driven elsewhere": lambda seed: lp.catalog.five_bar().with_driven("left_joint", "left_rod_joint"),
    "five bar with gears": lambda seed: lp.catalog.five_bar().with_drives(
        {"left_joint": lp.Drive(ratio=50.0, rotor_inertia=1e-5, efficiency=0.8, friction=lp.Friction(0.2, coulomb=0.1))}
    ),
    "two arms with a box": _table,
}


def _five_bar_locked() -> Any:
    bars = lp.catalog.five_bar()
    return bars.locked({"right_joint": bars.home[bars.dof_names.index("right_joint")]})


# Beams


def _ends(count: int) -> dict[str, str]:
    return {f"link{k}": f"joint{k + 1}" if k < count else "tip_joint" for k in range(1, count + 1)}


def _of_tubes(seed: int, count: int = 3, **options: Any) -> Any:
    arm = _limited(lp.catalog.planar(count, length=0.6, mass=2.0))
    sections = (TUBE, PROFILE, BAR)
    return arm.with_beams({link: lp.Beam(sections[k % 3], lp.ALUMINIUM, end=end)
                           for k, (link, end) in enumerate(_ends(count).items())}, **options)


def _tapered(seed: int) -> Any:
    ends = _ends(2)
    beams = {
        "link1": lp.Beam(segments=[(1.0, BAR, lp.STEEL, lp.Bar(0.02, 0.01))], end=ends["link1"]),
        "link2": lp.Beam(segments=[(0.4, TUBE, lp.STEEL), (0.6, lp.Tube(0.02, 0.002), lp.TITANIUM)], end=ends["link2"]),
    }
    return lp.catalog.planar(2, length=0.8, mass=3.0).with_beams(beams)


def _rods(seed: int) -> Any:
    """Rods in random directions, joints about random axes, one of them sliding."""
    rng = np.random.default_rng(150 + seed)
    links, joints, beams = [lp.Link("base")], [], {}
    sections = [PROFILE, TUBE, lp.IBeam(0.05, 0.06, 0.005, 0.004)]
    ends = [0.5 * v / np.linalg.norm(v) for v in rng.normal(size=(3, 3))]
    origin = _pose(rng, rng.normal(size=3))
    for k, end in enumerate(ends, start=1):
        axis = tuple(rng.normal(size=3))
        motion = lp.Prismatic(axis) if k == 2 else lp.Revolute(axis)
        joints.append(lp.Joint(f"joint{k}", links[-1].name, f"link{k}", motion, origin))
        links.append(lp.Link(f"link{k}", lp.Inertia(1.2, tuple(end / 2), (0.02 * np.eye(3)).tolist())))
        beams[f"link{k}"] = lp.Beam(sections[k - 1], lp.ALUMINIUM, end=_ends(3)[f"link{k}"])
        origin = _pose(rng, end)
    joints.append(lp.Joint("tip_joint", "link3", "tip", lp.Fixed(), origin))
    links.append(lp.Link("tip", lp.Inertia(0.8, (0.02, 0.01, -0.03), np.diag([2e-3, 3e-3, 2.5e-3]).tolist())))
    return lp.Robot("rods", tuple(links), tuple(joints)).with_beams(beams)


def _pose(rng: np.random.Generator, translation: Any) -> lp.Pose:
    matrix, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    matrix = matrix * np.sign(np.diag(upper))
    matrix = matrix if np.linalg.det(matrix) > 0 else -matrix
    return lp.Pose(matrix.tolist(), np.asarray(translation).tolist())


def _branching(seed: int) -> Any:
    """Two arms on one link whose two beams part; joints that give way, one on the ground, one damped."""
    rng = np.random.default_rng(160 + seed)

    def link(name: str) -> lp.Link:
        return lp.Link(name, lp.Inertia(20.0, tuple(rng.normal(size=3) * 0.2), (20.0 * np.eye(3)).tolist()))

    joints = (
        lp.Joint("turn", "base", "post", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0.1, 0.2, 0.3))),
        lp.Joint("a", "post", "left", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.4, 0.1, 1.0))),
        lp.Joint("b", "post", "right", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(-0.3, 0.0, 0.8))),
    )
    beams = {
        "post": [lp.Beam(TUBE, lp.STEEL, end="a"), lp.Beam(BAR, lp.STEEL, end="b")],
        "right": lp.Beam(segments=[(1.0, BAR, lp.ALUMINIUM, lp.Bar(0.01, 0.02))], end=(0.5, 0.5, 0.0)),
        "left": lp.Beam(TUBE, lp.STEEL, end=(0.5, 0.0, 0.4)),
    }
    soft = np.diag([1e-7, 2e-7, 3e-7, 1e-5, 2e-5, 4e-5]) + 1e-8
    springs = {
        "turn": lp.JointCompliance(resolved=tuple(map(tuple, soft.tolist())), resolved_on_ground=True),
        "a": lp.JointCompliance(drive=300.0, damping=2.0),
    }
    links = (lp.Link("base"), link("post"), link("left"), link("right"))
    return lp.Robot("branching", links, joints).with_beams(beams, joint_compliance=springs)


def _telescope(stages: int, **guide: Any) -> Any:
    """A boom on a luffing joint, each stage 4 m long and drawn out by up to 3 m."""
    sections = (lp.RectangularTube(0.2, 0.3, 0.008), lp.RectangularTube(0.16, 0.25, 0.006),
                lp.RectangularTube(0.12, 0.2, 0.006))
    links, beams = [lp.Link("base")], {}
    joints = [lp.Joint("luff", "base", "stage1", lp.Revolute((0, -1, 0)))]
    for k in range(1, stages + 1):
        start = 0.0 if k == 1 else -3.8
        ends = {"start": (start, 0, 0), "end": (start + 4.0, 0, 0)}
        links.append(lp.Link(f"stage{k}", lp.Inertia(120.0, (start + 1.7, 0.0, 0.1), (12.0 * np.eye(3)).tolist())))
        held = None if k == 1 else lp.Guide(front=0.0, tail=-3.6, **guide)
        beams[f"stage{k}"] = lp.Beam(sections[k - 1], lp.STEEL, **ends, guide=held)
        if k < stages:
            at, limits = lp.Pose(translation=(start + 3.9, 0, 0)), lp.Limits(lower=0.0, upper=3.0)
            joints.append(lp.Joint(f"slide{k}", f"stage{k}", f"stage{k + 1}", lp.Prismatic((1, 0, 0)), at,
                                   limits=limits))
    links.append(lp.Link("hook", lp.Inertia(300.0, (0.0, 0.0, -0.2), (0.5 * np.eye(3)).tolist())))
    joints.append(lp.Joint("tip", f"stage{stages}", "hook", lp.Fixed(), lp.Pose(translation=(start + 4.0, 0, 0))))
    return lp.Robot(f"telescope{stages}", tuple(links), tuple(joints)).with_beams(beams)


BEAMS: dict[str, Maker] = {
    "tubes": _of_tubes,
    "weighed tubes": lambda seed: _of_tubes(seed, 2, inertia_from_beams=True),
    "tapered": _tapered,
    "rods": _rods,
    "branching": _branching,
    "compliant joints": lambda seed: lp.catalog.random_chain(3, 170 + seed, "revolute", drives=True).with_beams(
        joint_compliance={"joint1": lp.JointCompliance(drive=2e4), "joint3": lp.JointCompliance(rotation=3e4,
                                                                                                translation=1e6)}),
    "telescope": lambda seed: _telescope(2, torsion="front"),
    "three stages": lambda seed: _telescope(3, along="front"),
    "tubes with payload": lambda seed: _of_tubes(seed, 2).with_payload(1.5, (0.05, 0.0, 0.02)),
    "tubes locked": lambda seed: _of_tubes(seed, 3).locked({"joint2": 0.4}),
    "floating tube": lambda seed: _of_tubes(seed, 1).floating(),
}


# Closed chains of beams


def _four_bar_of_rods(seed: int) -> Any:
    ends = {"crank": "coupler_joint", "coupler": "rocker_pin", "rocker": "rocker_pin"}
    return lp.catalog.four_bar().with_beams({link: lp.Beam(ROD, lp.STEEL, end=end) for link, end in ends.items()})


def _four_bar_of_springs(seed: int) -> Any:
    tilting = lp.JointCompliance(tilting=1e2)
    springs = {"rocker_joint": lp.JointCompliance(axial=1e5), "crank_joint": lp.JointCompliance(axial=3e5)}
    springs |= {"rocker_pin": tilting, "coupler_joint": tilting}
    return lp.catalog.four_bar().with_beams(joint_compliance=springs)


CLOSED_BEAMS: dict[str, Maker] = {
    "four bar of rods": _four_bar_of_rods,
    "four bar of springs": _four_bar_of_springs,
    "five bar of rods": lambda seed: lp.catalog.five_bar().with_beams(
        {"left_crank": lp.Beam(ROD, lp.STEEL, end="left_rod_joint"), "left_rod": lp.Beam(ROD, lp.STEEL, end="end_pin"),
         "right_rod": lp.Beam(TUBE, lp.ALUMINIUM, end="end_pin")}),
    "belt on tubes": lambda seed: _of_tubes(seed, 3).with_coupling({"joint1": 1.0, "joint2": -2.0}),
}


# Rovers

GRIP = lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.02)


def _differential(seed: int = 0, **wheel: Any) -> lp.WheeledBase:
    wheels = [lp.FixedWheel((0.0, 0.4), 0.1, name="left", spin_inertia=0.03, **wheel),
              lp.FixedWheel((0.0, -0.4), 0.1, name="right", spin_inertia=0.03, **wheel),
              lp.CasterWheel((0.8, 0.0), 0.1, name="caster", **wheel)]
    return _base(wheels, center=(0.3, 0.0, 0.2))


def _base(wheels: Any, center: Any = (0.02, -0.03, 0.25)) -> lp.WheeledBase:
    return lp.WheeledBase(mass=60.0, inertia=np.diag([2.0, 2.5, 3.0]), center_of_mass=center, wheels=wheels,
                          friction=GRIP)


def _around(make: Callable[[Any, int], Any], count: int = 4) -> lp.WheeledBase:
    angles = np.pi / 4 + np.linspace(0, 2 * np.pi, count, endpoint=False)
    return _base([make(0.6 * np.array([np.cos(a), np.sin(a)]), k) for k, a in enumerate(angles)])


def _mixed(seed: int) -> lp.WheeledBase:
    """Wheels of every kind in random directions."""
    rng = np.random.default_rng(180 + seed)

    def make(at: Any, k: int) -> Any:
        options = {"compliance": 0.5 + rng.random(), "grip_compliance": 0.5 + rng.random()}
        rolling = {"direction": rng.uniform(-3, 3), "spin_inertia": 0.05 * rng.random()}
        return (
            lambda: lp.Support(at, **options),
            lambda: lp.OmniWheel(at, 0.1, roller_angle=0.0, driven=True, **rolling, **options),
            lambda: lp.CasterWheel(at, 0.08, trail=0.08, **options),
            lambda: lp.FixedWheel(at, 0.12, driven=False, **rolling, **options),
            lambda: lp.SteeredWheel(at, 0.1, **options),
        )[k]()

    return _around(make, 5)


def _arm() -> Any:
    return lp.catalog.planar(2, length=0.4, mass=2.0)


def _mecanum(at: Any, k: int) -> Any:
    return lp.MecanumWheel(at, 0.1, roller_angle=np.pi / 4 * (-1) ** k, spin_inertia=0.02)


def _car() -> lp.WheeledBase:
    fixed = [lp.FixedWheel((0.0, y), 0.12, name=f"rear{k}") for k, y in enumerate((0.4, -0.4))]
    return _base([*fixed, *(lp.SteeredWheel((1.0, y), 0.12, name=f"front{k}") for k, y in enumerate((0.4, -0.4)))],
                 (0.5, 0.0, 0.2))


ROVERS: dict[str, Maker] = {
    "lau rover": lambda seed: lp.catalog.lau_rover(friction=GRIP, driven=True),
    "rover without arm": lambda seed: _differential().carrying(),
    "rover": lambda seed: _differential().carrying(_arm(), at=(0.3, 0.0, 0.3)),
    "rover on a slope": lambda seed: _differential().carrying(_arm(), at=(0.3, 0.0, 0.3)).on(lp.Ground(slope=0.2)),
    "rover on tyres": lambda seed: _differential(stiffness=2e5, grip_stiffness=1e5).carrying(_arm(), at=(0.3, 0, 0.3)),
    "mecanum rover": lambda seed: _around(_mecanum).carrying(_arm(), at=(0.0, 0.0, 0.3)),
    "car": lambda seed: _car().carrying(_arm(), at=(0.5, 0.0, 0.3)),
    "mixed wheels": lambda seed: _mixed(seed).carrying(lp.catalog.random_chain(3, 190 + seed), at=(0.0, 0.0, 0.3)),
    "rover with tubes": lambda seed: _differential().carrying(_of_tubes(seed, 2), at=(0.3, 0.0, 0.3)),
    "rover with five bar": lambda seed: _differential().carrying(lp.catalog.five_bar(), at=(0.3, 0.0, 0.3)),
}

FAMILIES = {"trees": TREES, "files": URDFS, "closed": CLOSED, "beams": BEAMS, "closed beams": CLOSED_BEAMS,
            "rovers": ROVERS}
ROBOTS: dict[str, Maker] = {name: make for family in FAMILIES.values() for name, make in family.items()}


def chosen(text: str = "") -> list[str]:
    """Names of robots whose kind or name has a text."""
    return [name for kind, family in FAMILIES.items() for name in family if text.lower() in f"{kind}: {name}".lower()]
