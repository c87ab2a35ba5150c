# Compiled models in Python: ampc.compile.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models to the programs that train them, and loads these programs.

    import ampc
    line = ampc.compile("line.mlir", precision="bf16")
    model = line.Model(seed=1)
    report = model.train_step(x, y)     # NumPy arrays, or tensors of the CPU that have DLPack
    print(report.loss)
"""

import atexit
import importlib.metadata
import importlib.util
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

__all__ = ["CompileError", "cmake_dir", "compile", "executable"]
__version__ = importlib.metadata.version("ampc")

_TREE = pathlib.Path(__file__).parent / "tree"
_numbers = itertools.count()


class CompileError(RuntimeError):
    """A model that ampc refuses; the text has the messages of the compiler, with file and line of the model."""


def executable() -> str:
    """Path of the compiler of this package."""
    return str(_TREE / "bin" / "ampc")


def cmake_dir() -> str:
    """Folder of ampcConfig.cmake, for `cmake -Dampc_DIR=...`."""
    return str(_TREE / "lib" / "cmake" / "ampc")


def compile(model: "str | os.PathLike[str]", *, folder: "str | os.PathLike[str] | None" = None,
            **options: "str | int | float | bool | list[str] | tuple[str, ...] | None") -> types.ModuleType:
    """Compiles a model and returns its interface for Python: the class Model, Error, and constants.

    `model`: the path of a file (.mlir or .onnx), or a text of several lines. `folder`: for library, header and manifest;
    None for a temporary folder, removed when Python ends. `options`: options of `ampc compile` with `_` for `-`, as in precision="bf16",
    winograd="off" or tiers=["avx2", "avx512"]; True gives an option without a value, and False or None omits the option.

    Needs a C compiler, `cc` or that of CC, which links the library. Raises CompileError with ampc's messages.
    """
    is_text = isinstance(model, str) and "\n" in model
    if not is_text and not os.path.exists(model):
        raise FileNotFoundError(f"expected a model's file, or a text of several lines, but got {os.fspath(model)!r}")
    if folder is None:
        folder = tempfile.mkdtemp(prefix="ampc-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    command = [executable(), "compile", "-" if is_text else os.path.abspath(model), "-o", os.path.abspath(folder), "--bindings=python"]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, (list, tuple)):
            value = ",".join(value)
        if value is not None and value is not False:
            command.append(option if value is True else f"{option}={value}")
    before = set(os.listdir(folder))
    done = subprocess.run(command, input=model if is_text else None, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(done.stderr.strip())
    sys.stderr.write(done.stderr)
    written = [path for path in pathlib.Path(folder).glob("*.py") if path.name not in before] or list(pathlib.Path(folder).glob("*.py"))
    return _load(max(written, key=os.path.getmtime))


def _load(path: pathlib.Path) -> types.ModuleType:
    """Imports the file under a unique name, so that two compilations of the same model can coexist."""
    spec = importlib.util.spec_from_file_location(f"ampc._model{next(_numbers)}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
