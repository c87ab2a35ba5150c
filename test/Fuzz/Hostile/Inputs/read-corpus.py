# Feeds the fuzz targets' inputs to the tools that start fast: read-corpus.py CORPUS FOLDER AMPC_PTXSIM
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every tool ends by itself, in time, with a status of 0, 1 or 2, and prints the reason of a status other than 0."""
import pathlib
import subprocess
import sys

corpus, folder, ptxsim = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
small = str(corpus / "model/small.mlir")
compile = ["ampc", "compile", "--compile-to=precision", "-o", folder, "--precision=bf16"]
commands = {
    "model": lambda file: [*compile, file],
    "policy": lambda file: [*compile, small, f"--policy-file={file}"],
    "profile": lambda file: [*compile, small, f"--precision-profile={file}"],
    "machine": lambda file: ["ampc", "compile", "--plan-only", small, f"--machine={file}"],
    "onnx": lambda file: ["ampc", "import", file, "--batch=3", "-o", "-"],
    "report": lambda file: ["ampc", "report", "--diff", file, file],
    "ptxsim-launch": lambda file: [ptxsim, "run", f"{folder}/empty.ptx", file],
    "ptxsim-arrays": lambda file: [ptxsim, "run", f"{folder}/empty.ptx", "--set", f"arg in {file}" + ":w" * file.endswith("tensors")],
}
failed = 0
for kind in commands:
    for file in sorted((corpus / kind).iterdir()):
        run = subprocess.run(commands[kind](str(file)), capture_output=True, timeout=60)
        if run.returncode not in (0, 1, 2) or (run.returncode and not run.stderr and kind != "report"):
            failed += 1
            print(f"{file}: status {run.returncode}\n{run.stderr.decode(errors='replace')[-500:]}")
print("failed" if failed else "all ended well")
sys.exit(failed != 0)
