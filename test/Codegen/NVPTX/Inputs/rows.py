# Prints kernels over rows and vectors of points, of widths that fill vectors and blocks of 64 or do not, for ampc-kernel-run.
# With the argument `counters`: kernels whose counters are in docs/gpu-counters.md, at shapes of models.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"

def program(name, op, space, inputs, results, body, attributes=""):
    """Inputs and results: (dimensions of the space, element type)."""
    dims = [f"d{i}" for i in range(len(space))]
    type = lambda places, element: tensor([space[d] for d in places], element)
    map = lambda places: f"affine_map<({', '.join(dims)}) -> ({', '.join(dims[d] for d in places)})>"
    ins, outs = [type(*i) for i in inputs], [type(*r) for r in results]
    names = [f"%i{n}" for n in range(len(ins))]
    operands = f"({', '.join(names)} : {', '.join(ins)})" if ins else "()"
    count = len(outs)
    print(f"""kernel.program @{name}({', '.join(f'{n}: {t}' for n, t in zip(names, ins))}) -> ({', '.join(outs)}) {{
  %r:{count} = kernel.{op}{operands} space {list(space)} maps [{', '.join(map(i[0]) for i in inputs)}] -> [{', '.join(map(r[0]) for r in results)}] {attributes} {{
  ^bb0({', '.join(f'%a{n}: {i[1]}' for n, i in enumerate(inputs))}):""")
    for line in body.strip().splitlines():
        print("    " + line.strip())
    print(f"  }} : {', '.join(outs)}\n  kernel.return {', '.join(f'%r#{n}' for n in range(count))} : {', '.join(outs)}\n}}")

def widened(name, value, type):
    return f"%{name} = arith.extf {value} : {type} to f32" if type in ("f16", "bf16") else f"%{name} = arith.mulf {value}, %one : {type}"

def narrowed(name, value, type):
    return f"%{name} = arith.truncf {value} : f32 to {type}" if type in ("f16", "bf16") else f"%{name} = arith.mulf {value}, %one : {type}"

def acc(type):
    return "f64" if type == "f64" else "f32"

def norm(name, rows, width, type):
    """Layer norm: mean and deviation are sums of two stages."""
    t = acc(type)
    program(name, "map", (rows, width), [((0, 1), type), ((1,), t), ((1,), t)], [((0, 1), type), ((0,), t), ((0,), t)], f"""
        %one = arith.constant 1.0 : {t}
        %n = arith.constant {1 / width:.9e} : {t}
        {widened('x', '%a0', type)}
        %s = kernel.row_reduce sum %x : {t}
        %m = arith.mulf %s, %n : {t}
        %d = arith.subf %x, %m : {t}
        %q = arith.mulf %d, %d : {t}
        %v = kernel.row_reduce sum %q : {t}
        %w = arith.mulf %v, %n : {t}
        %r = math.sqrt %w : {t}
        %y = arith.divf %d, %r : {t}
        %z = arith.mulf %y, %a1 : {t}
        %u = arith.addf %z, %a2 : {t}
        {narrowed('o', '%u', type)}
        kernel.yield %o, %m, %r : {type}, {t}, {t}""")

def norm_gradient(name, rows, width, type):
    """Two sums in one stage."""
    program(name, "map", (rows, width), [((0, 1), type), ((0, 1), type), ((1,), "f32"), ((0,), "f32")], [((0, 1), type)], f"""
        %one = arith.constant 1.0 : f32
        %n = arith.constant {1 / width:.9e} : f32
        {widened('x', '%a0', type)}
        {widened('g', '%a1', type)}
        %h = arith.mulf %g, %a2 : f32
        %s = kernel.row_reduce sum %h : f32
        %p = arith.mulf %h, %x : f32
        %t = kernel.row_reduce sum %p : f32
        %s1 = arith.mulf %s, %n : f32
        %t1 = arith.mulf %t, %n : f32
        %xt = arith.mulf %x, %t1 : f32
        %c = arith.addf %s1, %xt : f32
        %d = arith.subf %h, %c : f32
        %y = arith.mulf %d, %a3 : f32
        {narrowed('o', '%y', type)}
        kernel.yield %o : {type}""")

def cross_entropy(name, rows, width, type):
    """Loss of a row and the gradient: a maximum, a sum, a label."""
    program(name, "map", (rows, width), [((0, 1), type), ((0,), "i32")], [((0, 1), type), ((0,), "f32")], f"""
        %one = arith.constant 1.0 : f32
        %none = arith.constant 0.0 : f32
        {widened('x', '%a0', type)}
        %m = kernel.row_reduce max %x : f32
        %d = arith.subf %x, %m : f32
        %e = math.exp %d : f32
        %s = kernel.row_reduce sum %e : f32
        %i = kernel.row_index
        %is = arith.cmpi eq, %i, %a1 : i32
        %own = arith.select %is, %d, %none : f32
        %l = kernel.row_reduce sum %own : f32
        %log = math.log %s : f32
        %loss = arith.subf %log, %l : f32
        %p = arith.divf %e, %s : f32
        %hit = arith.select %is, %one, %none : f32
        %y = arith.subf %p, %hit : f32
        {narrowed('o', '%y', type)}
        kernel.yield %o, %loss : {type}, f32""", f"attributes {{test.limit = {width}}}")

def points(name, shape, type, bias):
    """Two inputs of one type and a bias along rows; a narrow result and a flag."""
    t, all = acc(type), tuple(range(len(shape)))
    last = [(all[-1:], "f32")] if bias else []
    program(name, "map", shape, [(all, type), (all, "f32")] + last, [(all, t), (all, "bf16"), (all, "i1")], f"""
        %one = arith.constant 1.0 : {t}
        %zero = arith.constant 0.0 : f32
        {widened('x', '%a0', type)}
        {'%f = arith.truncf %x : f64 to f32' if t == 'f64' else '%f = arith.mulf %x, %one : f32'}
        %s = arith.addf %f, {'%a2' if bias else '%zero'} : f32
        %u = arith.mulf %s, %a1 : f32
        %o = arith.truncf %u : f32 to bf16
        %c = arith.cmpf olt, %u, %zero : f32
        kernel.yield %x, %o, %c : {t}, bf16, i1""")

if sys.argv[1:] == ["counters"]:
    norm("norm_f32", 128, 768, "f32")
    norm("norm_bf16", 32, 2048, "bf16")
    norm_gradient("norm_gradient_bf16", 32, 1600, "bf16")
    cross_entropy("cross_entropy_bf16", 8, 50257, "bf16")
    points("points_bf16", (1 << 16,), "bf16", bias=False)
    sys.exit()

# In registers: whole vectors, and single columns.
norm("norm64", 9, 64, "bf16")
norm("norm128", 5, 128, "f32")
norm("norm200", 5, 200, "f32")
norm("norm231", 3, 231, "bf16")
norm("norm_f64", 3, 140, "f64")
norm_gradient("norm_gradient256", 7, 256, "f16")
cross_entropy("cross_entropy65", 11, 65, "f32")
# In shared memory: rows that start inside a chunk, end inside a chunk, or both.
norm("norm1088", 3, 1088, "f32")
norm("norm1100", 3, 1100, "bf16")
norm("norm515", 5, 515, "f32")
norm("norm_f64_1030", 2, 1030, "f64")
norm_gradient("norm_gradient768", 3, 768, "f32")
norm_gradient("norm_gradient2051", 3, 2051, "bf16")
cross_entropy("cross_entropy1027", 4, 1027, "f16")
cross_entropy("cross_entropy5003", 2, 5003, "f32")
# By several groups of threads: parts of 8192 columns.
cross_entropy("cross_entropy20003", 2, 20003, "f32")
norm("norm16400", 2, 16400, "bf16")
# Points: vectors and remainders, rows with arbitrary starts.
points("points4099", (4099,), "f32", bias=False)
points("points_f64", (1027,), "f64", bias=False)
points("points_bias", (3, 72), "bf16", bias=True)
points("points_odd", (64, 517), "bf16", bias=True)
