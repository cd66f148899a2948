"""Whether operators are recorded, and whether they run in training mode; each thread has its own flags."""
from .._core import call as _call


def is_recording():
    """Whether operators are recorded.

    Examples
    --------
    >>> mx.autograd.is_recording()
    False
    """
    return _call.recording()


def is_training():
    """Whether operators such as Dropout run in training mode.

    Examples
    --------
    >>> mx.autograd.is_training()
    False
    """
    return _call.training()


def set_recording(is_recording):
    """Switch recording; returns what it was.

    Examples
    --------
    >>> before = mx.autograd.set_recording(True)
    >>> mx.autograd.set_recording(before)
    True
    """
    return _call.set_recording(bool(is_recording))


def set_training(train_mode):
    """Switch training mode; returns what it was.

    Examples
    --------
    >>> before = mx.autograd.set_training(True)
    >>> mx.autograd.set_training(before)
    True
    """
    return _call.set_training(bool(train_mode))


class _Scope:
    """Sets the flags (None: leaves one) and puts back what they were."""

    __slots__ = ("before", "recording", "training")

    def __init__(self, recording, training):
        self.recording, self.training, self.before = recording, training, []

    def __enter__(self):
        self.before.append((None if self.recording is None else _call.set_recording(self.recording),
                            None if self.training is None else _call.set_training(self.training)))
        return self

    def __exit__(self, kind, value, trace):
        recording, training = self.before.pop()
        if recording is not None:
            _call.set_recording(recording)
        if training is not None:
            _call.set_training(training)


def record(train_mode=True):
    """A scope in which operators on attached arrays are recorded.

    Parameters
    ----------
    train_mode : bool, default True

    Examples
    --------
    >>> with mx.autograd.record():
    ...     mx.autograd.is_recording(), mx.autograd.is_training()
    (True, True)
    """
    return _Scope(True, bool(train_mode))


def pause(train_mode=False):
    """A scope in which nothing is recorded.

    Parameters
    ----------
    train_mode : bool, default False

    Examples
    --------
    >>> with mx.autograd.record():
    ...     with mx.autograd.pause():
    ...         mx.autograd.is_recording()
    False
    """
    return _Scope(False, bool(train_mode))


def train_mode():
    """A scope in training mode; recording stays as it is.

    Examples
    --------
    >>> with mx.autograd.train_mode():
    ...     mx.autograd.is_training()
    True
    """
    return _Scope(None, True)


def predict_mode():
    """A scope in inference mode; recording stays as it is.

    Examples
    --------
    >>> with mx.autograd.predict_mode():
    ...     mx.autograd.is_training()
    False
    """
    return _Scope(None, False)
