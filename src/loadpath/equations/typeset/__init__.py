"""Equations on paper: LaTeX names of symbols, the printed width of a formula, lines that fit a page, whole documents."""
