"""Gradients of recorded array code."""
from .function import Function
from .gradients import backward, get_symbol, grad, mark_variables
from .modes import is_recording, is_training, pause, predict_mode, record, set_recording, set_training, train_mode

__all__ = ["Function", "backward", "get_symbol", "grad", "is_recording", "is_training", "mark_variables", "pause",
           "predict_mode", "record", "set_recording", "set_training", "train_mode"]
