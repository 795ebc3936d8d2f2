"""What other tools write into SDF files that changes the dynamics and is not read: an error names it."""

from __future__ import annotations

from dataclasses import replace

from loadpath.files.xml_node import Node

_OF_DRAKE = {
    "drake:joint": "a joint that SDF does not know",
    "drake:ball_constraint": "a constraint",
    "drake:distance_constraint": "a constraint",
    "drake:tendon_constraint": "a constraint",
    "drake:linear_bushing_rpy": "an elastic bushing",
    "drake:prismatic_spring": "a spring",
}


def refuse_constraints_of_drake(root: Node) -> None:
    """An error for Drake's own joints and constraints; its rotors are read."""
    for element in root.element.everything():
        if element.tag in _OF_DRAKE:
            replace(root, element=element).fail(f"<{element.tag}> is {_OF_DRAKE[element.tag]} for Drake alone, which "
                                                "changes the motion and is not read: write it as a <joint> of SDF, or "
                                                "take it out")  # fmt: skip
