"""Beams of links and the guides they slide in: what they are, and where they lie on a robot."""
