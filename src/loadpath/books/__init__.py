"""The objects of the sources under their own letters: `robot.books.angeles.T(q)`, `robot.books.lau.D_ikl(q)`.

Each source is one class of compiled quantities (`book.py` says what they share); the equations are those of
`loadpath.formulations`.

| attribute | source |
|---|---|
| `angeles` | J. Angeles, chapter 7, and the lecture on it: natural orthogonal complement, also on a noninertial base |
| `course` | the course notes: Lagrangian, and one linear system of all unknowns |
| `lau` | Lau's thesis: coefficients of the generalized manipulator, selection vectors |
| `lecture` | the lecture notes: Lagrange-Euler in trace form |
"""

from loadpath.books.shelf import Books

__all__ = ["Books"]
