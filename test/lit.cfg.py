# Rules for all tests: suffixes, substitutions, and hardware or tools as features.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess

import lit.formats

config.name = "ampc"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Corpus"]
config.test_source_root = os.path.join(config.source_dir, "test")
config.test_exec_root = os.path.join(config.build_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.build_dir, "bin"), config.llvm_bin, os.environ["PATH"]])

# Commands compile in every test; tests of the cache set AMPC_CACHE.
config.environment["AMPC_CACHE"] = ""

# With AMPC_VERIFY_ROUNDTRIP=1 every test of ampc-opt also prints and parses input and output again.
opt = "ampc-opt"
if os.environ.get("AMPC_VERIFY_ROUNDTRIP"):
    opt += " --verify-roundtrip"


def python_with_numpy():
    """Debian's python3-numpy belongs to the system's interpreter, which need not be the first on PATH."""
    found = "import importlib.util as u, sys; sys.exit(u.find_spec('numpy') is None)"
    candidates = [shutil.which("python3"), "/usr/bin/python3"]
    return next((p for p in candidates if p and subprocess.run([p, "-c", found]).returncode == 0), candidates[0] or "python3")


def python_with(module):
    """The first Python interpreter with the module: $AMPC_TORCH_PYTHON, the interpreter of bench/setup-peers.sh, or python3 on PATH."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    found = f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"
    candidates = [os.environ.get("AMPC_TORCH_PYTHON"), os.path.join(cache, "ampc/venv/bin/python"), shutil.which("python3")]
    return next((p for p in candidates if p and os.path.exists(p) and subprocess.run([p, "-c", found]).returncode == 0), None)


# Frameworks of python/ampc_export; tests of a missing framework are unsupported.
for feature, module in [("pytorch", "torch"), ("torchvision", "torchvision"), ("transformers", "transformers"), ("jax", "jax")]:
    interpreter = python_with(module)
    if interpreter:
        config.available_features.add(feature)
        config.substitutions.append((f"%{feature}", interpreter))


def python_with_onnx():
    """The first Python interpreter with the package onnx in the version of the table of node tests; AMPC_ONNX_PYTHON may name the
    interpreter."""
    found = "import importlib.metadata as m, sys; sys.exit(m.version('onnx') != '1.23.2')"
    candidates = [os.environ.get("AMPC_ONNX_PYTHON"), os.path.expanduser("~/.cache/ampc/venv/bin/python"), shutil.which("python3")]
    return next((p for p in candidates if p and os.path.exists(p) and subprocess.run([p, "-c", found], capture_output=True).returncode == 0), None)


onnx_python = python_with_onnx()
if onnx_python:
    config.available_features.add("onnx")

config.substitutions += [
    ("%onnx-python", onnx_python or "python3"),
    ("%ampc-opt", opt),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%examples", os.path.join(config.source_dir, "examples")),
    ("%source", config.source_dir),
    ("%build", config.build_dir),
    # Programs that find this folder's libcuda.so.1 run on the interpreter of PTX.
    ("%gpu", f"env LD_LIBRARY_PATH={os.path.join(config.build_dir, 'lib/PTXSim/cuda')}"),
    ("%cc", config.cc),
    ("%cxx", config.cxx),
    ("%python", python_with_numpy()),
    ("%llvm", os.path.dirname(config.llvm_bin)),
]

# Slow tests, for `./dev test --full`: in plain builds only, where such tests take minutes.
if os.environ.get("AMPC_TEST_FULL") and not config.sanitize:
    config.available_features.add("full")
# Tests that take minutes and rarely fail alone: for continuous integration, and `./dev test --full`.
if os.environ.get("AMPC_TEST_CI"):
    config.available_features.add("ci")
# Builds that replace malloc and watch memory.
if config.sanitize:
    config.available_features.add("sanitized")
# The only program in packages.
if config.static == "ON":
    config.available_features.add("static")
# Compilations start threads.
if len(os.sched_getaffinity(0)) > 1:
    config.available_features.add("several-processors")
# Roots of a test's own without being root.
if shutil.which("unshare") and subprocess.run(["unshare", "-r", "true"], capture_output=True).returncode == 0:
    config.available_features.add("user-namespaces")
# Processes that train a model together.
if shutil.which("mpicc.openmpi") and shutil.which("mpiexec.openmpi"):
    config.available_features.add("mpi")
# MPI had been there when the build was configured: `mpiexec ampc train`.
if os.path.exists(os.path.join(config.build_dir, "lib/ampc/libampc_mpi.so")):
    config.available_features.add("mpi-engine")
# Models exported by PyTorch, with results: too large for the tree.
if os.path.isdir(os.path.join(config.source_dir, "../shared/oracles")):
    config.available_features.add("exported-models")

# ONNX's checker and runtime, from an interpreter with both.
onnx_python = os.environ.get("AMPC_ONNX_PYTHON") or python_with_numpy()
has_runtime = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('numpy', 'onnx', 'onnxruntime'))))"
if subprocess.run([onnx_python, "-c", has_runtime]).returncode == 0:
    config.available_features.add("onnxruntime")
config.substitutions.append(("%onnx-python", onnx_python))

# The example that reads images.
if os.path.exists(os.path.join(config.build_dir, "examples/fine-tune/fine-tune")):
    config.available_features.add("jpeg")

# The formatter, and the list of files to format.
if shutil.which("clang-format-22") and os.path.exists(os.path.join(config.source_dir, ".git")):
    config.available_features.add("clang-format")

# NVIDIA's driver header, needed by a single test.
cuda_include = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include")
if os.path.exists(os.path.join(cuda_include, "cuda.h")):
    config.available_features.add("cuda-header")
config.substitutions.append(("%cuda_include", cuda_include))

flags = set()
try:
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("flags"):
                flags = set(line.split())
                break
except OSError:
    pass
if {"avx2", "fma", "f16c"} <= flags:
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
    config.available_features.add("avx512")
if {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_bf16"} <= flags:
    config.available_features.add("avx512bf16")
if {"amx_tile", "amx_bf16"} <= flags:
    config.available_features.add("amx")
# AMX tiers in ampc-kernel-run, by emulation; f16 products cannot be emulated next to native tiles without f16.
if "avx2" in config.available_features:
    config.available_features.add("tiles")
    if "amx_tile" not in flags or "amx_fp16" in flags:
        config.available_features.add("tiles-f16")
for tool in ["ptxas", "nvcc", "chromium", "gfortran"]:
    if shutil.which(tool) or os.path.exists(os.path.join("/usr/local/cuda/bin", tool)):
        config.available_features.add(tool)
