"""`mx.executor.Executor`."""
from .symbol.executor import Executor

__all__ = ["Executor"]
