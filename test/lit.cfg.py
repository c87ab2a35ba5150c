# Rules for all tests: suffixes, substitutions, and hardware or tools as features.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil

import lit.formats

config.name = "ampc"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.source_dir, "test")
config.test_exec_root = os.path.join(config.build_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.build_dir, "bin"), config.llvm_bin, os.environ["PATH"]])

# With AMPC_VERIFY_ROUNDTRIP=1 every test of ampc-opt also prints and parses its input and output again.
opt = "ampc-opt"
if os.environ.get("AMPC_VERIFY_ROUNDTRIP"):
    opt += " --verify-roundtrip"
config.substitutions += [
    ("%ampc-opt", opt),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%examples", os.path.join(config.source_dir, "examples")),
    ("%source", config.source_dir),
    ("%build", config.build_dir),
    ("%cc", config.cc),
    ("%python", shutil.which("python3") or "python3"),
]

# Models that PyTorch exported, with its results: more than fit into the tree.
if os.path.isdir(os.path.join(config.source_dir, "../shared/oracles")):
    config.available_features.add("exported-models")

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
for tool in ["ptxas", "nvcc", "chromium"]:
    if shutil.which(tool) or os.path.exists(os.path.join("/usr/local/cuda/bin", tool)):
        config.available_features.add(tool)
