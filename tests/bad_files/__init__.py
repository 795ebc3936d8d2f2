"""Wrong files and calls, and the words for them: see README.md."""
