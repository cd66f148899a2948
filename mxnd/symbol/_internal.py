"""Operators that Python's operators and saved graphs use."""
from .spaces import fill

fill(__name__, "_internal")
