"""Which boom of three tubes is light and stiff enough? Height and walls of the tubes and the extension as a space.

Beams that slide in guides are asked one design after the other; on more cores or a cluster that goes side by side.
"""

import warnings

import numpy as np

import loadpath as lp

LENGTH, STROKE = 6.0, 4.5


def crane(height: float, wall: float, load: float) -> lp.FlexibleRobot:
    """A boom that luffs; the second and the third stage slide, the third follows the second by a rope."""
    links, joints, beams = [lp.Link("column")], [], {}
    parent, origin, motion = "column", lp.Pose(translation=(0, 0, 2.0)), lp.Revolute((0, -1, 0))
    for k in range(3):
        name, start = f"stage{k + 1}", (0.0 if k == 0 else -LENGTH, 0.0, 0.0)
        links.append(lp.Link(name, lp.Inertia(1.0)))
        limits = lp.Limits(lower=0.0, upper=np.pi / 2 if k == 0 else STROKE)
        joints.append(lp.Joint("luff" if k == 0 else f"slide{k}", parent, name, motion, origin, limits=limits,
                               mimic=lp.Mimic("slide1") if k == 2 else None))
        tube = lp.RectangularTube(0.7 * (height - 0.05 * k), height - 0.05 * k, wall)
        guide = None if k == 0 else lp.Guide(front=-0.1, tail=-LENGTH + 0.2)
        end = (LENGTH, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.0)
        beams[name] = lp.Beam(tube, lp.STEEL, start=start, end=end, guide=guide)
        parent, motion = name, lp.Prismatic((1, 0, 0))
        origin = lp.Pose(translation=(LENGTH if k == 0 else 0.1, 0, 0))
    links.append(lp.Link("hook", lp.Inertia(load)))
    joints.append(lp.Joint("head", parent, "hook", lp.Fixed()))
    return lp.Robot("crane", links, joints).with_beams(beams, inertia_from_beams=True)


warnings.filterwarnings("ignore", category=lp.ModelWarning)  # some of these booms yield


def yield_safety(robot: lp.FlexibleRobot, motion: tuple[np.ndarray, ...]) -> float:
    """Smallest against yield."""
    return float(robot.stress(motion[0]).worst.safety)


def boom_mass(robot: lp.FlexibleRobot) -> float:
    """Of the three tubes."""
    return sum(robot.link(f"stage{k}").inertia.mass for k in (1, 2, 3))


def poses(extension: float) -> tuple[np.ndarray, ...]:
    """From flat to steep, drawn out by the same length."""
    q = np.array([[luff, extension] for luff in np.radians([0, 30, 60])])
    return q, np.zeros_like(q), np.zeros_like(q)


space = lp.Space(height=["360 mm", "420 mm", "480 mm"], wall=["8 mm", "12 mm"], load="2 t", extension=["3 m", "4.5 m"])
study = lp.study(crane, space, poses, answers=["deflection", yield_safety, boom_mass])
print(study.cost)
study.run()

# The lightest boom that holds two tonnes fully drawn out with a safety of 2 and sags by less than 400 mm.
wanted = "extension >= 4 m and yield_safety >= 2 and deflection <= 400 mm"
good = study.where(wanted)
mass = study.answer("boom_mass").ravel()
print(f"\n{len(good)} of {len(study)} designs fulfil: {wanted}")
for k in study.where("extension >= 4 m"):
    design, at = study.design(int(k)), np.unravel_index(k, study.shape)
    print(f"  tubes {1e3 * design['height']:.0f} mm high, walls {1e3 * design['wall']:.0f} mm: {mass[k]:5.0f} kg, "
          f"sags by {1e3 * study.answer('deflection')[at]:4.0f} mm, safety {study.answer('yield_safety')[at]:.2f}"
          f"{'  <- the lightest' if len(good) and k == good[mass[good].argmin()] else ''}")
