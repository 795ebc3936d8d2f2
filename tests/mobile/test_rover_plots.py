"""Figures of stability and wheel loads: what is drawn is what was computed."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

ROVER = lp.catalog.lau_rover(driven=True)
TIME = np.linspace(0, 1, 30)
Q = np.stack([np.sin(3 * TIME), 0.5 * np.cos(3 * TIME), 0.5 + 0.2 * TIME], axis=-1)


def test_support_polygon_and_path():
    standing = ROVER.stability(Q)
    figure = standing.plot()
    polygon, contacts, path = figure.data
    np.testing.assert_allclose(np.column_stack([polygon.y, polygon.x])[:-1], standing.support_polygon)
    assert list(contacts.text) == ["wheel1", "wheel2", "wheel3"]
    np.testing.assert_allclose(np.column_stack([path.y, path.x]), standing.zero_moment_point)
    tipped = ROVER.stability(Q, acceleration=(np.linspace(0, 20, 30), 0.0))
    colours = tipped.plot().data[2].marker.color
    assert [c == "#cc3311" for c in colours] == tipped.tips_over.tolist()
    assert f"{tipped.margin.min():.3g}" in tipped.plot().layout.title.text


def test_loads_over_time():
    loads = ROVER.wheel_loads(Q, acceleration=(np.linspace(0, 20, 30), 0.0))
    figure = loads.plot(TIME)
    np.testing.assert_allclose(figure.data[4].y, loads.longitudinal[:, 1])
    np.testing.assert_allclose(figure.data[8].x, TIME)
    # One red stretch in each panel, from the first state that tips to the last.
    first = TIME[loads.tips_over.argmax()]
    assert {shape.x0 for shape in figure.layout.shapes} == {first} and figure.layout.shapes[0].x1 == TIME[-1]


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match=r"the batch is \(2, 15\)"):
        ROVER.stability(Q.reshape(2, 15, 3)).plot()
    with pytest.raises(ValueError, match="over a row of states"):
        ROVER.wheel_loads(Q[0]).plot()
    with pytest.raises(ValueError, match=r"time has the shape \(3,\)"):
        ROVER.wheel_loads(Q).plot(TIME[:3])
    wheels = [lp.CasterWheel((0.5, 0), 0.1, trail=0.1), lp.Support((0, 0.3)), lp.Support((0, -0.3))]
    cart = lp.WheeledBase(mass=20, center_of_mass=(0.2, 0, 0.3), wheels=wheels).carrying()
    with pytest.raises(ValueError, match="casters with a trail"):
        cart.stability([[], []], velocity=[(0.1, 0.2), (0.1, -0.2)]).plot()
    # At rest, or in one motion, there is one polygon: the caster's contact is behind its pivot.
    figure = cart.stability([]).plot()
    assert max(figure.data[0].y) == pytest.approx(0.4)
    assert max(cart.stability([[], []], steering=[np.pi]).plot().data[0].y) == pytest.approx(0.6)


def test_names_are_text_and_times_go_together():
    wheels = [lp.Support((x, y), name=f"<b>{x}{y}") for x, y in ((0.4, 0.0), (-0.3, 0.3), (-0.3, -0.3))]
    box = lp.WheeledBase(mass=20, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=wheels, name="<i>box",
                         friction=lp.WheelFriction(0.5)).carrying()
    slid = box.simulate(velocity=(0.2, 0.0), duration=0.06)
    figure = slid.plot()
    shown = [figure.layout.title.text, *(trace.name for trace in figure.data)]
    for trace in (*figure.data, *box.stability([]).plot().data, *box.wheel_loads([[], []]).plot().data):
        shown += [trace.name, *np.atleast_1d(trace.text or "")]
    shown.append(box.stability([]).plot().layout.title.text)
    assert any("&lt;b&gt;0.4" in str(text) for text in shown)
    assert not any("<b>" in str(text) or "<i>" in str(text) for text in shown)
    axes = [figure.layout[f"xaxis{k}"].matches for k in (3, 4)]
    assert axes == ["x2", "x2"]
