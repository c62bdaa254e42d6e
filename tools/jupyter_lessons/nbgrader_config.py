"""Sets nothing. Where nbgrader finds no file of this name it warns at every action of a student's, which helps nobody.

A student's own, ~/.jupyter/nbgrader_config.py, is read as well, and what it says holds.
"""
