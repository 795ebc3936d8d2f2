"""Robots as pictures: `robot_figure.plot` is `robot.plot`; `skeleton` and `scene` serve other rooms' pictures too."""
