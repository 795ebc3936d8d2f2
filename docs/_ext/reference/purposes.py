"""Where names stand in the reference: pages by purpose, and on a page, groups.

A public name that stands nowhere here is put on the page `other`, and tests/house says so.
"""

from __future__ import annotations

from typing import NamedTuple


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


ROBOT: dict[str, list[str]] = {
    "What it consists of": [
        "name", "links", "joints", "gravity", "base", "n", "nq", "link_names", "joint_names", "dof_names",
        "coordinate_names", "link", "joint", "mimic_of", "neutral", "q_slices", "quaternion_starts", "v_slices",
        "sizes", "digest", "defined_by", "known_faults", "guessed_masses", "drive_trains",
    ],
    "What is attached to it": [
        "loops", "couplings", "drives", "near", "loop_names", "closing_names", "closed_joint_names", "held_by_loops",
        "tree", "beams", "joint_compliances", "guides", "is_elastic", "placed_beams", "placed_guides",
        "loop_compliances", "cut", "on_wheels", "on_fixed_base",
    ],
    "Its freedoms": ["mobility", "gruebler", "driven", "passive", "independent", "split", "home"],
    "Forces of the drives": ["inverse_dynamics", "gravity_forces", "bias_forces", "mixed_dynamics"],
    "Loads of every joint": [
        "joint_wrenches", "load_breakdown", "peak_loads", "max_payload", "motor_loads",
        "report", "reduce_loads", "load_terms",
        "static_wrenches", "force_along", "torque_about", "base_wrench",
    ],
    "Does it hold": ["with_parts", "without_parts", "parts", "verdict", "largest", "load_cases", "load_spectra"],
    "Where it is and how it moves": [
        "link_poses", "jacobian", "jacobian_dot", "link_velocities", "link_accelerations", "center_of_mass",
        "inverse_kinematics", "plot", "view",
    ],
    "Forward dynamics": ["forward_dynamics", "state_derivative", "step", "rollout", "simulate"],
    "Matrices": [
        "mass_matrix", "mass_matrix_inverse", "coriolis_matrix", "operational_space_inertia",
        "operational_space_mobility",
    ],
    "Energy and momentum": ["kinetic_energy", "potential_energy", "momentum", "momentum_matrix"],
    "Derivatives": [
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "forward_dynamics_parameter_derivatives",
    ],
    "Identification": ["regressor", "drive_regressor", "base_parameters"],
    "Coordinates": ["integrate", "difference", "coordinate_rate"],
    "Free bases": ["floating", "free_base_motion", "generalized_jacobian"],
    "Equations and their cost": ["equations", "books", "operation_count"],
    "Other robots from this one": [
        "with_payload", "without_payload", "with_gravity", "with_inertias", "with_estimated_inertia",
        "without_friction", "without_rotors",
        "with_drives", "with_limits", "without_springs",
        "locked", "generalized", "reduced", "with_beams", "without_beams", "with_loop", "with_coupling",
        "with_driven", "with_home",
    ],
    "To other tools": ["casadi_function", "c_source", "jax", "javascript_source", "wasm"],
    "To files": ["to_urdf", "to_mjcf", "to_sdf"],
}
"""Members of `lp.Robot` by heading."""

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
        "Simulations": ["Simulation", "Rollout"],
        "Inverse kinematics": ["IKResult"],
        "In the browser": ["Viewer"],
    }, results=("Simulation", "Rollout", "IKResult", "Viewer"), modules=("loadpath.motion", "loadpath.simulate")),
    "loads": Page(
        "loads",
        "Wrenches, their causes, their peaks.", {
        "Wrenches": ["Wrench", "JointWrenches"],
        "By cause": ["LoadBreakdown", "LoadExtremes", "LoadMean", "LoadRMS", "LoadHistogram"],
        "Peaks and payloads": ["PeakLoads", "MaxPayload"],
        "Motors": ["MotorLoads"],
        "Two designs side by side": ["compare", "Comparison"],
        "A tip that touches": ["TipSpring", "TipOnSurface", "SurfaceMotion"],
        "Free bases": ["FreeBaseMotion", "LinkMotions"],
    }, results=("JointWrenches", "LoadBreakdown", "PeakLoads", "MaxPayload", "MotorLoads", "Comparison",
                "SurfaceMotion", "FreeBaseMotion", "LinkMotions")),
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
        "Base and rover": ["WheeledBase", "Rover", "Ground", "WheelFriction"],
        "Wheels and feet": ["FixedWheel", "SteeredWheel", "CasterWheel", "OmniWheel", "MecanumWheel", "Support"],
        "Results": ["WheelLoads", "WheelLoadBreakdown", "Stability", "Slip", "RoverSimulation", "RoverEvent"],
    }, results=("WheelLoads", "WheelLoadBreakdown", "Stability", "Slip", "RoverSimulation", "RoverEvent"),
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
        "Projects": ["load_project", "Project", "load_cell", "Cell"],
        "To other tools": ["LoadCases", "BalancedCase", "LoadSpectra", "rainflow", "RainflowCycles", "time_at_level"],
        "Parts of your own": ["Part", "Place", "JointLoads", "MotorSide", "Check", "Instant"],
    }, results=("Verdict", "VerdictRow", "Sensitivity", "Largest", "LoadCases", "BalancedCase", "LoadSpectra",
                "RainflowCycles", "Project", "Cell"), modules=("loadpath.parts", "loadpath.project")),
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
        "Errors": ["ModelError", "IntegrationError"],
        "Warnings": ["ModelWarning", "UnreachedWarning", "UncompiledWarning", "CacheWarning"],
    }),
}

NOT_LISTED = {"Robot", "catalog", "__version__"}
"""What has a page of its own."""
