"""The tables of quantities: what is compiled for a robot, a line each, and what these quantities give back."""
