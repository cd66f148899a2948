"""A progress bar on the error stream."""
import sys
import time

WIDTH = 24


class Progress:
    """Count steps and show how far they are: a bar on a terminal, otherwise a line for every tenth.

    Parameters
    ----------
    title : str
        What goes on.
    total : int
        Number of steps.
    stream : file, optional
        Where to write (the error stream).
    """

    def __init__(self, title, total, stream=None):
        self.title, self.total = title, total
        self.stream = sys.stderr if stream is None else stream
        self.live = self.stream.isatty()
        self.done, self.start, self.drawn, self.note = 0, time.perf_counter(), 0.0, ""

    def __enter__(self):
        return self

    def step(self, note=""):
        """One step further; note is shown beside the bar."""
        self.done += 1
        self.note = note
        now = time.perf_counter()
        if self.live:
            if now - self.drawn >= 0.05 or self.done == self.total:
                self.drawn = now
                self._draw("\r", "")
        elif self.done * 10 // self.total > (self.done - 1) * 10 // self.total:
            self._draw("", "\n")

    def __exit__(self, kind, error, trace):
        if self.live:
            self._draw("\r", "\n")
        self.stream.flush()

    def _draw(self, begin, end):
        part = self.done / max(self.total, 1)
        seconds = time.perf_counter() - self.start
        full = int(part * WIDTH)
        left = f"{seconds / part - seconds:.0f} s left" if 0 < part < 1 else f"{seconds:.1f} s"
        clear = "\x1b[K" if self.live else ""
        bar = "#" * full + "." * (WIDTH - full)
        self.stream.write(f"{begin}{self.title} [{bar}] {part:4.0%} {left:>9}  {self.note}{clear}{end}")
        self.stream.flush()
