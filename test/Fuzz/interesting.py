# Test for the reducer, whether a model still has a problem: interesting.py AMPC_FUZZ SEED CHECK MODEL. Status 1 if so. CHECK: a check of
# ampc-fuzz, or `oracle`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile

fuzz, seed, check, model = sys.argv[1:]
oracle = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle.py")
with tempfile.TemporaryDirectory() as folder:
    byOracle = check == "oracle"
    command = [fuzz, model, f"--seed={seed}", f"--out={folder}", f"--check={'none' if byOracle else check}"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(rf"^(seed \d+: WRONG )?{check}: |CRASHED .* in {check}$", said, re.M)
    results = os.path.join(folder, seed)
    if byOracle and os.path.exists(os.path.join(results, "f64.safetensors")):
        said = subprocess.run([sys.executable, oracle, results], capture_output=True, text=True).stdout
        found = "WRONG" in said
sys.exit(1 if found else 0)
