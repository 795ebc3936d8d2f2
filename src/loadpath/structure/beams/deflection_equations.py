"""How far a flexible arm bends: section 7.1 of Lau's thesis, with its load and its propagation put right (errata).

Each element deflects by m and turns by n (thesis's letters) under its own load; the pieces of an arm add up from
the base outwards:

    n_i = A^T n_{i-1} + n_i,own        m_i = A^T (m_{i-1} + n_{i-1} x d) + m_i,own

`small_deflection` takes the loads of the undeflected arm and adds small rotations: linear in the loads.
`bent_deflection` puts the bodies where given bends put them, without any small-angle step between the pieces, and says
how much the elements bend there; where the bends come out as they went in, the arm is in equilibrium.
"""

from __future__ import annotations

from dataclasses import replace

from loadpath.errors import ModelError
from loadpath.mechanics.kinematics import Placement, base_placement, frame_placement, placements
from loadpath.mechanics.wrenches import Applied, External
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import (
    Array,
    MatrixRotation,
    Rotation,
    Scalar,
    array,
    compose,
    cross,
    dot,
    identity,
    is_zero,
    outer,
    scale,
    skew,
    vector,
    zeros,
)
from loadpath.scalars.decided import Numbers
from loadpath.structure.beams.elastic_mechanism import (
    ElasticElement,
    ElasticMechanism,
    ElementLoad,
    Response,
    check_effects,
)
from loadpath.structure.beams.element_loads import ArmLoads, arm_loads
from loadpath.structure.beams.line_equations import (
    LineMotion,
    Motion,
    floating_start,
    line_motion,
    rotation_of,
    seen_by_line,
)


def element_bend(response: Response, load: ElementLoad) -> tuple[Array, Array]:
    """Displacement and rotation of an element's end against its start, in element axes."""
    P, Q, A, B = load
    terms = ((response.compliance, (*P, *Q)), (-response.uniform, A), (-response.linear, B))
    result = zeros(6)
    for matrix, values in terms:
        for i, row in enumerate(matrix.tolist()):
            for factor, value in zip(row, values, strict=True):
                if not is_zero(factor):
                    result[i] = result[i] + factor * value
    return result[:3], result[3:]


def small_deflection(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    effects: tuple[str, ...],
    axes: str,
    without_driven: bool,
) -> tuple[Array, Array]:
    """Displacement of every link frame's origin and rotation of the frame, each (links, 3), in world or link axes."""
    check_effects(effects)
    mechanism = elastic.mechanism
    motion = (base_velocity, base_acceleration)
    loads = arm_loads(elastic, q, qd, qdd, external, *motion, without_driven=without_driven)
    return _of_frames(mechanism, q, frame_motions(elastic, q, loads, effects), axes)


def frame_motions(elastic: ElasticMechanism, q: Array, loads: ArmLoads, effects: tuple[str, ...]) -> list[Motion]:
    """For each link frame the displacement and rotation of the body that carries it, at its origin and in its axes."""
    moved, motions = arm_motions(elastic, q, loads, effects)
    on_line = {motion.line.link: motion.seen_from_joint(motion.line.frame) for motion in motions.values()}
    return [on_line.get(link, moved[frame.body]) for link, frame in elastic.mechanism.link_frames.items()]


def arm_motions(
    elastic: ElasticMechanism, q: Array, loads: ArmLoads, effects: tuple[str, ...]
) -> tuple[dict[int, Motion], dict[int, LineMotion]]:
    """For each body (and BASE) its displacement and rotation, at its origin and in its axes; and how the beams in
    guides move, by the bodies of their links.
    """
    mechanism = elastic.mechanism
    own = {}
    for element, load in zip(elastic.elements, loads.elements, strict=True):
        m, n = element_bend(element.response(effects), load)
        own[element.end] = element.axes @ m, element.axes @ n
    slides = {slide.body: slide for slide in elastic.guides}
    motions = {line.body: line_motion(line, load, effects)
               for line, load in zip(elastic.lines, loads.lines, strict=True)}
    moved: dict[int, Motion] = {BASE: Motion(zeros(3), zeros(3))}

    def clamp(body: int) -> None:
        """The line of a body that does not slide starts like the body itself."""
        if body in motions and body not in slides:
            line = motions[body].line
            start = seen_by_line(rotation_of(line.axes), array(line.start.tolist()), moved[body])
            motions[body] = motions[body]._replace(start=start)

    def carried(i: int, by: Motion) -> Motion:
        """What a body does that follows its parent, the parent's point that holds it moving like that."""
        body, (Q, b) = mechanism.bodies[i], loads.links[i].joint[:2]
        m, n = by.at(body.arm + body.turn @ b)
        return Motion(Q.T @ (body.turn.T @ m), Q.T @ (body.turn.T @ n))

    def slid(i: int) -> Motion:
        """How the inner line of a body that slides starts."""
        slide, parent = slides[i], mechanism.bodies[i].parent
        guide, R = slide.guide, rotation_of(slide.guide.axes)
        places = [pad.inner.at(q) for pad in guide.pads]
        if parent in motions:
            pads = next(pads for other, _, pads in motions[parent].line.carried if other is guide)
            at_pads = [motions[parent].station(k).at(arm) for k, arm in zip(pads, slide.offsets, strict=True)]
            held = [Motion(slide.turn.T @ m, slide.turn.T @ n) for m, n in at_pads]
        else:
            origin, outer = array(guide.origin.tolist()), carried(i, moved[parent])
            held = [seen_by_line(R, origin + R @ vector(x, 0.0, 0.0), outer) for x in places]
        own = [Motion(zeros(3), zeros(3))] * len(places)
        if i in motions:
            own = [motions[i].own[k] for k in motions[i].line.own_pads]
        along = (R.T @ loads.wrenches[i].force)[0] if "joints" in effects else 0.0
        return floating_start(slide, q, along, held, own)

    clamp(BASE)
    for i, body in enumerate(mechanism.bodies):
        if i in slides:
            start, R = slid(i), rotation_of(slides[i].guide.axes)
            origin = array(slides[i].guide.origin.tolist())
            moved[i] = Motion(R @ start.displacement, R @ start.rotation).at(-origin)
            if i in motions:
                motions[i] = motions[i]._replace(start=start)
            continue
        by = moved[body.parent]
        if body.parent in motions and i in motions[body.parent].line.held:
            by = motions[body.parent].seen_from_joint(motions[body.parent].line.held[i])
        moved[i] = carried(i, by)
        if i in own:
            moved[i] = Motion(moved[i].displacement + own[i][0], moved[i].rotation + own[i][1])
        clamp(i)
    return moved, motions


def _of_frames(mechanism: Mechanism, q: Array, moved: list[Motion], axes: str) -> tuple[Array, Array]:
    """From the displacements and rotations of the bodies that carry them to those of the link frames."""
    bodies = placements(mechanism, q) if axes == "world" else []
    displacement, rotation = zeros(len(mechanism.link_frames), 3), zeros(len(mechanism.link_frames), 3)
    for row, (frame, motion) in enumerate(zip(mechanism.link_frames.values(), moved, strict=True)):
        m, n = motion.at(frame.origin)
        if axes == "world":
            carrier = base_placement(mechanism) if frame.body == BASE else bodies[frame.body]
            displacement[row], rotation[row] = carrier.to_world(m), carrier.to_world(n)
        else:
            displacement[row], rotation[row] = frame.rotation.T @ m, frame.rotation.T @ n
    return displacement, rotation


# Deflected geometry


def bent_deflection(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    bends: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    effects: tuple[str, ...],
    pieces: int,
    axes: str,
) -> tuple[Array, Array, Array, Array]:
    """What the elements bend (elements, 6) where the arm is bent by `bends` (elements, 6); and where the link frames
    are there: displacement (links, 3), and the rotation from the rigid arm's frames as its axis times the sine of its
    angle (links, 3), and the cosine (links).
    """
    if elastic.guides:
        guide = elastic.guides[0].guide
        raise ModelError(f"bent_deflection does not know guides, and joint '{guide.joint}' has one ({guide.guide}): "
                         "small_deflection does")
    check_effects(effects)
    elastic = elastic.divide(pieces)
    bent = elastic.with_mechanism(bent_mechanism(elastic, bends))
    loads = arm_loads(bent, q, qd, qdd, external, base_velocity, base_acceleration).elements
    new_bends = zeros(len(elastic.elements), 6)
    for k, (element, load) in enumerate(zip(bent.elements, loads, strict=True)):
        m, n = element_bend(element.response(effects), load)
        dm, dn = second_order_bend(element, load, bends[k, 3:], effects)
        new_bends[k, :3], new_bends[k, 3:] = m + dm, n + dn
    straight, curved = placements(elastic.mechanism, q), placements(bent.mechanism, q)
    frames = len(elastic.mechanism.link_frames)
    displacement, rotation, cosine = zeros(frames, 3), zeros(frames, 3), zeros(frames)
    for row, frame in enumerate(elastic.mechanism.link_frames.values()):
        before = frame_placement(elastic.mechanism, straight, frame)
        after = frame_placement(bent.mechanism, curved, frame)
        d = after.origin - before.origin
        r, cosine[row] = _turn_between(before, after)
        if axes == "link":
            d, r = before.from_world(d), before.from_world(r)
        displacement[row], rotation[row] = d, r
    return new_bends, displacement, rotation, cosine


def second_order_bend(
    element: ElasticElement, load: ElementLoad, n: Array, effects: tuple[str, ...]
) -> tuple[Array, Array]:
    """What the loads add to the bend of a piece because it is bent already, by n.

    The piece is taken as a parabola, w = n x^2 / 2L, whose sections have turned by n x / L.
    - The end's force has the deflection as its lever: the axial force bends, those across twist. Without the first a
      beam in pieces buckles too late.
    - The moment M is seen from sections that have turned, M - (n x / L) x M: bending about one axis and torsion bend
      about the other, and bending about both twists a beam that is not as stiff in both directions.
    """
    if is_zero(element.length):
        return zeros(3), zeros(3)
    L, (Px, Py, Pz), (Qx, Qy, Qz), (nx, ny, nz) = element.length, load.P, load.Q, n
    m, turned = zeros(3), zeros(3)
    if "bending" in effects:
        bending = element.effects["bending"].compliance
        about_y, about_z = bending.item(4, 4) / L, bending.item(5, 5) / L  # mean of 1 / EI
        across_y, across_z = Qz * nx - Qx * nz, Qx * ny - Qy * nx
        m = vector(
            0.0,
            about_z * (L * L) * (across_z / 6.0 + L / 12.0 * (Pz * nx) - 5.0 / 24.0 * L * (Px * nz)),
            about_y * (L * L) * (5.0 / 24.0 * L * (Px * ny) - L / 12.0 * (Py * nx) - across_y / 6.0),
        )
        turned = vector(
            0.0,
            about_y * L * (across_y / 2.0 + L / 6.0 * (Py * nx) - L / 3.0 * (Px * ny)),
            about_z * L * (across_z / 2.0 + L / 6.0 * (Pz * nx) - L / 3.0 * (Px * nz)),
        )
    if "torsion" in effects:
        about_x = element.effects["torsion"].compliance.item(3, 3) / L  # mean of 1 / GJ
        twist = (Qy * nz - Qz * ny) / 2.0 + L / 6.0 * (Py * ny + Pz * nz)
        turned = turned + vector(about_x * L * twist, 0.0, 0.0)
    return m, turned


def bent_mechanism(elastic: ElasticMechanism, bends: Array) -> Mechanism:
    """The bodies where the elements' bends (displacement and rotation of each end, element axes) put them."""
    bodies = list(elastic.mechanism.bodies)
    for element, bend in zip(elastic.elements, bends, strict=True):
        bodies[element.end] = _bent_body(element, bodies[element.end], bend[:3], bend[3:])
    return replace(elastic.mechanism, bodies=tuple(bodies))


def _bent_body(element: ElasticElement, body: Body, m: Array, n: Array) -> Body:
    # An arc is longer than its chord: of a bend n, length / 6 n^2 is lost along the start's tangent.
    # Where it twists too, it leaves its plane.
    sixth = element.length / 6.0
    along = vector(
        element.length + m[0] - sixth * (n[1] * n[1] + n[2] * n[2]),
        m[1] + sixth * (n[0] * n[1]),
        m[2] + sixth * (n[0] * n[2]),
    )
    turn: Rotation = MatrixRotation(cayley(element.axes @ n))
    return replace(body, arm=element.start + element.axes @ along, turn=compose(body.turn, turn))


def cayley(n: Array) -> Array:
    """A rotation matrix by the vector n: exactly a rotation, about n, by an angle that is |n| but for |n|^5 / 80."""
    g = scale(0.5 + dot(n, n) / 24.0, n)  # tangent of half the angle
    factor: Scalar = 2.0 / (1.0 + dot(g, g))
    turned: Array = identity(3) + scale(factor, skew(g) + outer(g, g) - scale(dot(g, g), identity(3)))
    return turned


def _turn_between(before: Placement, after: Placement) -> tuple[Array, Scalar]:
    """Axis of the rotation from one placement to another times the sine of its angle, in world axes; its cosine."""
    R = array([[dot(b, a) for a in before.rows] for b in after.rows])  # R_after R_before^T
    axis = scale(0.5, vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
    return axis, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)


# Compliance


def compliance(elastic: ElasticMechanism, q: Array, link: str, *, effects: tuple[str, ...]) -> Array:
    """Displacement (three rows) and rotation of a link's frame per unit of force and torque on it, at its origin, in
    world axes: the sum over the elements between it and the base, each seen from there. Symmetric.
    """
    check_effects(effects)
    if elastic.guides:
        return _compliance_by_units(elastic, q, link, effects)
    mechanism = elastic.mechanism
    bodies = placements(mechanism, q)
    frame = mechanism.link_frames[link]
    tip = frame_placement(mechanism, bodies, frame).origin
    on_path = set()
    i = frame.body
    while i != BASE:
        on_path.add(i)
        i = mechanism.bodies[i].parent
    total = zeros(6, 6)
    for element in elastic.elements:
        if element.end in on_path:
            at = bodies[element.end]
            # Columns: what a unit of force, of torque at the tip (world axes) is at the element's end, in its axes.
            X = zeros(6, 6)
            for k in range(3):
                unit = vector(*(1.0 if axis == k else 0.0 for axis in range(3)))
                local = element.axes.T @ at.from_world(unit)
                X[:3, k] = X[3:, 3 + k] = local
                X[3:, k] = element.axes.T @ at.from_world(cross(tip - at.origin, unit))
            total = total + _congruence(element.response(effects).compliance, X)
    return array([[total[min(i, k), max(i, k)] for k in range(6)] for i in range(6)])


def _compliance_by_units(elastic: ElasticMechanism, q: Array, link: str, effects: tuple[str, ...]) -> Array:
    """The same of an arm with guides, whose pads load beams that are not on the path: a unit load at a time. It would
    do for all arms, with the same numbers and twice the operations.
    """
    mechanism = replace(elastic.mechanism, gravity=zeros(3))
    weightless = elastic.with_mechanism(mechanism)
    row, still, total = list(mechanism.link_frames).index(link), zeros(mechanism.n), zeros(6, 6)
    for k in range(6):
        unit = [1.0 if axis == k else 0.0 for axis in range(6)]
        external = {link: Applied(vector(*unit[:3]), vector(*unit[3:]))}
        loads = arm_loads(weightless, q, still, still, external)
        m, n = _of_frames(mechanism, q, frame_motions(weightless, q, loads, effects), "world")
        total[:3, k], total[3:, k] = m[row], n[row]
    return array([[total[min(i, k), max(i, k)] for k in range(6)] for i in range(6)])


def _congruence(c: Numbers, X: Array) -> Array:
    """X^T c X for a symmetric c, its upper half."""
    result = zeros(6, 6)
    half, rows = zeros(6, 6), c.tolist()
    for i in range(6):
        for k in range(6):
            if not is_zero(rows[i][k]):
                half[i] = half[i] + scale(rows[i][k], X[k])
    for i in range(6):
        for k in range(i, 6):
            result[i, k] = dot(X[:, i], half[:, k])
    return result
