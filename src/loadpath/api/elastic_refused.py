"""What a robot with beams or compliant joints refuses of what a rigid one has, with the reason and what to do."""

from __future__ import annotations

from typing import Any

from loadpath.engine.refused import Refused

_FREEDOMS = (
    "its beams and their guides were placed for the joints that it has: take robot.without_beams(), and give the beams "
    "to what comes of it with with_beams(...)"
)


class ElasticRefusals:
    """In front of what `lp.Robot` has under these names."""

    generalized: Any = Refused(_FREEDOMS)
    reduced: Any = Refused(_FREEDOMS)
