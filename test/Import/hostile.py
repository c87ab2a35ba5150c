# Damaged copies of files through `ampc import`, which ends with a model or an error.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import concurrent.futures
import random
import subprocess
import sys

random.seed(5)
files = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        whole = file.read()
    for kind in range(8):
        data = bytearray(whole[:random.randrange(len(whole))] if kind < 3 else whole)
        if kind >= 3:
            for _ in range(2 * kind):
                data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        files.append(f"damaged{len(files)}.onnx")
        with open(files[-1], "wb") as file:
            file.write(data)


def crashes(path):
    run = subprocess.run(["ampc", "import", path, "--batch=2", "-o", "-"], capture_output=True, timeout=60)
    if b"--dim T=" in run.stderr:
        run = subprocess.run(["ampc", "import", path, "--batch=2", "--dim=T=3", "-o", "-"], capture_output=True, timeout=60)
    return run.returncode not in (0, 1) or (run.returncode == 1 and b"error: " not in run.stderr)


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    crashed = [path for path, bad in zip(files, pool.map(crashes, files)) if bad]
print(f"{len(files)} files, {', '.join(crashed) or 'none'} of them crashed")
