"""What every joint and drive carries at most over a motion."""
