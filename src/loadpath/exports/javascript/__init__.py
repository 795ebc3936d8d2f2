"""Quantities as JavaScript source, and the functions of the C library that JavaScript lacks."""
