# Truncates a model while ampc reads the file, at several moments: shortened.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import time

path = f"{sys.argv[1]}/shortened.mlir"
COUNT = 200000
text = f"""train.model @m {{
  train.param @w : tensor<{COUNT}xf32> = dense<[{", ".join(f"{i}.5" for i in range(COUNT))}]> : tensor<{COUNT}xf32>
  train.func @loss(%x: tensor<1xf32>) -> tensor<f32> {{
    %0 = train.read @w : tensor<{COUNT}xf32>
    %1 = train.reduce_mean %0 over [0] : tensor<{COUNT}xf32>
    train.return %1 : tensor<f32>
  }}
}}
"""
runs = 0
for milliseconds in (20, 40, 60, 80, 100, 120, 150, 200):
    with open(path, "w") as out:
        out.write(text)
    run = subprocess.Popen(["ampc", "compile", path, "--compile-to=import"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(milliseconds / 1000)
    os.truncate(path, 100)
    words = run.communicate(timeout=60)[1].decode()
    assert run.returncode in (0, 1) and (run.returncode == 0 or "error: " in words), (milliseconds, run.returncode, words[:2000])
    runs += 1
print(f"{runs} compilations, words or a library")
