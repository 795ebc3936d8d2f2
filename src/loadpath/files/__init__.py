"""Robots from files and to files: a folder for each format (`formats` lists them), and what all of them share."""
