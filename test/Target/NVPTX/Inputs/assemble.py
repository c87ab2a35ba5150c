# Assembles the kernels of files for chips, all if none is named; fails at the first that is refused or does not fit registers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess
import sys
import tempfile

ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
chips = [name for name in sys.argv[1:] if name.startswith("sm_")]
files = [name for name in sys.argv[1:] if not name.startswith("sm_")]
for chip in chips or ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"]:
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            code = os.path.join(folder, "kernels.ptx")
            with open(code, "w") as out:
                subprocess.run(["ampc-kernel-run", f"--target={chip}", "--emit=ptx", file], check=True, stdout=out)
            subprocess.run([ptxas, f"-arch={chip}", "--warn-on-spills", "--warning-as-error", code, "-o", code + ".o"], check=True)
    print(f"{chip}: {len(files)} files")
