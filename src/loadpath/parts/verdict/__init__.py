"""The verdict on all parts of a robot over a motion or a spectrum of motions.

`running` leads the states, block by block, past the examiners of all parts (`joint_loads` makes what they see, `limits`
watches the robot's own limits); `result` is what users hold; `basis` says what it rests on and what caused a row;
`what_if` and `largest` ask how far payload and speed may go.
"""
