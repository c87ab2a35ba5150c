# NaN in the operands of extrema, against NumPy, in the types and on the targets of the command line.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nan.py: in the current folder. Inputs of programs have to be finite, so the graph makes NaN by 0/0."""
import subprocess

import numpy as np

from graph_files import node, tensor, value, write

F32 = np.float32


def clip(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def main():
    random = np.random.default_rng(4)
    arrays = {name: random.standard_normal((4, 37)).astype(F32) for name in ("x", "y")}
    for name, places in (("x", [(0, 3), (1, 36), (2, 5)]), ("y", [(0, 3), (3, 36), (2, 6)])):
        ones = np.ones((4, 37), F32)
        for place in places:
            ones[place] = 0
        arrays[f"{name}.ones"] = ones
    with np.errstate(invalid="ignore"):
        x, y = (arrays[name] * (arrays[f"{name}.ones"] / arrays[f"{name}.ones"]) for name in ("x", "y"))
    low, high = F32(-0.5), F32(0.75)
    cases = [("Relu", "vx", {}, np.maximum(x, F32(0))), ("Max", "vx,vy", {}, np.maximum(x, y)), ("Min", "vx,vy", {}, np.minimum(x, y)),
             ("Clip", "vx,low,high", {}, clip(x, low, high)), ("Clip", "vx,low", {}, np.maximum(x, low)), ("Clip", "vx,,high", {}, np.minimum(x, high)),
             ("Clip", "vx,high,low", {}, clip(x, high, low)), ("LeakyRelu", "vx", {"alpha": 0.5}, np.where(x < 0, F32(0.5) * x, x)),
             ("ReduceMax", "vx", {"axes": [1], "keepdims": 0}, x.max(1)), ("ReduceMin", "vx", {"axes": [1], "keepdims": 0}, x.min(1)),
             ("GlobalMaxPool", "image", {}, x.max(1)[:, None, None, None])]
    lines = [tensor("low", low), tensor("high", high), tensor("shape", np.array([4, 1, 1, 37]))]
    for name in ("x", "y"):
        lines += [node("Div", f"{name}.ones,{name}.ones", f"{name}.nan"), node("Mul", f"{name},{name}.nan", f"v{name}")]
    lines += [node("Reshape", "vx,shape", "image"), *(value("input", name, [4, 37]) for name in arrays)]
    lines += [node(op, inputs, f"o{i}", **attributes) for i, (op, inputs, attributes, _) in enumerate(cases)]
    write("nan.onnx", lines, [f"o{i}" for i in range(len(cases))])
    for name, array in arrays.items():
        np.save(f"{name}.npy", array)
    for options in (["--precision=f32"], ["--precision=bf16"], ["--precision=f64"], ["--target=reference"]):
        subprocess.run(["ampc", "predict", "nan.onnx", *options, *(f"--data={name}={name}.npy" for name in arrays),
                        *(f"--out=o{i}=o{i}.npy" for i in range(len(cases)))], check=True)
        wrong = [op for i, (op, _, _, wanted) in enumerate(cases)
                 if not np.allclose(np.load(f"o{i}.npy"), wanted, rtol=0.02 if "bf16" in options[0] else 1e-6, atol=0, equal_nan=True)]
        print(f"{options[0]}: {len(cases)} nodes, {wrong if wrong else 'as NumPy'}")


main()
