"""Programs to run: `python -m mxnd.examples.digits` and `python -m mxnd.examples.text`."""
