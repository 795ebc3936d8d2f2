"""Fatigue of beams: S-N curves, rainflow counting, mean stress, Miner's sum, and what drives it."""
