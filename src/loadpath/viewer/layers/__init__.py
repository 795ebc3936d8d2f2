"""What the viewer draws, one thing a file: each is a `Layer` with its nodes in the scene and its controls."""
