"""The CUDA module: `device`, where it was built."""
