# What `import loadpath as lp` offers, and where it lives: each name is imported when it is first used.
from . import catalog as catalog, parts as parts
from ._version import __version__ as __version__
from .api import (
    Robot as Robot,
    from_dh as from_dh,
    load as load,
)
from .api.grasp import Hold as Hold, grasp as grasp
from .api.kinds import (
    ClosedFlexibleRobot as ClosedFlexibleRobot,
    ClosedRobot as ClosedRobot,
    FlexibleRobot as FlexibleRobot,
)
from .api.own import quantity as quantity
from .bounds.box import Box as Box
from .bounds.result import WorstCase as WorstCase
from .datasheet.sheet import Datasheet as Datasheet
from .doctor import Checkup as Checkup, Finding as Finding, check as check
from .books.course import LinearSystem as LinearSystem
from .project import (
    Cell as Cell,
    Project as Project,
    load_cell as load_cell,
    load_project as load_project,
)
from .errors import (
    CacheWarning as CacheWarning,
    ModelError as ModelError,
    ModelWarning as ModelWarning,
    PluginWarning as PluginWarning,
    UncompiledWarning as UncompiledWarning,
)
from .families import Family as Family
from .fastest.cones import FrictionCone as FrictionCone
from .fastest.cups import Cup as Cup
from .fastest.equivalent import EquivalentLoad as EquivalentLoad
from .fastest.infeasible import NoMotionError as NoMotionError
from .fastest.path import Path as Path
from .fastest.result import Fastest as Fastest
from .handling.compliance import Droop as Droop, StaticCompliance as StaticCompliance
from .handling.duty import DutyMap as DutyMap
from .handling.foundation import FoundationLoads as FoundationLoads, FoundationRow as FoundationRow
from .handling.limits import DiagramLimit as DiagramLimit
from .handling.result import InertiaDiagram as InertiaDiagram, PayloadDiagram as PayloadDiagram
from .identification import (
    BaseParameters as BaseParameters,
    Excitation as Excitation,
    Identification as Identification,
    excitation as excitation,
    identify as identify,
)
from .kinematics import (
    IKResult as IKResult,
    UnreachedWarning as UnreachedWarning,
)
from .kinematics.closed.assembly import Assembly as Assembly
from .kinematics.closed.singular import Singularities as Singularities
from .loads.breakdown.reduce import (
    LoadExtremes as LoadExtremes,
    LoadHistogram as LoadHistogram,
    LoadMean as LoadMean,
    LoadRMS as LoadRMS,
)
from .loads.breakdown.result import LoadBreakdown as LoadBreakdown
from .quantities.link_motions import (
    FreeBaseMotion as FreeBaseMotion,
    LinkMotions as LinkMotions,
)
from .loads.motors.result import MotorLoads as MotorLoads
from .loads.payload import MaxPayload as MaxPayload
from .loads.peaks.result import PeakLoads as PeakLoads
from .loads.tip.spring import TipSpring as TipSpring
from .loads.tip.surface import SurfaceMotion as SurfaceMotion, TipOnSurface as TipOnSurface
from .studies.answers import Answer as Answer
from .studies.indices import SobolIndices as SobolIndices
from .studies.fronts import Front as Front
from .studies.robust import Robust as Robust
from .studies.sensitivities import Sensitivities as Sensitivities
from .studies.space import Space as Space
from .studies.span import Span as Span, span as span
from .studies.study import Cost as Cost, Study as Study, study as study
from .studies.uncertainty import (
    Tolerances as Tolerances, Uncertainty as Uncertainty, uncertainty as uncertainty,
)
from .studies.why import Why as Why
from .states.load_case import LoadCase as LoadCase
from .quantities.wrench import JointWrenches as JointWrenches, Wrench as Wrench
from .mobile import (
    AntiRollBar as AntiRollBar,
    CasterWheel as CasterWheel,
    FixedWheel as FixedWheel,
    Ground as Ground,
    GroundMotion as GroundMotion,
    GroundState as GroundState,
    HeightMap as HeightMap,
    Kerb as Kerb,
    LimitMap as LimitMap,
    MecanumWheel as MecanumWheel,
    OmniWheel as OmniWheel,
    Posture as Posture,
    RideModes as RideModes,
    Patch as Patch,
    Ramp as Ramp,
    Rover as Rover,
    RoverEvent as RoverEvent,
    RoverSimulation as RoverSimulation,
    Sinusoid as Sinusoid,
    Slip as Slip,
    Stability as Stability,
    StandardRow as StandardRow,
    Standards as Standards,
    StandardTest as StandardTest,
    SteeredWheel as SteeredWheel,
    Support as Support,
    Suspension as Suspension,
    TiltTest as TiltTest,
    TimeSeries as TimeSeries,
    WheeledBase as WheeledBase,
    WheelFriction as WheelFriction,
    WheelLoadBreakdown as WheelLoadBreakdown,
    WheelLoads as WheelLoads,
    WheelMotors as WheelMotors,
)
from .parts.bearings.guide import LinearGuide as LinearGuide
from .parts.bearings.pair import BearingPair as BearingPair
from .parts.bearings.ring import CrossedRollerBearing as CrossedRollerBearing, SlewingBearing as SlewingBearing
from .parts.bolts import BoltedFlange as BoltedFlange
from .parts.fitting import WheelRating as WheelRating
from .parts.listed import ListedPart as ListedPart, PartTable as PartTable
from .parts.part import (
    Check as Check,
    Instant as Instant,
    JointLoads as JointLoads,
    MotorSide as MotorSide,
    Origin as Origin,
    Part as Part,
    Place as Place,
)
from .parts.load_cases import BalancedCase as BalancedCase, LoadCases as LoadCases
from .parts.spectra import (
    RainflowCycles as RainflowCycles,
    rainflow as rainflow,
    time_at_level as time_at_level,
)
from .parts.sizing.rejections import Rejection as Rejection
from .parts.sizing.result import Choice as Choice, Sizing as Sizing
from .parts.spectra import LoadSpectra as LoadSpectra
from .parts.verdict.largest import Largest as Largest
from .parts.verdict.result import Verdict as Verdict, VerdictRow as VerdictRow
from .parts.verdict.what_if import Sensitivity as Sensitivity
from .parts.gears.kinds import CycloidalGear as CycloidalGear
from .parts.gears.kinds import PlanetaryGear as PlanetaryGear
from .parts.gears.kinds import StrainWaveGear as StrainWaveGear
from .motion import (
    Carried as Carried,
    DutySpectrum as DutySpectrum,
    LowPass as LowPass,
    Motion as Motion,
    Smoothing as Smoothing,
)
from .parts.motors.brake import Brake as Brake
from .parts.motors.motor import Motor as Motor
from .parts.motors.thermal import ThermalModel as ThermalModel
from .parts.verdict.exceptions import (
    Exceptional as Exceptional,
    ExceptionalCase as ExceptionalCase,
)
from .report.comparison import (
    Comparison as Comparison,
    compare as compare,
)
from .robot.dh import DHRow as DHRow
from .robot.drive_train.drive import (
    Drive as Drive,
    Friction as Friction,
    LineSpring as LineSpring,
    TorsionSpring as TorsionSpring,
)
from .robot.wheels.drives import WheelDrive as WheelDrive
from .robot.wheels.tracks import Track as Track
from .robot.inertia import Inertia as Inertia
from .robot.joints import (
    Continuous as Continuous,
    Cylindrical as Cylindrical,
    Fixed as Fixed,
    Free as Free,
    Generalized as Generalized,
    Helical as Helical,
    JointType as JointType,
    Planar as Planar,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
    Prismatic as Prismatic,
    Revolute as Revolute,
    Spherical as Spherical,
    Translational as Translational,
    Universal as Universal,
)
from .robot.loops import Coupling as Coupling, Loop as Loop
from .robot.shapes import (
    BoxShape as BoxShape,
    CapsuleShape as CapsuleShape,
    CylinderShape as CylinderShape,
    EllipsoidShape as EllipsoidShape,
    LinkShape as LinkShape,
    MeshShape as MeshShape,
    SphereShape as SphereShape,
)
from .robot.triangles import Triangles as Triangles
from .robot.parts import (
    Joint as Joint,
    Limits as Limits,
    Link as Link,
    Mimic as Mimic,
)
from .robot.pose import Pose as Pose
from .simulate import (
    IntegrationError as IntegrationError,
    Linearization as Linearization,
    Rollout as Rollout,
    RolloutError as RolloutError,
    Simulation as Simulation,
    Simulations as Simulations,
    samples as samples,
    simulations as simulations,
)
from .simulate.closed import ClosedSimulation as ClosedSimulation, DeadPoint as DeadPoint
from .stops.collided import Collision as Collision
from .stops.jam import Jam as Jam
from .stops.result import Stop as Stop
from .structure import (
    ALUMINIUM as ALUMINIUM,
    CARBON_UD as CARBON_UD,
    STEEL as STEEL,
    TITANIUM as TITANIUM,
    Angle as Angle,
    Bar as Bar,
    Beam as Beam,
    Channel as Channel,
    Guide as Guide,
    HexagonalBar as HexagonalBar,
    HexagonalTube as HexagonalTube,
    IBeam as IBeam,
    JointCompliance as JointCompliance,
    Material as Material,
    PolygonSection as PolygonSection,
    Rayleigh as Rayleigh,
    RectangularTube as RectangularTube,
    Rod as Rod,
    Section as Section,
    Segment as Segment,
    TBeam as TBeam,
    Tube as Tube,
)
from .structure.fatigue.duty import SectionHistory as SectionHistory
from .structure.fatigue.result import Fatigue as Fatigue
from .robot.materials import SNCurve as SNCurve
from .robot.materials import materials as materials
from .verification import (
    Verification as Verification,
    verify as verify,
)
from .viewer.view import Viewer as Viewer
