# Assembles the kernels of files for chips, all if none is named; fails at the first kernel that is rejected, spills, or loses the
# asynchrony of WGMMA.
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
            done = subprocess.run([ptxas, f"-arch={chip}", "--warn-on-spills", "--warning-as-error", code, "-o", code + ".o"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            # C75xx: WGMMA are serialized, or registers stay in place. ptxas reports no warning.
            if done.returncode or "(C75" in done.stdout:
                sys.exit(f"{chip}, {file}: {done.stdout}")
    print(f"{chip}: {len(files)} files")
