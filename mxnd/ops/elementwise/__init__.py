"""Elementwise operators."""
from . import activation, arithmetic, compare, math, rounding
