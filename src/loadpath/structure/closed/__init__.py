"""Robots with loops whose links are beams or whose joints give way: the loops are cut, what they exert put on."""
