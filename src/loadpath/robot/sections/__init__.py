"""Cross sections of beams: round, thin-walled, or given by their properties."""
