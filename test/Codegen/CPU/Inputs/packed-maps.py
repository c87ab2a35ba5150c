# Prints kernel.map ops with packed results, and the equivalent kernel.pack ops, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounded to the type of the copies, beside results that are not packed. With sizes and types as arguments: that map only."""
import sys

from packed import encoding, filter_encoding

number = 0


def update(sizes, element, depths, keeps):
    """`sizes`: rows and columns, or OHWI of a filter; `depths`: of the packed results, all of the same value; `keeps`: whether that value
    is also an unpacked result."""
    global number
    wide = "f64" if element == "f64" else "f32"
    shape = "".join(f"{size}x" for size in sizes)
    encoded = lambda depth: filter_encoding(sizes, element, depth) if len(sizes) == 4 else encoding(sizes, element, "rhs", depth)
    packed = [f"tensor<{shape}{element}, {encoded(depth)}>" for depth in depths]
    plain = [f"tensor<{shape}{wide}>"] + keeps * [f"tensor<{shape}{element}>"]
    types = plain + packed
    low = "%2" if element in ("bf16", "f16") else "%1"
    rounding = f"\n    %2 = arith.truncf %1 : {wide} to {element}" if low == "%2" else ""
    dims = ", ".join(f"d{i}" for i in range(len(sizes)))
    identity = f"affine_map<({dims}) -> ({dims})>"
    print(f"""kernel.program @packed{number}(%w: tensor<{shape}{wide}>, %g: tensor<{shape}{wide}>, %s: tensor<{wide}>, %m: tensor<{shape}{element}>)
    -> ({", ".join(types + packed)}) {{
  %r:{len(types)} = kernel.map(%w, %g, %s : tensor<{shape}{wide}>, tensor<{shape}{wide}>, tensor<{wide}>) space {list(sizes)}
    maps [{identity}, {identity}, affine_map<({dims}) -> ()>] -> [{", ".join([identity] * len(types))}] {{
  ^bb0(%x: {wide}, %y: {wide}, %z: {wide}):
    %0 = arith.maximumf %y, %z : {wide}
    %1 = arith.minimumf %x, %0 : {wide}{rounding}
    kernel.yield {", ".join(["%1"] + [low] * (len(types) - 1))} : {", ".join([wide] + [element] * (len(types) - 1))}
  }} : {", ".join(types)}""")
    for i, type in enumerate(packed):
        print(f"  %p{i} = kernel.pack %m : tensor<{shape}{element}> to {type}")
    values = [f"%r#{i}" for i in range(len(types))] + [f"%p{i}" for i in range(len(packed))]
    print(f"  kernel.return {', '.join(values)} : {', '.join(types + packed)}\n}}")
    number += 1


def every():
    for element in ["f32", "bf16", "f16", "f64"]:
        for depths in [(0,), (1,), (0, 1)]:
            for rows, columns in [(1, 1), (1, 70), (67, 1), (8, 16), (33, 50), (31, 17), (64, 96)]:
                update((rows, columns), element, depths, keeps=False)
            update((45, 39), element, depths, keeps=True)
            for filter in [(8, 3, 3, 4), (34, 1, 1, 19), (18, 3, 3, 64), (2, 2, 5, 1)]:
                update(filter, element, depths, keeps=False)
        update((133, 515), element, (0, 1), keeps=False)  # several tasks
        update((70, 3, 3, 128), element, (0, 1), keeps=False)
        update((130, 3, 3, 40), element, (0, 1), keeps=True)  # panels that end within taps: whole rows
    update((600, 37), "bf16", (0, 1), keeps=True)
    update((3, 9000), "bf16", (1, 0), keeps=False)
    for element in ["f32", "bf16"]:
        update((36, 3, 3, 544), element, (1, 0), keeps=False)  # blocks that end within taps


if len(sys.argv) > 1:
    rows, columns = map(int, sys.argv[1:3])
    update((rows, columns), sys.argv[3], [int(depth) for depth in sys.argv[4:]], keeps=False)
else:
    every()
