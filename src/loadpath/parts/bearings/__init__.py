"""Rolling bearings: ISO 281 life and ISO 76 static safety under the six components of a joint's load."""
