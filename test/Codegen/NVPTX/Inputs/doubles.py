# Prints functions of f64 as kernel.map ops over ranges of their arguments, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
number = 0

def function(op, low, high, tolerance=4e-16, arguments=1):
    """The tolerance is relative to 1 + |result|."""
    global number
    tensor, map = "tensor<301xf64>", "affine_map<(d0) -> (d0)>"
    names = [f"%i{i}" for i in range(arguments)]
    scalars = [f"%a{i}" for i in range(arguments)]
    print(f"""kernel.program @{op.replace('.', '_')}{number}({', '.join(f'{n}: {tensor}' for n in names)}) -> ({tensor}) {{
  %r = kernel.map({', '.join(names)} : {', '.join([tensor] * arguments)}) space [301] maps [{', '.join([map] * arguments)}] -> [{map}]
      attributes {{test.low = {low:e}, test.high = {high:e}, test.tolerance = {tolerance:e}}} {{
  ^bb0({', '.join(f'{s}: f64' for s in scalars)}):
    %y = {op} {', '.join(scalars)} : f64
    kernel.yield %y : f64
  }} : {tensor}
  kernel.return %r : {tensor}
}}""")
    number += 1

function("math.exp", -40, 1)
function("math.exp", -745, -700)
function("math.exp", 1, 700, 1e-15)

function("math.expm1", -2, 2)
function("math.expm1", -1e-5, 1e-5, 1e-20)
function("math.log2", 1e-3, 100, 6e-16)
function("math.log", 1e-9, 100)
function("math.log", 0.9, 1.1, 1e-17)
function("math.log", 1e-320, 1e-308, 2e-16)

function("math.log1p", -0.9, 10)
function("math.log1p", -1e-4, 1e-4, 1e-19)
function("math.tanh", -6, 6)
function("math.tanh", -1e-4, 1e-4, 1e-19)
function("math.erf", -7, 7)
function("math.erf", -1e-4, 1e-4, 1e-19)
function("math.sin", -10, 10)
function("math.sin", 1e10, 1e300)
function("math.cos", -1000, 1000)
function("math.cos", 1e100, 1e308)
function("math.powf", 1e-3, 20, 3e-15, arguments=2)
function("math.powf", -3, 3, 3e-15, arguments=2)
