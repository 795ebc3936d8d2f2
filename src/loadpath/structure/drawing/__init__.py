"""Pictures of a flexible arm: deflected shapes, safety, mode shapes."""
