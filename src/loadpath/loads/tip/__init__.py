"""Conditions at the tip: a spring between a link and the world, a surface that it slides on or presses against. A tip
that is held is a loop to the base: `robot.with_loop`.
"""
