"""What the program `loadpath` can do: its commands in groups, as help shows them, with examples of each."""

from __future__ import annotations

LOOK, ASK, DESIGN, FILES, BOOKS, OTHERS = (
    "Look at a robot", "Ask what it carries", "Design", "Files", "Equations and speed", "Of other packages",
)

GROUPS = {
    LOOK: {
        "info": "Links, joints, masses and limits of a robot, and warnings about them.",
        "check": "What is wrong or strange in a robot, and how to mend it; exit code 1 if there are errors or "
        "warnings.",
        "view": "The robot in the browser: move it, play its motion, and see what every joint carries and why.",
        "demo": "Torques and joint wrenches of a robot over a short smooth motion.",
    },
    ASK: {
        "loads": "All six components of the load at every joint, the forces of the drives, and what causes them.",
        "verdict": "Does every part hold over its motion, how long, what limits it; exit code 1 unless all was checked "
        "and holds.",
        "report": "The verdict on a robot, its torques and joint wrenches and where they come from, over a motion, as "
        "one file.",
        "datasheet": "What a maker prints of a robot: workspace, payload, stopping distances, loads on the foundation, "
        "torque over speed ..., as one file.",
        "deflect": "How far a flexible arm bends, the stress of its beams, its buckling and its natural frequencies.",
        "rover": "Loads of the wheels of a rover, how far it is from tipping over, and how much of the friction it "
        "uses.",
        "simulate": "A robot, flexible arm or rover set free in a state: how it moves, where the energy goes, what "
        "happens.",
    },
    DESIGN: {
        "compare": "Two designs over one motion side by side: loads, utilisation, and the causes that changed.",
        "fastest": "The path of a motion as quickly as torques, speeds and parts let it be, certified; which limit "
        "rules where, and what it costs.",
        "size": "Which gears, motors, brakes of tables to take at the joints: the lightest that hold together, and why "
        "others do not; exit code 1 if none does.",
        "study": "Every design of a project's space: peaks, utilisation, life ... of thousands, and the front of the "
        "best; killed, it goes on where it was.",
    },
    FILES: {
        "new": "A commented project file for a robot, to start from: payload, drives, parts, motion, wheels, beams.",
        "convert": "A robot's file in another format; what that format cannot say is reported.",
        "export": "A quantity of a robot for other tools: C, a CasADi function, JavaScript, WebAssembly.",
    },
    BOOKS: {
        "equations": "Equations of motion of a robot, in symbols or with its numbers: torques, poses, energies, joint "
        "wrenches.",
        "count": "Multiplications and additions of every function of a robot, and those that the sources print.",
        "verify": "Torques of a robot by all formulations, and how far each pair is apart; exit code 1 if one is off "
        "by 1e-12.",
        "bench": "How fast the functions of a robot are on this machine: states a second, and against Pinocchio if "
        "installed.",
    },
}
"""What each command does, in the order of help; its function is in the module of its name in `commands`."""

COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}
GROUP_OF = {name: group for group, commands in GROUPS.items() for name in commands}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "info": ("loadpath info ur5", "loadpath info robot.urdf"),
    "check": ("loadpath check robot.urdf", "loadpath check robot.urdf --fix -o fixed.urdf"),
    "view": ("loadpath view panda", "loadpath view robot.urdf --motion log.csv"),
    "demo": ("loadpath demo robot.urdf --payload 2.5",),
    "loads": (
        "loadpath loads robot.urdf --payload 5            # over a short swing",
        "loadpath loads robot.urdf --q elbow=90deg        # in one pose",
        "loadpath loads robot.urdf --motion log.csv --joint elbow --causes 5",
    ),
    "verdict": ("loadpath verdict ur5", "loadpath verdict project.toml --hours 20000 --csv checks.csv"),
    "report": (
        "loadpath report robot.urdf --payload 2.5 --motion log.csv",
        "loadpath report project.toml -o review.pdf",
    ),
    "datasheet": (
        "loadpath datasheet project.toml -o sheet.pdf",
        "loadpath datasheet robot.urdf --payload 5 --link tool0",
    ),
    "deflect": ("loadpath deflect project.toml", "loadpath deflect project.toml --q elbow=90deg"),
    "rover": (
        "loadpath rover project.toml                      # does it tip or slip?",
        "loadpath rover project.toml --velocity 1,0 --acceleration -2,0",
    ),
    "simulate": ("loadpath simulate project.toml --torque hold --duration 2 -o free.csv",),
    "compare": ("loadpath compare light.toml stiff.toml -o compare.html",),
    "fastest": ("loadpath fastest project.toml --motion log.csv -o quicker.csv",),
    "size": (
        "loadpath size project.toml                       # by its [size.choices]",
        "loadpath size arm.urdf --table joint2=gears.csv,motors.csv --motion log.csv",
        "loadpath size project.toml --minimise mass,cost --hours 20000 --why",
    ),
    "study": (
        "loadpath study project.toml --cost               # how many designs, how long",
        "loadpath study project.toml                      # compute, or go on",
        "loadpath study project.toml --front mass,utilisation --why knee",
        "loadpath study project.toml --where 'life >= 20_000 h' --csv designs.csv",
        "loadpath study project.toml --scheduler tcp://10.0.0.1:8786",
    ),
    "new": ("loadpath new robot.urdf -o project.toml", "loadpath new robot.urdf --base -o rover.toml"),
    "convert": ("loadpath convert robot.xml robot.urdf",),
    "export": ("loadpath export robot.urdf inverse_dynamics -o arm.c",),
    "equations": ("loadpath equations two_link --latex",),
    "count": ("loadpath count puma560 --function inverse_dynamics",),
    "verify": ("loadpath verify puma560",),
    "bench": ("loadpath bench robot.urdf",),
}
"""Of each command, one or more lines as a shell takes them."""
