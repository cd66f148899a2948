"""What `with` blocks have entered, a stack for each thread."""
import threading


class Scopes(threading.local):
    """`stack` is the calling thread's own, the innermost block last."""

    def __init__(self):
        self.stack = []
