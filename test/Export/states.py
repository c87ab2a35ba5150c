# Rows of a buffer that the graph takes and returns: ONNX Runtime, fed from call to call, against ampc predict: states.py MODEL FOLDER [runtime]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np

from round_trip import write_safetensors

BATCH, CALLS = 4, 3
model, folder = sys.argv[1:3]
random = np.random.default_rng(5)
draw = lambda *dims: random.normal(0, 0.5, dims).astype(np.float32)
weights = f"{folder}/weights.safetensors"
write_safetensors(weights, {"wx": draw(3, 6), "wh": draw(6, 6), "table": draw(5, 6)})
x = draw(BATCH * CALLS, 5, 3)
np.save(f"{folder}/x.npy", x)
subprocess.run(["ampc", "export", model, "--function", "states", "--checkpoint", weights, "-o", f"{folder}/model.onnx", "--quiet"], check=True)
if sys.argv[3:] == ["runtime"]:
    import onnx
    import onnxruntime
    onnx.checker.check_model(f"{folder}/model.onnx", full_check=True)
    names = ["out", "state:k"]
    subprocess.run(["ampc", "predict", model, "--export", "states", "--checkpoint", weights, f"--data=x={folder}/x.npy", "--quiet",
                    *(f"--out={name}={folder}/{i}.npy" for i, name in enumerate(names))], check=True)
    want = [np.load(f"{folder}/{i}.npy") for i in range(2)]
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", providers=["CPUExecutionProvider"])
    state, got = np.ones((BATCH, 6), np.float32), []
    for call in range(CALLS):
        results = session.run(["out", "state:k.next"], {"x": x[call * BATCH:(call + 1) * BATCH], "state:k": state})
        state = results[1]
        got.append(results)
    wrong = [float(np.abs(np.concatenate(parts) - whole).max()) for parts, whole in zip(zip(*got), want)]
    moved = float(np.abs(want[1][-BATCH:] - want[1][:BATCH]).max())
    print("as ampc predict" if max(wrong) <= 1e-5 and moved > 0.1 else f"different: {wrong}, moved {moved}")
