"""The objects of the sources, `robot.books`: every one of every book, on robots with every feature, against quantities
of the robot that are checked by themselves, and in every kind of call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from combination_states import Floats, States, numbers, states_of
from combination_subjects import arm

import loadpath as lp
from loadpath.books.book import Book, Constant
from loadpath.engine.method import CompiledMethod

H = 1e-6
"""Steps of differences."""


def close(found: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    """Equal but for rounding, measured by the largest number."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    size = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * size)


def times(matrix: Any, values: Any) -> Floats:
    return np.einsum("...ij,...j->...i", matrix, values)


def transposed(matrix: Floats) -> Floats:
    return np.swapaxes(matrix, -1, -2)


def skew(v: Floats) -> Floats:
    x, y, z = np.moveaxis(np.asarray(v), -1, 0)
    none = np.zeros_like(x)
    rows = [[none, -z, y], [z, none, -x], [-y, x, none]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


# Asking


def books_of(robot: Any) -> dict[str, Book]:
    """The books of an open robot."""
    books = robot.books
    return {"angeles": books.angeles, "noninertial": books.angeles.noninertial, "lecture": books.lecture,
            "lau": books.lau, "course": books.course}


def ask(book: Book, letter: str, s: States, tip: str = "tip", **loads: Any) -> Any:
    """An object of a book, on NumPy batches."""
    made = getattr(type(book), letter)
    if isinstance(made, Constant):
        return getattr(book, letter)()
    states = [s[argument] for argument in made.argument_names]
    link = {"link": tip} if made.takes_link else {}
    return getattr(book, letter).uncompiled(*states, **link, **taken(made, loads))


def taken(made: Any, loads: dict[str, Any]) -> dict[str, Any]:
    """Those of the loads that an object depends on."""
    known = {*made.optional, *(["external"] if made.takes_external else [])}
    return {key: value for key, value in loads.items() if key in known}


def centers(robot: Any) -> list[Floats]:
    """Mass centers of the joints' children in their frames; a massless one has its joint's origin."""
    found = []
    for joint in robot.joints:
        inertia, offset = robot.link(joint.child).inertia, joint.link_offset
        found.append(np.array(inertia.center_of_mass) if inertia.mass else -offset.R.T @ offset.p)
    return found


def children(robot: Any) -> list[int]:
    return [robot.link_names.index(joint.child) for joint in robot.joints]


# What the objects must be, from quantities that are checked by themselves

Expected = Callable[[Any, States, dict[str, Any]], Any]


def _T(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    blocks = [robot.jacobian.uncompiled(s["q"], joint.child, point=center)[..., [3, 4, 5, 0, 1, 2], :]
              for joint, center in zip(robot.joints, centers(robot), strict=True)]
    return np.concatenate(blocks, axis=-2)


def _T_dot(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    ahead, back = (_T(robot, {**s, "q": robot.integrate.uncompiled(s["q"], h * s["qd"])}, {}) for h in (H, -H))
    turning = loads.get("base_velocity", np.zeros(6))[3:]
    with_base = np.kron(np.eye(2 * len(robot.joints)), skew(turning)) @ _T(robot, s, {})
    return (ahead - back) / (2 * H) + with_base


def _motions(robot: Any, s: States, loads: dict[str, Any]) -> tuple[Floats, ...]:
    """Of the mass centers: arms, angular velocity, velocity, angular acceleration, acceleration."""
    q, qd, qdd = s["q"], s["qd"], s["qdd"]
    base = {key: value for key, value in loads.items() if key.startswith("base")}
    velocity = {key: value for key, value in base.items() if key == "base_velocity"}
    moving, rates = (
        robot.link_velocities.uncompiled(q, qd, **velocity),
        robot.link_accelerations.uncompiled(q, qd, qdd, **base),
    )
    rows = children(robot)
    R = robot.link_poses.uncompiled(q)[:, rows, :3, :3]
    r = times(R, np.broadcast_to(centers(robot), R.shape[:3]))
    w, v, alpha, a = (part[:, rows] for part in (moving.angular, moving.linear, rates.angular, rates.linear))
    return r, w, v + np.cross(w, r), alpha, a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))


def _stacked(angular: Floats, linear: Floats) -> Floats:
    return np.concatenate([angular, linear], axis=-1).reshape(len(angular), -1)


def _t(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    _, w, v, _, _ = _motions(robot, s, {key: value for key, value in loads.items() if key == "base_velocity"})
    return _stacked(w, v)


def _t_dot(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    *_, alpha, a = _motions(robot, s, loads)
    return _stacked(alpha, a)


def _M(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    poses = robot.link_poses.uncompiled(s["q"])
    size = 6 * len(robot.joints)
    result = np.zeros((len(poses), size, size))
    for i, (joint, row) in enumerate(zip(robot.joints, children(robot), strict=True)):
        inertia, R = robot.link(joint.child).inertia, poses[:, row, :3, :3]
        result[:, 6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = R @ np.array(inertia.tensor) @ transposed(R)
        result[:, 6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia.mass * np.eye(3)
    return result


def _W(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    twists = _t(robot, s, loads).reshape(len(s["q"]), -1, 6)
    size = 6 * len(robot.joints)
    result = np.zeros((len(twists), size, size))
    for i in range(len(robot.joints)):
        result[:, 6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = skew(twists[:, i, :3])
    return result


def _w_G(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    masses = [robot.link(joint.child).inertia.mass for joint in robot.joints]
    return np.concatenate([[0.0, 0.0, 0.0, *(mass * np.array(robot.gravity))] for mass in masses])


def _inertia(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return robot.without_rotors().mass_matrix.uncompiled(s["q"])


def _friction(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    state = s["q"], s["qd"], s["qdd"]
    return robot.without_friction().inverse_dynamics.uncompiled(*state) - robot.inverse_dynamics.uncompiled(*state)


def _coriolis(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return times(robot.coriolis_matrix.uncompiled(s["q"], s["qd"]), s["qd"])


def _tau(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return robot.inverse_dynamics.uncompiled(s["q"], s["qd"], s["qdd"], **loads)


def _poses(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return robot.link_poses.uncompiled(s["q"])[:, children(robot)]


def _slopes(robot: Any, of: Callable[[Floats], Floats], q: Floats) -> Floats:
    """Along a motion with each unit speed, the last axis."""
    ends = []
    for h in (H, -H):
        moved = (robot.integrate.uncompiled(q, np.tile(h * unit, (len(q), 1))) for unit in np.eye(robot.n))
        ends.append(np.stack([of(there) for there in moved], axis=-1))
    return (ends[0] - ends[1]) / (2 * H)


def _U(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    found = _slopes(robot, lambda q: _poses(robot, {**s, "q": q}, {}), s["q"])
    return np.moveaxis(found, -1, 2)


def _J(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    found = []
    for joint in robot.joints:
        inertia = robot.link(joint.child).inertia
        about = inertia.at_origin()
        second = 0.5 * np.trace(about) * np.eye(3) - about
        first = inertia.mass * np.array(inertia.center_of_mass)
        found.append(np.block([[second, first[:, None]], [first, inertia.mass]]))
    return np.array(found)


def _turned_jacobian(robot: Any, s: States, rows: slice, link: str) -> Floats:
    R = robot.link_poses.uncompiled(s["q"])[:, robot.link_names.index(link), :3, :3]
    return transposed(transposed(R) @ robot.jacobian.uncompiled(s["q"], link)[:, rows])


def _of_tip(rows: slice) -> Expected:
    return lambda robot, s, loads: _turned_jacobian(robot, s, rows, s["tip"])


def _of_links(rows: slice) -> Expected:
    return lambda robot, s, loads: np.stack([_turned_jacobian(robot, s, rows, link) for link in robot.link_names], 1)


def _L(robot: Any, q: Floats, qd: Floats) -> Floats:
    return robot.kinetic_energy.uncompiled(q, qd) - robot.potential_energy.uncompiled(q)


def _gravity(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return robot.gravity_forces.uncompiled(s["q"])


def _mass_matrix(robot: Any, s: States, loads: dict[str, Any]) -> Floats:
    return robot.mass_matrix.uncompiled(s["q"])


EXPECTED: dict[str, dict[str, Expected]] = {
    "angeles": {
        "T": _T, "T_dot": _T_dot, "M": _M, "W": _W, "t": _t, "t_dot": _t_dot, "w_G": _w_G, "tau": _tau,
        "gamma": lambda robot, s, loads: -_gravity(robot, s, loads),
        "delta": _friction, "I": _inertia,
    },
    "lecture": {
        "A": _poses, "U": _U, "J": _J, "D": _inertia, "h": _coriolis, "c": _gravity,
    },
    "lau": {
        "D_i": _gravity, "D_ik": _inertia,
        "Ia": lambda robot, s, loads: np.diagonal((_mass_matrix(robot, s, loads) - _inertia(robot, s, loads))[0]),
        "delta": _of_tip(slice(3, 6)), "mu": _of_tip(slice(0, 3)),
        "deltas": _of_links(slice(3, 6)), "mus": _of_links(slice(0, 3)),
    },
    "course": {
        "K": lambda robot, s, loads: robot.kinetic_energy.uncompiled(s["q"], s["qd"]),
        "P": lambda robot, s, loads: robot.potential_energy.uncompiled(s["q"]),
        "L": lambda robot, s, loads: _L(robot, s["q"], s["qd"]),
        "dL_dq": lambda robot, s, loads: _slopes(robot, lambda q: _L(robot, q, s["qd"]), s["q"]),
        "dL_dqd": lambda robot, s, loads: times(_mass_matrix(robot, s, loads), s["qd"]),
        "G": _gravity,
    },
    "noninertial": {},
}
"""Objects that are equal to something."""
BY_DIFFERENCES = frozenset({"T_dot", "U", "dL_dq"})


# Objects that fulfil an equation

Identity = Callable[[Any, Book, States, dict[str, Any]], None]


def _constraints(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    K, T = ask(book, "K", s), ask(book, "T", s)
    close(K @ T, np.zeros((*K.shape[:-1], T.shape[-1])))
    freedoms = sum(joint.motion.dof for joint in robot.joints)
    assert (np.linalg.matrix_rank(K, tol=1e-9) == K.shape[-1] - freedoms).all()


def _coriolis_matrix(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    close(times(ask(book, "C", s), s["qd"]), -_coriolis(robot, s, loads))


def _wrenches(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    """Of the links beyond a joint, their sum is what the joint carries; those of constraints do not work."""
    w_A, w_D, w_C = (ask(book, letter, s, **loads) for letter in ("w_A", "w_D", "w_C"))
    T = ask(book, "T", s)
    size = np.abs(w_C).max(initial=1.0)
    close(times(transposed(T), w_C) / size, 0 * s["qd"])
    close(times(transposed(T), w_D), _friction(robot, s, loads))
    w = (w_A + w_D + w_C).reshape(len(w_C), -1, 6)
    carried = robot.joint_wrenches.uncompiled(s["q"], s["qd"], s["qdd"], **loads)
    poses = robot.link_poses.uncompiled(s["q"])
    R = poses[:, children(robot), :3, :3]
    c = poses[:, children(robot)][..., :3, 3] + times(R, np.broadcast_to(centers(robot), R.shape[:3]))
    for i, joint in enumerate(robot.joints):
        axes = R[:, i] @ joint.link_offset.R.T
        origin = poses[:, children(robot)[i], :3, 3] - axes @ joint.link_offset.p
        beyond = [j for j, other in enumerate(robot.joints) if joint.child in _path(robot, other.child)]
        force = w[:, beyond, 3:].sum(axis=1)
        moment = (w[:, beyond, :3] + np.cross(c[:, beyond] - origin[:, None], w[:, beyond, 3:])).sum(axis=1)
        close(times(transposed(axes), force), carried.force[:, i])
        close(times(transposed(axes), moment), carried.torque[:, i])


def _path(robot: Any, link: str) -> list[str]:
    """The link and all between it and the base."""
    found = [link]
    while found[-1] != robot.base.name:
        found.append(next(joint.parent for joint in robot.joints if joint.child == found[-1]))
    return found


def _multipliers(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    K, w_C = ask(book, "K", s), ask(book, "w_C", s, **loads)
    close(times(transposed(K), ask(book, "multipliers", s, **loads)), w_C)


def _joint_matrices(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    """U_ij of the joint's own link is A_p Q_j A_p^-1 A_i."""
    Q, U = ask(book, "Q", s), ask(book, "U", s)
    poses = robot.link_poses.uncompiled(s["q"])
    for i, joint in enumerate(robot.joints):
        parent, own = (poses[:, robot.link_names.index(link)] for link in (joint.parent, joint.child))
        for j in range(*robot.v_slices[joint.name].indices(robot.n)) if joint.motion.dof and not joint.mimic else ():
            close(U[:, i, j], parent @ Q[:, j] @ np.linalg.inv(parent) @ own)


def _second_slopes(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    ahead, back = (ask(book, "U", {**s, "q": robot.integrate.uncompiled(s["q"], h * s["qd"])}) for h in (H, -H))
    close(np.einsum("sijkab,sk->sijab", ask(book, "U_jk", s), s["qd"]), (ahead - back) / (2 * H), 1e-6)


def _products(letter: str) -> Identity:
    def check(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
        found = np.einsum("sikm,sk,sm->si", ask(book, letter, s), s["qd"], s["qd"])
        close(found, _coriolis(robot, s, loads))

    return check


def _selection(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    """Turned into the world, a unit vector along what the child does against the parent."""
    found = ask(book, "s", s)
    close(np.linalg.norm(found, axis=-1), np.ones(found.shape[:-1]))
    poses = robot.link_poses.uncompiled(s["q"])
    for joint in robot.joints:
        if not joint.motion.dof or joint.mimic:
            continue
        own, before = (robot.jacobian.uncompiled(s["q"], link) for link in (joint.child, joint.parent))
        axes = poses[:, robot.link_names.index(joint.child), :3, :3] @ joint.link_offset.R.T
        for j in range(*robot.v_slices[joint.name].indices(robot.n)):
            turn, slide = own[:, 3:, j] - before[:, 3:, j], own[:, :3, j] - before[:, :3, j]
            close(times(axes, found[:, j]), turn if np.abs(turn).max() > 1e-6 else slide)


def _three_terms(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    M, B, C = ask(book, "three_terms", s)
    close(M, _mass_matrix(robot, s, loads))
    names = list(robot.dof_names)
    pairs = [(names.index(a), names.index(b)) for a, b in book.speed_pairs()]  # type: ignore[attr-defined]
    products = np.stack([s["qd"][:, a] * s["qd"][:, b] for a, b in pairs], axis=-1) if pairs else np.zeros((len(M), 0))
    close(times(B, s["qd"] ** 2) + times(C, products), _coriolis(robot, s, loads))


def _two_terms(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    M, C = ask(book, "two_terms", s)
    close(M, _mass_matrix(robot, s, loads))
    close(times(C, s["qd"]), _coriolis(robot, s, loads))


def _system(robot: Any, book: Book, s: States, loads: dict[str, Any]) -> None:
    """All accelerations given, the forces of the drives."""
    q, qd, qdd = (s[part][0] for part in ("q", "qd", "qdd"))
    given = dict(zip(robot.dof_names, qdd.tolist(), strict=True))
    solved = book.system(q, qd, accelerations=given, **loads).solve()  # type: ignore[attr-defined]
    close(solved.tau, robot.inverse_dynamics.uncompiled(q, qd, qdd, **loads))


IDENTITIES: dict[str, dict[str, Identity]] = {
    "angeles": {"K": _constraints, "C": _coriolis_matrix, "w_A": _wrenches, "w_D": _wrenches, "w_C": _wrenches,
                "multipliers": _multipliers},
    "lecture": {"Q": _joint_matrices, "U_jk": _second_slopes, "h_ikm": _products("h_ikm")},
    "lau": {"D_ikl": _products("D_ikl"), "s": _selection},
    "course": {"three_terms": _three_terms, "speed_pairs": _three_terms, "two_terms": _two_terms, "system": _system},
}


def noninertial(book: Book, free: Any, s: States, loads: dict[str, Any]) -> None:
    """On a free base, through the matrix B from the speeds of the free joint to the base's twist. On robots with other
    features: tests/books.
    """
    by_joint = free.books.angeles

    def own(letter: str) -> Any:
        return ask(book, letter, s, **loads)

    def other(letter: str) -> Any:
        return ask(by_joint, letter, s, **loads)

    T, T_dot, of_joint, rate = own("T"), own("T_dot"), other("T"), other("T_dot")
    B, B_dot = (np.broadcast_to(np.eye(free.n), (len(T), free.n, free.n)).copy() for _ in range(2))
    B[:, :6, :6], B_dot[:, :6, :6], B_dot[:, 6:, 6:] = of_joint[:, :6, :6], rate[:, :6, :6], 0.0
    wanted = {
        "T": of_joint @ np.linalg.inv(B), "A_0": T[:, 6:, :6], "T_prime": T[:, 6:, 6:],
        "T_dot": (rate - T @ B_dot) @ np.linalg.inv(B), "K": other("K")[:, 6:],
        **{letter: other(letter) for letter in ("M", "W", "t", "t_dot", "w_G", "w_A", "w_D", "w_C")},
        "v": times(B, s["qd"]), "multipliers": other("multipliers")[:, 6:],
        "tau": np.linalg.solve(transposed(B), other("tau")[..., None])[..., 0],
        "gamma": transposed(T) @ own("w_G"), "delta": times(transposed(T), own("w_D")),
        "I": transposed(T) @ own("M") @ T, "C": -transposed(T) @ (own("M") @ T_dot + own("W") @ own("M") @ T),
    }
    assert set(wanted) == set(book.places)
    for letter, value in wanted.items():
        close(own(letter), value, 1e-8)


def check(robot: Any, s: States, tip: str, **loads: Any) -> None:
    """Every object of every book."""
    s = {**s, "tip": tip}
    found = books_of(robot)
    for name, of_letter in EXPECTED.items():
        for letter, expected in of_letter.items():
            if loads and not depends(found[name], letter, loads):
                continue
            close(ask(found[name], letter, s, tip, **loads), expected(robot, s, loads),
                  1e-6 if letter in BY_DIFFERENCES else 1e-9)
    for name, of_identity in IDENTITIES.items():
        done: set[Any] = set()
        for letter, identity in of_identity.items():
            if identity not in done and not (loads and not depends(found[name], letter, loads)):
                identity(robot, found[name], s, loads)
            done.add(identity)


def found_free(found: dict[str, Book]) -> Any:
    """The robot of the noninertial base, as a robot."""
    book = found["noninertial"]
    return lp.Robot(book.name, book.links, book.joints, book.gravity, book.known_faults)


def depends(book: Book, letter: str, loads: dict[str, Any]) -> bool:
    """Whether an object takes any of these loads."""
    if letter == "system":
        return True
    made = getattr(type(book), letter)
    return not isinstance(made, Constant) and bool(getattr(made, "optional", None) is not None and taken(made, loads))


TAKES_EXTERNAL = {"angeles": {"w_A", "w_C", "multipliers", "tau"}, "noninertial": {"w_A", "w_C", "multipliers", "tau"}}
TAKES_BASE = {"angeles": {"T_dot", "W", "t", "t_dot", "w_A", "w_C", "multipliers", "tau"}}


def compiled_objects(robot: Any) -> Iterator[tuple[str, Book, str, CompiledMethod]]:
    """Those that are compiled, which is all but constants, methods and books in books."""
    for name, book in books_of(robot).items():
        for letter in book.places:
            method = getattr(book, letter)
            if isinstance(method, CompiledMethod):
                yield name, book, letter, method


# Kinds of calls


def under_loads(loads: dict[str, Any]) -> None:
    """What depends on loads, checked under them; what does not, refuses them by name."""
    check(arm(), states_of(arm()), "tip", **loads)
    if "external" in loads:
        free = found_free(books_of(arm()))
        noninertial(books_of(arm())["noninertial"], free, states_of(free), loads)
    taking = TAKES_EXTERNAL if "external" in loads else TAKES_BASE
    for name, book, letter, method in compiled_objects(arm()):
        if letter in taking.get(name, ()):
            assert taken(method.quantity, loads), (name, letter)
            continue
        key = next(iter(loads))
        try:
            ask_with(book, letter, states_for(name, 1), {key: loads[key]})
        except TypeError as problem:
            assert f"{letter} takes no '{key}'" in str(problem)
        else:
            raise AssertionError(f"{name}.{letter} takes '{key}'")


def ask_with(book: Book, letter: str, s: States, options: dict[str, Any]) -> Any:
    made = getattr(type(book), letter)
    link = {"link": "tip"} if made.takes_link else {}
    return getattr(book, letter).uncompiled(*(s[part] for part in made.argument_names), **link, **options)


def with_motion(source: Any) -> None:
    for name, book, letter, method in compiled_objects(arm()):
        if name == "noninertial":
            continue  # a motion of the arm is none of the arm on a free base
        s = states_of(arm(), len(source.q)) | {"q": source.q, "qd": source.qd, "qdd": source.qdd}
        link = {"link": "tip"} if method.quantity.takes_link else {}
        found, wanted = method.uncompiled(source, **link), ask(book, letter, s)
        for part, of_arrays in zip(numbers(found), numbers(wanted), strict=True):
            close(part, of_arrays, 1e-12)


def states_for(name: str, count: int) -> States:
    return states_of(arm() if name != "noninertial" else found_free(books_of(arm())), count)


def in_single_precision() -> None:
    for name, book, letter, _ in compiled_objects(arm()):
        s = states_for(name, 3)
        single = {key: value.astype(np.float32) for key, value in s.items()}
        for found, wanted in zip(numbers(ask(book, letter, single)), numbers(ask(book, letter, s)), strict=True):
            assert found.dtype == np.float32, (name, letter)
            close(found, wanted, 1e-4)


def in_a_batch() -> None:
    """Two axes that broadcast, and one state after the other; a state that is not a number, in its own row."""
    for name, book, letter, method in compiled_objects(arm()):
        rows = states_for(name, 6)
        grid = {key: value.reshape(2, 3, *value.shape[1:]) for key, value in rows.items()}
        first = method.quantity.argument_names[0]
        grid[first] = grid[first][:, :1]
        found = numbers(ask(book, letter, grid))
        single = {key: value[1, 0 if key == first else -1] for key, value in grid.items()}
        for part, wanted in zip(found, numbers(ask(book, letter, single)), strict=True):
            close(part[1, -1], wanted, 1e-12)
        broken = {key: value.copy() for key, value in rows.items()}
        broken[first][2] = np.nan
        for part, wanted in zip(numbers(ask(book, letter, broken)), numbers(ask(book, letter, rows)), strict=True):
            close(np.delete(part, 2, axis=0), np.delete(wanted, 2, axis=0), 1e-12)


def with_no_states() -> None:
    for name, book, letter, _ in compiled_objects(arm()):
        rows = states_for(name, 1)
        one, none = (numbers(ask(book, letter, {key: value[:count] for key, value in rows.items()}))
                     for count in (1, 0))
        for part, shape in zip(none, [part.shape for part in one], strict=True):
            assert part.shape == (0, *shape[1:]), (name, letter)


# Robots with loops


def closed(robot: lp.ClosedRobot, s: States) -> None:
    """The orthogonal complement of a closed robot, by the equations that it fulfils; the other books refuse loops."""
    book = robot.books.angeles
    state = s["q"], s["qd"], s["qdd"]
    K, T, w_C = ask(book, "K", s), ask(book, "T", s), ask(book, "w_C", s)
    close(K @ T, np.zeros((*K.shape[:-1], T.shape[-1])))
    close(times(transposed(T), w_C), np.zeros((len(T), robot.mobility)))
    close(ask(book, "tau", s), robot.inverse_dynamics.uncompiled(*state))
    close(times(T, s["qd"][:, list(robot.split.independent)]), _t(robot, s, {}))
    close(ask(book, "I", s), transposed(T) @ _M(robot, s, {}) @ T)
    for name in ("lecture", "lau", "course"):
        try:
            getattr(robot.books, name)
        except lp.ModelError as problem:
            assert f"robot.tree.books.{name}" in str(problem)
        else:
            raise AssertionError(f"books.{name} of a robot with loops")


def checked() -> set[str]:
    """Names of all objects that are checked here, `book.letter`."""
    known = {f"{name}.{letter}" for table in (EXPECTED, IDENTITIES) for name, of in table.items() for letter in of}
    return known | {"angeles.noninertial"}
