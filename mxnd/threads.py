"""How many threads operators use."""
import os

from ._core import threads as _core

__all__ = ["get_num_threads", "set_num_threads"]


def _quota():
    """CPUs that the control group allows, or infinity."""
    try:
        with open("/sys/fs/cgroup/cpu.max") as f:
            most, period = f.read().split()
        return float("inf") if most == "max" else max(1, int(int(most) / int(period) + 0.5))
    except (OSError, ValueError):
        pass
    try:
        with open("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") as f, open("/sys/fs/cgroup/cpu/cpu.cfs_period_us") as g:
            most, period = int(f.read()), int(g.read())
        return float("inf") if most <= 0 else max(1, int(most / period + 0.5))
    except (OSError, ValueError):
        return float("inf")


def _default():
    """OMP_NUM_THREADS, else the CPUs this process may use, within the control group's quota."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if first.isdigit() and int(first) > 0:
        return min(int(first), 256)
    try:
        cpus = len(os.sched_getaffinity(0))
    except AttributeError:
        cpus = os.cpu_count() or 1
    return int(min(cpus, _quota(), 256))


def set_num_threads(n):
    """Set how many threads operators use at most; small calls use one anyway.

    Parameters
    ----------
    n : int
        1 to 256.

    Returns
    -------
    int
        The number before.

    Examples
    --------
    >>> before = mx.set_num_threads(1)
    >>> mx.set_num_threads(before)
    1
    """
    return _core.set_num_threads(n)


def get_num_threads():
    """How many threads operators use at most.

    Examples
    --------
    >>> mx.get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()


_core.set_num_threads(_default())
