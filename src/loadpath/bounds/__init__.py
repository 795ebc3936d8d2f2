"""What no state of a box exceeds: worst cases, and bounds of them by branch and bound."""
