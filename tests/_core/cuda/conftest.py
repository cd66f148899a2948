"""The CUDA files compiled as C++, to run on the CPU."""
import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CORE = ROOT / "mxnd" / "_core"


def compiled(folder, name, *sources):
    """The library that these sources make with a C++ compiler."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None or sys.platform == "win32":
        pytest.skip("needs a C++ compiler")
    if not (CORE / "cuda" / "host.h").exists():
        pytest.skip("needs the source tree")
    library = folder / f"{name}.so"
    command = [compiler, "-x", "c++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Wno-type-limits", "-shared", "-fPIC",
               "-DMXND_CUDA_ON_HOST", "-I", CORE, "-I", folder, *sources, "-o", library]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:5000]
    return library


@pytest.fixture(scope="session")
def kernels(tmp_path_factory):
    """memory.cu and elementwise.cu."""
    folder = tmp_path_factory.mktemp("cuda")
    subprocess.run([sys.executable, ROOT / "mxnd" / "_build" / "write_lists.py", ROOT / "mxnd" / "ops",
                    folder / "elementwise_list.h"], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return ctypes.CDLL(str(compiled(folder, "kernels", CORE / "cuda" / "memory.cu", CORE / "cuda" / "elementwise.cu")))


@pytest.fixture(scope="session")
def barriers(tmp_path_factory):
    """Path of the library of barriers.cu."""
    return compiled(tmp_path_factory.mktemp("barriers"), "barriers", Path(__file__).with_name("barriers.cu"))
