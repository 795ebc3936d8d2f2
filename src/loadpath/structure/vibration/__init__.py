"""How a flexible arm vibrates: natural frequencies, mode shapes, frequency maps, bandwidth of a motion."""
