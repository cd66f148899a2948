"""Small real data sets that come with the package (their licences lie beside them)."""
from .digits import Digits, digits

__all__ = ["Digits", "digits"]
