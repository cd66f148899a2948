"""The memory pool: statistics, and ways to bound and to empty it."""
from ._core.memory import empty, reset_peak, set_limit, stats

__all__ = ["empty", "reset_peak", "set_limit", "stats"]


def _default_limit():
    """An eighth of the machine's memory, or MXND_MEMORY_POOL_LIMIT bytes."""
    import os
    text = os.environ.get("MXND_MEMORY_POOL_LIMIT")
    if text is not None:
        return int(text)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8
    except (ValueError, OSError):
        return 1 << 30


set_limit(_default_limit())
