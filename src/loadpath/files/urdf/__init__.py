"""URDF: robots from its files and to them, with the words that this library adds to the format."""
