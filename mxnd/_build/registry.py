"""The declarations, imported without the compiled core, for the build steps."""
import importlib.util
import sys
from pathlib import Path


def load(folder):
    """All operators declared in mxnd/ops, each once, in order of declaration."""
    folder = Path(folder)
    spec = importlib.util.spec_from_file_location("declared", folder / "__init__.py", submodule_search_locations=[str(folder)])
    module = sys.modules["declared"] = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return list(dict.fromkeys(module.REGISTRY.values()))
