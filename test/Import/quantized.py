# Quantized files against the arithmetic of their definitions in NumPy, with weights as f32.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantized.py FOLDER: writes FOLDER/NAME.onnx, and compares the results of ampc predict."""
import subprocess
import sys

import numpy as np

from graph_files import node, tensor, value, write

random = np.random.default_rng(0)
F = np.float32


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def integers(kind, *shape):
    info = np.iinfo(kind)
    return random.integers(info.min, info.max + 1, shape).astype(kind)


def real(q, scale, zero=0):
    return (q.astype(F) - np.asarray(zero).astype(F)) * np.asarray(scale, F)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, r, b):
    """x: [steps, rows, I], w: [4 H, I], r: [4 H, H], b: [8 H], gates i, o, f, c; the states of all steps."""
    h = c = np.zeros((x.shape[1], r.shape[1]))
    states = []
    for row in x:
        i, o, f, g = np.split(row @ w.T + h @ r.T + b[:len(b) // 2] + b[len(b) // 2:], 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.stack(states)[:, None]


def conv1d(x, w):
    columns = np.stack([x[:, :, k:k + x.shape[2] - w.shape[2] + 1] for k in range(w.shape[2])], -1)
    return np.einsum("nctk,ock->not", columns, w)


x, image, steps = normal(6, 8), normal(6, 3, 10), normal(5, 6, 8)
q, u, q3, s4 = integers("int8", 8, 4), integers("uint8", 8, 4), integers("int8", 4, 3, 3), F([0.01, 0.02, 0.03, 0.005])
nibbles = random.integers(-8, 8, (8, 4))
packed = np.array([a & 15 | (b & 15) << 4 for a, b in nibbles.reshape(-1, 2)], np.int32)
table, bias32 = integers("uint8", 5, 4), random.integers(-1000, 1000, 4).astype(np.int32)
wl, rl, bl = integers("int8", 1, 8, 16), integers("int8", 1, 4, 16), normal(1, 32)
words = np.array([0, 4, 2, 1, 1, 3])
X, IMAGE = value("input", "x", [6, 8]), value("input", "x", [6, 3, 10])


def dynamic(op, scale, zero, q=q, **attributes):
    return [tensor("w_quantized", q), tensor("w_scale", scale), tensor("w_zero", zero), node("DynamicQuantizeLinear", "x", "xq,xs,xz"),
            node(op, "xq,w_quantized,xz,w_zero", "i", **attributes), node("Cast", "i", "ic", to=1), node("Mul", "xs,w_scale", "s"), node("Mul", "ic,s", "y")]


LSTM = [tensor("wq", wl), tensor("rq", rl), tensor("b", bl), *(tensor(name, array) for name, array in
        {"ws": F([0.01]), "wz": np.int8([3]), "rs": F([0.02]), "rz": np.int8([-2])}.items())]
gates = random.uniform(0.005, 0.02, (1, 16)).astype(F)
PER_GATE = [tensor("wq", wl), tensor("rq", rl), tensor("b", bl), *(tensor(name, array) for name, array in
            {"ws": gates, "wz": np.zeros((1, 16), np.int8), "rs": gates, "rz": np.zeros((1, 16), np.int8)}.items())]
DYNAMIC_LSTM = node("DynamicQuantizeLSTM", "x,wq,rq,b,,,,,ws,wz,rs,rz", "y", "com.microsoft", hidden_size=4)
BOUNDS = [tensor("s", F(0.02)), tensor("z", np.uint8(10))]
relu = np.clip(x, F(-10 * 0.02), F(245 * 0.02))
# Name: nodes, the input's array, the result, the parameters.
CASES = {
    "tensor": ([X, tensor("q", q), tensor("s", F(0.02)), tensor("z", np.int8(5)), node("DequantizeLinear", "q,s,z", "w"), node("MatMul", "x,w", "y")],
               x, x @ real(q, 0.02, 5), "w"),
    "axis": ([X, tensor("q", u), tensor("s", s4), tensor("z", np.uint8([128, 127, 3, 0])), node("DequantizeLinear", "q,s,z", "w", axis=1),
              tensor("b32", bias32), tensor("bs", F(1e-3)), node("DequantizeLinear", "b32,bs", "b"), node("MatMul", "x,w", "p"), node("Add", "p,b", "y")],
             x, x @ real(u, s4, [128, 127, 3, 0]) + real(bias32, 1e-3), "w b"),
    "blocks": ([X, tensor("q", q), tensor("s", s4.reshape(2, 2).repeat(2, 1)), node("DequantizeLinear", "q,s", "w", axis=0, block_size=4), node("MatMul", "x,w", "y")],
               x, x @ real(q, s4.reshape(2, 2).repeat(2, 1).repeat(4, 0)), "w"),
    "nibbles": ([X, tensor("q", packed, code=22).replace("dims: 16", "dims: 8 dims: 4"), tensor("s", F(0.1)), node("DequantizeLinear", "q,s", "w"),
                 node("MatMul", "x,w", "y")], x, x @ real(nibbles, 0.1), "w"),
    "cast": ([X, tensor("q", q), tensor("s", s4.reshape(1, 4)), tensor("z", F([[1, 2, 3, 4]])), node("Cast", "q", "f", to=1), node("Sub", "f,z", "d"),
              node("Mul", "d,s", "w"), node("MatMul", "x,w", "y")], x, x @ real(q, s4, [1, 2, 3, 4]), "w"),
    "constant": ([X, node("Constant", "", "q", value=q), node("Constant", "", "s", value=F(0.02)), node("DequantizeLinear", "q,s", "w"), node("MatMul", "x,w", "y")],
                 x, x @ real(q, 0.02), "w"),
    "rows": ([value("input", "x", [6], 7), tensor("table_quantized", table), tensor("s", F(0.1)), tensor("z", np.uint8(100)), node("Gather", "table_quantized,x", "g"),
              node("DequantizeLinear", "g,s,z", "r"), node("Tanh", "r", "y")], words, np.tanh(real(table, 0.1, 100)[words]), "table"),
    "bounds": ([X, *BOUNDS, tensor("w", normal(8, 4)), node("QuantizeLinear", "x,s,z", "xq"), node("DequantizeLinear", "xq,s,z", "xd"), node("MatMul", "xd,w", "y")],
               x, None, "w"),
    "matmul": ([X, *dynamic("MatMulInteger", F(0.02), np.int8(3))], x, x @ real(q, 0.02, 3), "w"),
    "columns": ([X, *dynamic("MatMulInteger", s4, np.int8([1, 2, 3, 4]))], x, x @ real(q, s4, [1, 2, 3, 4]), "w"),
    "conv": ([IMAGE, *dynamic("ConvInteger", F(0.02), np.int8(3), q3)], image, conv1d(image, real(q3, 0.02, 3)), "w"),
    "filters": ([IMAGE, *dynamic("ConvInteger", s4.reshape(4, 1), np.int8([1, 2, 3, 4]), q3)], image,
                conv1d(image, real(q3, s4.reshape(4, 1, 1), np.reshape([1, 2, 3, 4], (4, 1, 1)))), "w"),
    "product": ([X, tensor("q", q), tensor("s", s4), tensor("z", np.int8([1, 2, 3, 4])), tensor("bias", F([1, 2, 3, 4])),
                 node("DynamicQuantizeMatMul", "x,q,s,z,bias", "y", "com.microsoft")], x, x @ real(q, s4, [1, 2, 3, 4]) + F([1, 2, 3, 4]), "q.1 bias"),
    "lstm": ([value("input", "x", [5, 6, 8]), *LSTM, DYNAMIC_LSTM], steps,
             lstm(steps, real(wl, 0.01, 3)[0].T, real(rl, 0.02, -2)[0].T, bl[0]), "wq.1 rq.1 b"),
    "gates": ([value("input", "x", [5, 6, 8]), *PER_GATE, DYNAMIC_LSTM], steps,
              lstm(steps, real(wl, gates[:, None])[0].T, real(rl, gates[:, None])[0].T, bl[0]), "wq.1 rq.1 b"),
}


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


folder, wrong = sys.argv[1], 0
for name, (lines, given, want, parameters) in CASES.items():
    path = f"{folder}/{name}"
    write(f"{path}.onnx", lines, ["y"], opset=21)
    np.save(f"{path}-x.npy", given)
    text = output(["ampc", "import", f"{path}.onnx", "--loss", "mse(y,t)", "-o", "-"])
    found = {line.split("@")[1].split(" :")[0] for line in text.splitlines() if "train.param" in line}
    if found != set(parameters.split()) or "remark: the file is quantized" not in text:
        wrong += 1
        print(f"{name}: expected parameters {parameters}, but got\n{text}")
    if name == "bounds":
        w = np.array([float(number) for number in lines[3].split("float_data: [")[1].split("]")[0].split(", ")], F).reshape(8, 4)
        want = relu @ w
    output(["ampc", "predict", f"{path}.onnx", "--data", f"x={path}-x.npy", "--out", f"{path}-y.npy"])
    got = np.load(f"{path}-y.npy")
    if got.shape != want.shape or not np.all(np.abs(got - want) <= 1e-5 + 1e-5 * np.abs(want)):
        wrong += 1
        print(f"{name}: expected {want.shape}\n{want}\nbut got {got.shape}\n{got}")
    np.save(f"{path}-t.npy", np.zeros_like(got))
    output(["ampc", "train", f"{path}.onnx", "--loss", "mse(y,t)", "--data", f"x={path}-x.npy", "--data", f"t={path}-t.npy", "--steps", "1"])
print(f"{len(CASES)} files, {wrong} wrong")
