"""Operators of the user's own: a class for what they compute, another for their names, shapes and dtypes."""
from .custom import CustomOp, CustomOpProp
from .legacy import NDArrayOp, NumpyOp, PythonOp
from .registry import OperatorArguments, get_all_registered_operators, get_operator_arguments, register

__all__ = ["CustomOp", "CustomOpProp", "NDArrayOp", "NumpyOp", "OperatorArguments", "PythonOp", "get_all_registered_operators",
           "get_operator_arguments", "register"]
