# Prints kernel.gemm ops over shapes, layouts, types and bodies, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools

number = 0


def tensor(shape, element):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def affine(rank, dims):
    names = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({names}) -> ({', '.join(f'd{d}' for d in dims)})>"


def gemm(m, n, k, layout="NN", element="f32", result=None, body="plain", batch=(), heads=False, shared=False, mode=None, plan=None):
    """`heads`: batch (b, h) lies as [b, m, h, k] in the left side and the result. `plan`: members of the #kernel.plan of a GPU."""
    global number
    rank, dims = len(batch) + 2, list(range(len(batch)))
    dm, dn, dk = rank - 2, rank - 1, rank
    sizes = list(batch) + [m, n, k]
    lhs = dims + ([dm, dk] if layout[0] == "N" else [dk, dm])
    rhs = ([] if shared else dims) + ([dk, dn] if layout[1] == "N" else [dn, dk])
    out = dims + [dm, dn]
    if heads:
        lhs, out = [0, dm, 1, dk], [0, dm, 1, dn]
    acc = "f64" if element == "f64" else "f32"
    result = result or acc
    inputs, operands, code, results = [], [], "", [("%sum", acc)]
    if body == "bias":
        inputs = [([dn], acc)]
        code = f"%0 = arith.addf %sum, %x0 : {acc}\n"
        results = [("%0", acc)]
    elif body == "full":  # bias, relu, residual in 16 bits, value per row; sum and result are both kept
        low = "bf16" if acc == "f32" else "f64"
        widen = "%x1w = arith.extf %x1 : bf16 to f32" if low == "bf16" else "%z = arith.constant 0.0 : f64\n%x1w = arith.addf %x1, %z : f64"
        inputs = [([dn], acc), (out, low), ([dm], acc)]
        code = f"""%0 = arith.addf %sum, %x0 : {acc}
%c = arith.constant 0.0 : {acc}
%1 = arith.maximumf %0, %c : {acc}
{widen}
%2 = arith.addf %1, %x1w : {acc}
%3 = arith.mulf %2, %x2 : {acc}
"""
        results = [("%0", acc), ("%3", acc)]
    elif body == "long":  # times the derivative of GELU at a tensor: more operations than are written out for every part of a tile
        inputs = [(out, acc)]
        code = "\n".join(f"%c{i} = arith.constant {value} : {acc}" for i, value in enumerate(["1.0", "5.000000e-01", "4.471500e-02", "1.341450e-01", "0.797884583"]))
        steps = ["mulf %x0, %x0", "mulf %0, %c2", "addf %1, %c0", "mulf %x0, %2", "mulf %3, %c4", "tanh %4", "mulf %0, %c3", "addf %6, %c0", "mulf %7, %c4", "mulf %5, %5",
                 "subf %c0, %9", "mulf %10, %8", "mulf %x0, %c1", "mulf %12, %11", "addf %5, %c0", "mulf %14, %c1", "addf %15, %13", "mulf %sum, %16"]
        code += "".join(f"\n%{i} = {'math' if 'tanh' in step else 'arith'}.{step} : {acc}" for i, step in enumerate(steps)) + "\n"
        results = [("%17", acc)]
    final = []
    for i, (value, kind) in enumerate(results):
        narrow = result if i == len(results) - 1 else acc
        if narrow != acc:
            code += f"%r{i} = arith.truncf {value} : {acc} to {narrow}\n"
            value = f"%r{i}"
        final.append((value, narrow))
    shape = lambda order: [sizes[d] for d in order]
    types = [tensor(shape(lhs), element), tensor(shape(rhs), element)] + [tensor(shape(o), t) for o, t in inputs]
    args = ["%a", "%b"] + [f"%i{i}" for i in range(len(inputs))]
    outs = [tensor(shape(out), t) for _, t in final]
    signature = ", ".join(f"{a}: {t}" for a, t in zip(args, types))
    epilogue = ", ".join(args[2:]) + (" : " + ", ".join(types[2:]) if inputs else "")
    arguments = ", ".join(["%sum: " + acc] + [f"%x{i}: {t}" for i, (_, t) in enumerate(inputs)])
    maps = ", ".join(affine(rank, o) for o, _ in inputs)
    outMaps = ", ".join(affine(rank, out) for _ in final)
    # Sums of up to 4160 terms below 1 in f32 or f64; then a 16-bit unit in the last place, relative to the value (half a unit, but with
    # totals the expected results are rounded, too, and the error of the sum may cross a boundary).
    tolerance = {"f64": 1e-13, "f32": 3e-5}[acc] + {"bf16": 2.0**-7, "f16": 2.0**-10}.get(result, 0)
    print(f"""kernel.program @gemm{number}({signature}) -> ({", ".join(outs)}) {{
  %r:{len(outs)} = kernel.gemm %a, %b : {types[0]}, {types[1]} acc {acc} maps [{affine(rank + 1, lhs)}, {affine(rank + 1, rhs)}]
    space {list(batch) + [m, n]} depth {k} epilogue ({epilogue}) maps [{maps}] -> [{outMaps}]
    attributes {{test.tolerance = {tolerance:e}, test.low = -1.0, test.high = 1.0{f", compute = [{mode}, {mode}]" if mode else ""}{f", plan = #kernel.plan<{plan}>" if plan else ""}}} {{
  ^bb0({arguments}):
    {code}kernel.yield {", ".join(v for v, _ in final)} : {", ".join(t for _, t in final)}
  }} : {", ".join(outs)}
  kernel.return {", ".join(f"%r#{i}" for i in range(len(outs)))} : {", ".join(outs)}
}}""")
    number += 1


for layout, (m, n, k) in itertools.product(["NN", "NT", "TN", "TT"], [(1, 1, 1), (37, 35, 19), (24, 64, 33)]):
    gemm(m, n, k, layout)
for m, n, k in [(1, 130, 70), (130, 1, 70), (129, 10, 5), (13, 33, 1)]:
    gemm(m, n, k, "NN", body="bias")
    gemm(m, n, k, "TN", body="full")
    gemm(m, n, k, "NT", element="bf16", body="full")
gemm(50, 70, 1000, "NN", body="full")  # several blocks of k
gemm(26, 40, 900, "TN", element="bf16", result="bf16", body="bias")
gemm(12, 1100, 40, "NT", body="bias")  # several blocks of columns
gemm(300, 160, 64, "NN", result="bf16", body="full")  # several tasks
gemm(9, 20, 3000, "TN", element="bf16")
gemm(40, 560, 2200, "TN")  # B is packed again for every task
for element in ["f64", "f16", "bf16"]:
    for layout in ["NN", "NT", "TN"]:
        gemm(19, 47, 41, layout, element, body="full")
gemm(20, 24, 400, "NN", element="f64", body="bias")
gemm(17, 33, 29, "NN", batch=(3,), body="full")
gemm(17, 33, 29, "NT", batch=(2, 3), heads=True)
gemm(17, 33, 29, "NN", batch=(3,), shared=True, body="bias")
gemm(33, 17, 8, "TN", element="bf16", batch=(2, 2), result="bf16")
for element, layout in itertools.product(["bf16", "f16"], ["NN", "NT", "TN", "TT"]):  # whole steps of tiles, edges, odd k
    gemm(96, 64, 64, layout, element=element, body="bias")
    gemm(37, 50, 67, layout, element=element)
    gemm(5, 70, 35, layout, element=element)
gemm(70, 40, 4160, "NN", element="bf16", body="full")  # several blocks of k
gemm(70, 40, 2100, "TN", element="f16")
gemm(350, 33, 640, "NT", element="bf16", result="bf16", batch=(2,), shared=True)
# Lines of the left side are neighbours: all panels of a task are packed together.
gemm(200, 70, 75, "TN", element="bf16", result="bf16", body="full")
gemm(130, 33, 2100, "TN", element="bf16", body="bias")
gemm(160, 40, 67, "TN", element="f16", batch=(2,))
