# What `import loadpath as lp` offers, and where it lives: each name is imported when it is first used.
from . import catalog as catalog
from ._version import __version__ as __version__
from .api import (
    Robot as Robot,
)
from .api import (
    from_dh as from_dh,
)
from .api import (
    load as load,
)
from .api.flexible import FlexibleRobot as FlexibleRobot
from .errors import (
    ModelError as ModelError,
)
from .errors import (
    ModelWarning as ModelWarning,
)
from .errors import (
    UncompiledWarning as UncompiledWarning,
)
from .identification import (
    BaseParameters as BaseParameters,
)
from .identification import (
    Excitation as Excitation,
)
from .identification import (
    Identification as Identification,
)
from .identification import (
    excitation as excitation,
)
from .identification import (
    identify as identify,
)
from .kinematics import (
    IKResult as IKResult,
)
from .kinematics import (
    UnreachedWarning as UnreachedWarning,
)
from .loads import (
    JointWrenches as JointWrenches,
)
from .loads import (
    LoadBreakdown as LoadBreakdown,
)
from .loads import (
    Wrench as Wrench,
)
from .loads.breakdown.reducers import (
    LoadExtremes as LoadExtremes,
)
from .loads.breakdown.reducers import (
    LoadHistogram as LoadHistogram,
)
from .loads.breakdown.reducers import (
    LoadMean as LoadMean,
)
from .loads.breakdown.reducers import (
    LoadRMS as LoadRMS,
)
from .loads.floating import (
    FreeBaseMotion as FreeBaseMotion,
)
from .loads.floating import (
    LinkMotions as LinkMotions,
)
from .loads.payload import MaxPayload as MaxPayload
from .loads.peaks.result import PeakLoads as PeakLoads
from .mobile import (
    CasterWheel as CasterWheel,
)
from .mobile import (
    FixedWheel as FixedWheel,
)
from .mobile import (
    Ground as Ground,
)
from .mobile import (
    MecanumWheel as MecanumWheel,
)
from .mobile import (
    OmniWheel as OmniWheel,
)
from .mobile import (
    Rover as Rover,
)
from .mobile import (
    RoverEvent as RoverEvent,
)
from .mobile import (
    RoverSimulation as RoverSimulation,
)
from .mobile import (
    Slip as Slip,
)
from .mobile import (
    Stability as Stability,
)
from .mobile import (
    SteeredWheel as SteeredWheel,
)
from .mobile import (
    Support as Support,
)
from .mobile import (
    WheeledBase as WheeledBase,
)
from .mobile import (
    WheelFriction as WheelFriction,
)
from .mobile import (
    WheelLoads as WheelLoads,
)
from .motion import Motion as Motion
from .robot.dh import DHRow as DHRow
from .robot.inertia import Inertia as Inertia
from .robot.joints import (
    Continuous as Continuous,
)
from .robot.joints import (
    Cylindrical as Cylindrical,
)
from .robot.joints import (
    Fixed as Fixed,
)
from .robot.joints import (
    Free as Free,
)
from .robot.joints import (
    Helical as Helical,
)
from .robot.joints import (
    Planar as Planar,
)
from .robot.joints import (
    Prismatic as Prismatic,
)
from .robot.joints import (
    Revolute as Revolute,
)
from .robot.joints import (
    Spherical as Spherical,
)
from .robot.joints import (
    Translational as Translational,
)
from .robot.joints import (
    Universal as Universal,
)
from .robot.model import (
    Joint as Joint,
)
from .robot.model import (
    Limits as Limits,
)
from .robot.model import (
    Link as Link,
)
from .robot.model import (
    Mimic as Mimic,
)
from .robot.pose import Pose as Pose
from .simulate import (
    IntegrationError as IntegrationError,
)
from .simulate import (
    Rollout as Rollout,
)
from .simulate import (
    Simulation as Simulation,
)
from .structure import (
    ALUMINIUM as ALUMINIUM,
)
from .structure import (
    CARBON_UD as CARBON_UD,
)
from .structure import (
    STEEL as STEEL,
)
from .structure import (
    TITANIUM as TITANIUM,
)
from .structure import (
    Bar as Bar,
)
from .structure import (
    Beam as Beam,
)
from .structure import (
    IBeam as IBeam,
)
from .structure import (
    JointCompliance as JointCompliance,
)
from .structure import (
    Material as Material,
)
from .structure import (
    RectangularTube as RectangularTube,
)
from .structure import (
    Rod as Rod,
)
from .structure import (
    Section as Section,
)
from .structure import (
    Segment as Segment,
)
from .structure import (
    Tube as Tube,
)
from .verification import (
    Verification as Verification,
)
from .verification import (
    verify as verify,
)
