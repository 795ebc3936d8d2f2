"""Where names stand in the reference: pages by purpose, and on a page, groups.

A public name that stands nowhere here is put on the page `other`, and tests/house says so. Members of robots say what
they are for in their lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import loadpath as lp
from loadpath.engine.purpose import PURPOSES, purpose_of


class Page(NamedTuple):
    """A page of the reference."""

    title: str
    about: str
    groups: dict[str, list[str]]
    """Public names of `lp` by heading."""
    results: tuple[str, ...] = ()
    """Names that users get and do not make: their entries have no signature."""
    modules: tuple[str, ...] = ()
    """What is returned by names elsewhere and lives in these modules belongs here."""


ATTACHED = [
    "loops", "couplings", "drives", "near", "loop_names", "closing_names", "closed_joint_names", "held_by_loops",
    "tree", "beams", "joint_compliances", "guides", "is_elastic", "placed_beams", "placed_guides",
    "loop_compliances", "cut", "on_wheels", "on_fixed_base", "parts",
]
"""Data of a robot that are lists of what is attached to it, or follow from them."""


def robot_groups(names: Iterable[str]) -> dict[str, list[str]]:
    """Members of `lp.Robot` by heading: what the line of each says that it is for."""
    found: dict[str, list[str]] = {heading: [] for heading in PURPOSES}
    for name in names:
        found["What is attached to it" if name in ATTACHED else purpose_of(lp.Robot, name)].append(name)
    return found


PAGES: dict[str, Page] = {
    "robot": Page(
        "robots",
        "What there is to ask of any robot. Most of it is compiled for the robot on its first call and takes "
        "one state or a million.", {
        "Make or load one": ["load", "from_dh"],
        "Check its file": ["check", "Checkup", "Finding"],
        "Quantities of your own": ["quantity"],
    }),
    "model": Page(
        "links, joints and inertias",
        "What a robot is made of, for robots written down by hand.", {
        "Links and joints": ["Link", "Joint", "Inertia", "Pose", "Limits", "Mimic", "DHRow"],
        "Drive trains": ["Drive", "Friction", "TorsionSpring", "LineSpring"],
        "Joints with one axis": ["Revolute", "Continuous", "Prismatic", "Helical", "Cylindrical", "Fixed"],
        "Joints with several freedoms": ["Universal", "Spherical", "Planar", "Translational", "Free", "Generalized"],
        "Joints that close loops": ["PointOnLine", "PointOnPlane", "Loop", "Coupling"],
        "Joints of your own": ["JointType"],
        "What links look like": [
            "LinkShape", "BoxShape", "CylinderShape", "SphereShape", "CapsuleShape", "EllipsoidShape", "MeshShape",
            "Triangles",
        ],
    }),
    "catalog": Page(
        "catalog",
        "Robots of the literature, with their published numbers, as `lp.catalog.panda()`.", {}),
    "motions": Page(
        "motions and simulations",
        "Motions given, and motions that come out.", {
        "Motions": ["Motion", "Carried", "DutySpectrum"],
        "Smoothing": ["LowPass", "Smoothing"],
        "Simulations": ["Simulation", "Rollout", "RolloutError"],
        "Stops": ["Stop", "Collision", "Jam"],
        "Data sheets": ["Datasheet"],
        "Small deviations": ["Linearization"],
        "Batches of simulations": ["simulations", "samples", "Simulations"],
        "Inverse kinematics": ["IKResult"],
        "The fastest on a path": ["Path", "FrictionCone", "EquivalentLoad", "Cup", "Fastest"],
        "In the browser": ["Viewer"],
    }, results=("Fastest", "Stop", "Collision", "Datasheet", "Simulation", "Simulations", "Rollout", "RolloutError",
                "Linearization", "IKResult", "Viewer"),
       modules=("loadpath.motion", "loadpath.simulate")),
    "loads": Page(
        "loads",
        "Wrenches, their causes, their peaks.", {
        "Wrenches": ["Wrench", "JointWrenches", "LoadCase"],
        "By cause": ["LoadBreakdown", "LoadExtremes", "LoadMean", "LoadRMS", "LoadHistogram"],
        "Peaks and payloads": ["PeakLoads", "MaxPayload"],
        "Data sheets": ["PayloadDiagram", "InertiaDiagram", "DiagramLimit", "DutyMap", "FoundationLoads",
                        "FoundationRow", "StaticCompliance", "Droop"],
        "Largest over a box of states": ["Box", "WorstCase"],
        "Motors": ["MotorLoads"],
        "Two designs side by side": ["compare", "Comparison"],
        "Many designs as one": ["Family"],
        "The whole space of designs": ["study", "Space", "span", "Span", "Answer", "Study", "Cost", "Front", "Why",
                                       "SobolIndices", "Sensitivities", "Robust"],
        "How far utilisations may be off": ["uncertainty", "Tolerances", "Uncertainty"],
        "A tip that touches": ["TipSpring", "TipOnSurface", "SurfaceMotion"],
        "Free bases": ["FreeBaseMotion", "LinkMotions"],
    }, results=("JointWrenches", "Family", "Span", "Study", "Cost", "Front", "Why", "SobolIndices", "Sensitivities",
                "Robust", "Uncertainty", "LoadBreakdown", "PeakLoads", "MaxPayload", "PayloadDiagram", "InertiaDiagram",
                "DutyMap", "FoundationLoads", "FoundationRow", "StaticCompliance", "Droop", "DiagramLimit",
                "WorstCase", "MotorLoads",
                "Comparison", "SurfaceMotion", "FreeBaseMotion", "LinkMotions")),
    "closed": Page(
        "closed chains",
        "Robots with loops. They do what `lp.Robot` does; here is what they do in addition or "
        "otherwise.", {
        "Robots": ["ClosedRobot", "ClosedFlexibleRobot"],
        "Several arms hold one thing": ["grasp", "Hold"],
        "Results": ["Assembly", "Singularities", "ClosedSimulation", "DeadPoint"],
    }, results=("Assembly", "Singularities", "ClosedSimulation", "DeadPoint")),
    "flexible": Page(
        "arms that bend",
        "Beams for links. A `FlexibleRobot` does what `lp.Robot` does; here is what it does in addition "
        "or otherwise.", {
        "The arm": ["FlexibleRobot"],
        "Beams and joints that give way": ["Beam", "Segment", "Guide", "JointCompliance", "Rayleigh"],
        "Cross sections": ["Tube", "Rod", "RectangularTube", "Bar", "HexagonalTube", "HexagonalBar", "IBeam",
                           "Channel", "TBeam", "Angle", "PolygonSection", "Section"],
        "Materials": ["Material", "materials", "STEEL", "ALUMINIUM", "TITANIUM", "CARBON_UD"],
        "Fatigue": ["SNCurve", "Fatigue", "SectionHistory"],
    }, results=("Fatigue", "SectionHistory"), modules=("loadpath.structure",)),
    "mobile": Page(
        "robots on wheels",
        "Wheeled bases, the robots on them, the ground under them.", {
        "Base and rover": ["WheeledBase", "Rover"],
        "Ground": ["Ground", "WheelFriction", "HeightMap", "Kerb", "Ramp", "Patch", "GroundMotion", "GroundState",
                   "Sinusoid", "TimeSeries"],
        "Drives of wheels": ["WheelDrive"],
        "Wheels and feet": ["FixedWheel", "SteeredWheel", "CasterWheel", "OmniWheel", "MecanumWheel", "Support",
                            "Track"],
        "Springs": ["Suspension", "AntiRollBar"],
        "Tests of standards": ["Standards", "TiltTest", "StandardTest", "StandardRow"],
        "Results": ["WheelLoads", "Posture", "RideModes", "WheelMotors", "WheelLoadBreakdown", "Stability", "LimitMap",
                    "Slip", "RoverSimulation", "RoverEvent"],
    }, results=("WheelLoads", "Posture", "RideModes", "WheelMotors", "WheelLoadBreakdown", "Stability", "LimitMap",
                "StandardTest", "StandardRow", "Slip", "RoverSimulation", "RoverEvent"),
       modules=("loadpath.mobile",)),
    "parts": Page(
        "parts",
        "Does the part hold, and how long? Catalogue numbers that are examined under the loads of a motion.", {
        "Bearings": ["CrossedRollerBearing", "SlewingBearing", "BearingPair", "LinearGuide"],
        "Gears": ["StrainWaveGear", "CycloidalGear", "PlanetaryGear"],
        "Motors and brakes": ["Motor", "ThermalModel", "Brake"],
        "Structure": ["BoltedFlange"],
        "Wheels": ["WheelRating"],
        "Verdicts": ["Verdict", "VerdictRow", "Sensitivity", "Largest"],
        "Exceptional cases": ["ExceptionalCase", "Exceptional"],
        "Tables and sizes": ["PartTable", "ListedPart", "Origin", "Sizing", "Choice", "Rejection"],
        "Projects": ["load_project", "Project", "load_cell", "Cell"],
        "To other tools": ["LoadCases", "BalancedCase", "LoadSpectra", "rainflow", "RainflowCycles", "time_at_level"],
        "Parts of your own": ["Part", "Place", "JointLoads", "MotorSide", "Check", "Instant"],
    }, results=("Verdict", "VerdictRow", "Sensitivity", "Largest", "Exceptional", "Sizing", "LoadCases", "BalancedCase",
                "LoadSpectra", "RainflowCycles", "Project", "Cell"), modules=("loadpath.parts", "loadpath.project")),
    "identification": Page(
        "identification",
        "Inertial parameters from measured torques.", {
        "Functions": ["identify", "excitation"],
        "Results": ["BaseParameters", "Excitation", "Identification"],
    }, results=("BaseParameters", "Excitation", "Identification"), modules=("loadpath.identification",)),
    "books": Page(
        "the sources' own objects",
        "`robot.books` has the objects of each source under its own letters, compiled and batched.", {
        "The linear system of the course notes": ["LinearSystem"],
    }, results=("LinearSystem",), modules=("loadpath.books",)),
    "equations": Page(
        "equations and proofs",
        "Equations in symbols, and all formulations against each other.", {
        "All formulations against each other": ["verify", "Verification"],
        "In symbols": ["SymbolicObject", "SourceObjects", "Equations"],
    }, results=("Verification", "SymbolicObject", "SourceObjects", "Equations"), modules=("loadpath.equations",)),
    "errors": Page(
        "errors and warnings",
        "What is raised, and what is only said.", {
        "Errors": ["ModelError", "IntegrationError", "NoMotionError"],
        "Warnings": ["ModelWarning", "UnreachedWarning", "UncompiledWarning", "CacheWarning", "PluginWarning"],
    }),
}

NOT_LISTED = {"Robot", "catalog", "parts", "__version__"}
"""What has a page of its own."""
