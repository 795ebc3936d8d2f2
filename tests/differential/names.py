"""Everything public, from the code itself: what has to have an independent implementation, and what is no number."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import loadpath as lp
from differential.register import CHECKS
from loadpath.books.noninertial import Noninertial
from loadpath.books.shelf import BOOKS
from loadpath.engine.attached import lines_of
from loadpath.engine.refused import Refused

SUBJECTS = (lp.Robot, lp.FlexibleRobot, lp.ClosedRobot, lp.ClosedFlexibleRobot, lp.Rover, lp.WheeledBase, lp.Motion)
"""Classes whose public members are quantities: each of them counts by itself. Of other classes the class counts."""

NOT_NUMBERS = {
    "names and data of the model": (
        "Robot.base",
        "Robot.coordinate_names",
        "Robot.defined_by",
        "Robot.digest",
        "Robot.dof_names",
        "Robot.gravity",
        "Robot.joint",
        "Robot.joint_names",
        "Robot.held_by_loops",
        "Robot.guessed_masses",
        "Robot.pedigrees",
        "Robot.with_pedigree",
        "Robot.known_faults",
        "Robot.quaternion_starts",
        "Robot.link",
        "Robot.link_names",
        "Robot.n",
        "Robot.nq",
        "Robot.q_slices",
        "Robot.sizes",
        "Robot.on_wheels",
        "Robot.wheeled_base",
        "Robot.ground",
        "Robot.ratings",
        "Robot.v_slices",
        "Robot.beams",
        "Robot.joint_compliances",
        "Robot.guides",
        "Robot.closed_joint_names",
        "Robot.couplings",
        "Robot.drives",
        "Robot.loop_names",
        "Robot.loops",
        "Robot.near",
        "Robot.closing_names",
        "Robot.is_elastic",
        "Robot.loop_compliances",
        "Loop",
        "Coupling",
        "Robot.placed_beams",
        "Robot.placed_guides",
        "Rover.arrangement",
        "Rover.linkage",
        "Rover.robot",
        "Rover.contact_names",
        "Rover.friction_of",
        "Rover.frictions",
        "Rover.rolling_friction",
        "Rover.steerable_names",
        "WheeledBase.anti_roll_bars",
        "WheeledBase.body",
        "WheeledBase.body_points",
        "WheeledBase.contact_names",
        "WheeledBase.friction",
        "WheeledBase.guess",
        "WheeledBase.inertia",
        "WheeledBase.name",
        "WheeledBase.on_plain_springs",
        "WheeledBase.on_springs",
        "WheeledBase.on_tyres",
        "WheeledBase.on_links",
        "WheeledBase.positions",
        "WheeledBase.rigid",
        "WheeledBase.unsprung_mass",
        "Motion.coordinate_names",
        "Motion.dof_names",
        "Motion.duration",
        "Motion.invented",
        "Motion.source",
        "Motion.loads",
        "Motion.times",
        "Link",
        "LinkShape",
        "Triangles",
        "Checkup",
        "Finding",
        "check",
        "BoxShape",
        "CapsuleShape",
        "CylinderShape",
        "EllipsoidShape",
        "MeshShape",
        "SphereShape",
        "Joint",
        "Limits",
        "Mimic",
    ),
    "the same robot in another form; its numbers are those of the others": (
        "Rover.planar",
        "Rover.facing",
        "Robot.on_fixed_base",
        "Robot.tree",
        "Robot.with_driven",
        "Robot.cut",
        "Rover.carrying",
        "Motion.from_checked",
    ),
    "joints, wheels and friction: data that every comparison above reads": (
        "Continuous",
        "Cylindrical",
        "Fixed",
        "Free",
        "Generalized",
        "Helical",
        "JointType",
        "Planar",
        "PointOnLine",
        "PointOnPlane",
        "Prismatic",
        "Revolute",
        "Spherical",
        "Translational",
        "Universal",
        "CasterWheel",
        "FixedWheel",
        "MecanumWheel",
        "OmniWheel",
        "SteeredWheel",
        "Support",
        "Suspension",
        "AntiRollBar",
        "Track",
        "WheelDrive",
        "WheelFriction",
        "Ground",
        "GroundMotion",
        "GroundState",
        "HeightMap",
        "Kerb",
        "Patch",
        "Ramp",
        "Sinusoid",
        "TimeSeries",
        "WheeledBase",
    ),
    "pages, figures and sentences about numbers that are compared": (
        "Robot.plot",
        "Robot.view",
        "Rover.view",
        "Viewer",
        "Robot.report",
        "compare",
        "Comparison",
        "ClosedRobot.mobility_report",
        "Rover.report",
        "FlexibleRobot.plot_deflection",
        "FlexibleRobot.plot_safety",
        "Motion.plot",
        "Motion.problems",
        "Motion.doubts",
    ),
    "what holds the objects of the sources, each of which is compared, and names of columns": (
        "Robot.books",
        "books.angeles.noninertial",
        "books.course.speed_pairs",
    ),
    "closed arms with beams: tests/closed has textbooks, finite elements, rings cut elsewhere": (
        *(f"ClosedFlexibleRobot.{name}" for name in (
            "small_deflection", "compliance", "section_actions", "section_stresses", "section_buckling", "stiffness",
            "buckling_safety", "buckling", "extremes", "fatigue", "natural_frequencies", "frequency_map",
            "bandwidth_check", "frequency_response", "plot_deflection", "plot_safety", "section_stresses_with",
            "respond", "shaped", "compensated",
        )),
    ),
    "what acts, in one object: tests/loads compares it with the keywords and with other gravity": ("LoadCase",),
    "the classes that hold it all": ("Robot", "FlexibleRobot", "ClosedRobot", "ClosedFlexibleRobot", "Rover"),
    "materials and a section given by its numbers": (
        "ALUMINIUM", "CARBON_UD", "STEEL", "TITANIUM", "Section", "materials", "SectionHistory",
    ),
    "parts of catalogue numbers: tests/parts compares their checks with catalogues and statics": (
        "BearingPair", "BoltedFlange", "CrossedRollerBearing", "LinearGuide", "SlewingBearing", "WheelRating",
        "StrainWaveGear", "CycloidalGear", "PlanetaryGear", "Motor", "ThermalModel", "Brake",
    ),
    "verdicts, load cases and spectra: tests/parts compares them with hand calculation, statics and ASTM E1049": (
        "Robot.parts", "Robot.with_parts", "Robot.without_parts", "Robot.verdict", "Robot.largest", "Robot.load_cases",
        "Robot.load_spectra", "Rover.with_parts", "Rover.without_parts", "Rover.verdict",
        "Rover.largest", "Cell", "Project", "load_cell", "load_project", "Verdict", "VerdictRow", "Sensitivity",
        "Largest", "LoadCases",
        "BalancedCase", "LoadSpectra", "RainflowCycles", "rainflow", "time_at_level", "Part", "Place", "JointLoads",
        "MotorSide", "Check", "Instant",
    ),
    "studies: tests/studies compares them with robots that are made one by one, and fronts with brute force": (
        "study", "Study", "Space", "Span", "span", "Answer", "Cost", "Front", "Why", "SobolIndices", "Sensitivities",
        "Robust",
    ),
    "motors of wheels: tests/mobile/test_wheel_drives.py has them by hand": ("WheelMotors",),
    "springs of wheels: tests/mobile/test_springs_statics.py has them by hand and by trying all pieces of their laws": (
        "Rover.posture", "Posture",
    ),
    "vibrations on springs: tests/mobile/test_ride_modes.py has quarter and half cars in closed form": (
        "Rover.ride_modes", "RideModes",
    ),
    "equations of rovers in symbols: tests/equations/test_rover_in_symbols.py has their numbers and the thesis's": (
        "Rover.equations",
    ),
    "extremes of wheel loads and margins: tests/mobile/test_wheel_loads.py compares them": ("Rover.peak_loads",),
    "wheel loads and margins over a box: tests/mobile/test_worst_of_rovers.py compares them": ("Rover.worst_case",),
    "wheel loads by cause: tests/mobile/test_wheel_load_breakdown.py compares each with differences of wheel_loads": (
        "Rover.wheel_load_breakdown", "WheelLoadBreakdown",
    ),
    "limits and tests of standards: tests/mobile/test_standards.py compares each with hand moments and brute force": (
        "Rover.largest_slope", "Rover.largest_speed", "Rover.standards", "LimitMap", "Standards", "StandardTest",
        "StandardRow", "TiltTest",
    ),
    "batches: tests/simulate/test_many.py compares each run with its closed form, and processes with one": (
        "simulations", "Simulations", "samples",
    ),
    "cups on moving links: tests/fastest compares the tilt in them with accelerations of links": ("Cup",),
    "fastest motions on wheels: tests/mobile/test_fastest_rovers.py compares slip and margins along them": (
        "Rover.fastest", "Rover.from_planar",
    ),
    "equivalent loads: tests/fastest compares them with bearings' own": ("EquivalentLoad",),
    "stops: tests of stops compare them with pendulums and slides by hand, and MuJoCo": ("Robot.stop", "Stop"),
    "collisions and jams: tests of stops compare them with springs and masses in closed form, and MuJoCo": (
        "Robot.collision", "Collision", "Robot.jam", "Jam",
    ),
    "exceptional cases: tests/exceptional compares their rows with energies, torques and bearings by hand": (
        "Exceptional", "ExceptionalCase",
    ),
    "data sheets: tests/handling compares them with bisections, verdicts, statics and by hand": (
        "Robot.payload_diagram", "PayloadDiagram", "InertiaDiagram", "DiagramLimit", "Robot.duty_map", "Rover.duty_map",
        "DutyMap",
        "Robot.foundation_loads", "FoundationLoads", "FoundationRow", "Robot.static_compliance", "StaticCompliance",
        "Droop",
    ),
    "data sheets: tests/datasheet compares them with robot.stop, motor_loads and workspaces by hand": (
        "Robot.datasheet", "Datasheet",
    ),
    "sizes: tests/parts/test_sizing.py compares them with a verdict on each combination": (
        "Robot.size", "Sizing", "Choice", "Rejection",
    ),
    "tables of parts: tests/parts/test_tables_of_parts.py compares what is read": ("ListedPart", "Origin", "PartTable"),
    "uncertainty: tests/studies/test_uncertainty.py compares it with random draws and by hand": (
        "Tolerances", "Uncertainty", "uncertainty",
    ),
    "files: tests/files compares what is written and read again, also by Pinocchio and MuJoCo": ("Robot.to_urdf",),
    "files: tests/mjcf compares what is written and read again": ("Robot.to_mjcf",),
    "files: tests/files compares what is written and read again": ("Robot.to_sdf",),
    "errors and warnings": (
        "CacheWarning",
        "ModelError",
        "ModelWarning",
        "UncompiledWarning",
        "UnreachedWarning",
        "IntegrationError",
        "NoMotionError",
        "PluginWarning",
    ),
}


def public() -> Iterator[str]:
    """Names of everything public: `Class.member` of the subjects, objects of the books, all names of `loadpath`."""
    for kind in SUBJECTS:
        bases = [base for base in SUBJECTS if base is not kind and issubclass(kind, base)]
        inherited = {name for base in bases for name in lines_of(base)}
        if kind is lp.Rover:  # which gives many of the names of robots another meaning
            inherited = {name for name in inherited if name not in vars(lp.Rover)}
        yield from (
            f"{kind.__name__}.{name}"
            for name, line in lines_of(kind).items()
            if not name.startswith("_") and name not in inherited and not isinstance(line, Refused)
        )
    for book, kept in {**BOOKS, "angeles.noninertial": Noninertial}.items():
        yield from (f"books.{book}.{letter}" for letter in kept.places)
    yield from (name for name in dir(lp) if not name.startswith("_") and not inspect.ismodule(getattr(lp, name)))


def excused() -> set[str]:
    return {name for names in NOT_NUMBERS.values() for name in names}


def compared() -> set[str]:
    """Names that some check compares, without what stands in brackets."""
    return {name.split("(")[0] for one in CHECKS.values() for name in one.names}
