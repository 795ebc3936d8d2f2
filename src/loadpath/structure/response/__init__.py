"""How a flexible arm answers in time: damping, the response to a motion, frequency response, shaped motions."""
