"""How loops are closed, and how many freedoms they leave: by rank, numerically, before anything is compiled."""
