"""Equations on paper: LaTeX of names, the printed width of a formula, lines that fit a page, whole documents."""
