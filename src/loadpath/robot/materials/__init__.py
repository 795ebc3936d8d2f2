"""What beams are made of: a material, its S-N curve, and common materials by name."""
