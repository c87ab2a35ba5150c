# Prints kernel.gemm ops whose sides are packed before, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A packed side is made by the kernel.pack of the tier that reads the side. With sizes M N K and types as arguments: that product only."""
import sys

from packed import encoding

number = 0


def gemm(m, n, k, element, sides, transposed=(), batch=0):
    """`sides`: which are packed; `transposed`: which lie with k first (left) or last (right)."""
    global number
    acc = "f64" if element == "f64" else "f32"
    lhs, rhs = ["m", "k"], ["k", "n"]
    lhs = lhs[::-1] if "lhs" in transposed else lhs
    rhs = rhs[::-1] if "rhs" in transposed else rhs
    size = {"b": batch, "m": m, "n": n, "k": k}
    lead = ["b"] if batch else []
    lhs = lhs if "lhs" in sides else lead + lhs
    out = lead + ["m", "n"]
    names = out + ["k"]

    def tensor(dims, element, encoding=""):
        return "tensor<" + "".join(f"{size[d]}x" for d in dims) + element + encoding + ">"

    def access(dims, space):
        return f"affine_map<({', '.join(f'd{i}' for i in range(len(space)))}) -> ({', '.join(f'd{space.index(d)}' for d in dims)})>"

    code, values, types = "", {"lhs": "%a", "rhs": "%b"}, {"lhs": tensor(lhs, element), "rhs": tensor(rhs, element)}
    signature = f"%a: {types['lhs']}, %b: {types['rhs']}, %bias: {tensor(['n'], acc)}"
    for side, dims in (("lhs", lhs), ("rhs", rhs)):
        if side not in sides:
            continue
        packed = tensor(dims, element, ", " + encoding([size[d] for d in dims], element, side, dims.index("k")))
        code += f"  %{side} = kernel.pack {values[side]} : {types[side]} to {packed}\n"
        values[side], types[side] = f"%{side}", packed
    result = tensor(out, acc)
    tolerance = {"f64": 1e-13, "f32": 3e-5}[acc]
    print(f"""kernel.program @packed{number}({signature}) -> {result} {{
{code}  %r = kernel.gemm {values['lhs']}, {values['rhs']} : {types['lhs']}, {types['rhs']} acc {acc} maps [{access(lhs, names)}, {access(rhs, names)}]
    space {[size[d] for d in out]} depth {k} epilogue (%bias : {tensor(['n'], acc)}) maps [{access(['n'], out)}] -> [{access(out, out)}]
    attributes {{test.tolerance = {tolerance:e}, test.low = -1.0, test.high = 1.0}} {{
  ^bb0(%sum: {acc}, %x: {acc}):
    %0 = arith.addf %sum, %x : {acc}
    kernel.yield %0 : {acc}
  }} : {result}
  kernel.return %r : {result}
}}""")
    number += 1


def every():
    for element in ["f32", "bf16", "f16", "f64"]:
        for sides in [("rhs",), ("lhs",), ("lhs", "rhs")]:
            for m, n, k in [(1, 1, 1), (1, 70, 33), (37, 50, 67), (13, 16, 31), (96, 64, 64), (61, 40, 1100)]:
                gemm(m, n, k, element, sides)
            gemm(35, 41, 40, element, sides, transposed=("lhs", "rhs"))
            gemm(17, 33, 96, element, sides, transposed=("rhs",))
        gemm(9, 35, 21, element, ("rhs",), batch=3)  # a shared B for the whole batch
    gemm(26, 40, 900, "f32", ("lhs", "rhs"))  # several blocks of k
    gemm(70, 40, 4170, "bf16", ("rhs",))
    gemm(70, 40, 2110, "f16", ("lhs", "rhs"))
    gemm(12, 1100, 40, "bf16", ("rhs",))  # several blocks of columns
    gemm(300, 160, 64, "bf16", ("lhs", "rhs"))  # several tasks


if len(sys.argv) > 1:
    m, n, k = map(int, sys.argv[1:4])
    gemm(m, n, k, sys.argv[4], sys.argv[5:])
else:
    every()
