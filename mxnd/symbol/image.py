"""Operators on images, `mx.sym.image`."""
from .spaces import fill

fill(__name__, "image")
