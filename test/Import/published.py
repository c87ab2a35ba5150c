# Graphs as other exporters than PyTorch's write them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""published.py FOLDER"""
import sys

import numpy as np

from graph_files import node, raw, tensor, value, write

random = np.random.default_rng(0)


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def number(x):
    return np.float32(x)


# Layer norm and GELU of TensorFlow, with numbers of the formulas as initializers.
GELU = [node("Mul", "n,n", "n2"), node("Mul", "n2,n", "n3"), node("Mul", "n3,gelu/Const_2:0", "c"), node("Add", "n,c", "s"), node("Mul", "s,gelu/Const_15:0", "r"),
        node("Tanh", "r", "t"), node("Add", "t,gelu/Const_4:0", "p"), node("Mul", "n,gelu/Const_17:0", "half"), node("Mul", "half,p", "y")]
NORM = [node("MatMul", "x,dense/kernel:0", "h"), node("ReduceMean", "h", "m", axes=[1]), node("Sub", "h,m", "d"), node("Mul", "d,d", "dd"),
        node("ReduceMean", "dd", "v", axes=[1]), node("Add", "v,norm/add/y:0", "ve"), node("Sqrt", "ve", "root"), node("Div", "d,root", "e"),
        node("Mul", "e,norm/gamma:0", "g"), node("Add", "g,norm/beta:0", "n")]
NUMBERS = {"norm/add/y:0": 1e-6, "gelu/Const_2:0": 0.044715, "gelu/Const_15:0": 0.7978845608, "gelu/Const_4:0": 1, "gelu/Const_17:0": 0.5}
WEIGHTS = {"dense/kernel:0": normal(8, 4), "norm/gamma:0": normal(4), "norm/beta:0": normal(4)}
X = value("input", "x", [6, 8])
ROLES = {"temperature": number(0.5), "unit/ReadVariableOp:0": normal(1), "slopes": normal(1), "block.w_0": normal(1), "filter": normal(1, 1, 1), "offset/y:0": normal(1)}
FILES = {
    "numbers": ([X, *(tensor(name, array) for name, array in WEIGHTS.items()), *(tensor(name, number(x)) for name, x in NUMBERS.items()), *NORM, *GELU], ["y"]),
    # Single numbers that are weights by name or use, and one that is none.
    "roles": ([value("input", "x", [6, 1, 5]), *(tensor(name, array) for name, array in ROLES.items()), node("Mul", "x,temperature", "a"),
               node("Add", "a,unit/ReadVariableOp:0", "b"), node("PRelu", "b,slopes", "c"), node("Mul", "c,block.w_0", "d"), node("Conv", "d,filter", "e"),
               node("Add", "e,offset/y:0", "y")], ["y"]),
    "constants": ([X, node("Constant", "", "fc.w_0", value=normal(8, 4)), node("Constant", "", "fc.b_0", value=normal(4)), node("MatMul", "x,fc.w_0", "h"),
                   node("Add", "h,fc.b_0", "s"), node("Constant", "", "half", value=np.float32(0.5)), node("Mul", "s,half", "y")], ["y"]),
    # Both branches have a value of one name.
    "branches": ([X, tensor("rate", np.int64(16)), tensor("other", np.int64(8)), node("Equal", "rate,other", "isOther"),
                  node("If", "isOther", "y", then_branch="{ name: \"t\" " + node("Constant", "", "w", value=normal(8, 4)) + node("MatMul", "x,w", "p") + 'output { name: "p" } }',
                       else_branch="{ name: \"e\" " + tensor("b", normal(4)) + node("Constant", "", "w", value=normal(8, 4)) + node("MatMul", "x,w", "m")
                       + node("Add", "m,b", "q") + 'output { name: "q" } }')], ["y"]),
    "heads": ([X, *(tensor(name, array) for name, array in {"w": normal(8, 8), "wa": normal(8, 4), "wb": normal(8, 3), "bb": normal(3)}.items()),
               node("MatMul", "x,w", "h"), node("MatMul", "h,wa", "a"), node("MatMul", "h,wb", "hb"), node("Add", "hb,bb", "b")], ["a", "b"]),
    "choice": ([value("input", "x", ["batch", 8]), value("input", "sr", [], 7), tensor("w", normal(8, 4)), tensor("r16", np.int64(16000)), node("MatMul", "x,w", "p"),
                node("Equal", "sr,r16", "is16"),
                node("If", "is16", "y", then_branch='{ name: "t" ' + node("Tanh", "p", "y1") + 'output { name: "y1" } }',
                     else_branch='{ name: "e" ' + node("Exp", "p", "y2") + 'output { name: "y2" } }')], ["y"]),
    "twice": ([value("input", "x", ["N", 3, "?", "?"]), value("input", "z", ["N", None]), node("ReduceMean", "x", "a"), node("ReduceMean", "z", "b"),
               node("Add", "a,b", "y")], ["y"]),
    "tables": ([value("input", "x", [6, 1, 32]), tensor("stft.forward_basis_buffer", normal(4, 1, 8)), tensor("dfl.weight", np.arange(4, dtype=np.float32).reshape(1, 4, 1)),
                tensor("out.weight", normal(3, 1, 1)), node("Conv", "x,stft.forward_basis_buffer", "a", strides=[8]), node("Conv", "a,dfl.weight", "b"),
                node("Conv", "b,out.weight", "y")], ["y"]),
}
for name, (lines, outputs) in FILES.items():
    write(f"{sys.argv[1]}/{name}.onnx", lines, outputs, producer="tf2onnx")
write(f"{sys.argv[1]}/torch.onnx", FILES["constants"][0], ["y"], producer="pytorch")
trees = 'node { op_type: "TreeEnsemble" domain: "ai.onnx.ml" input: "x" output: "y" }'
write(f"{sys.argv[1]}/trees.onnx", [X, trees], ["y"])
large = normal(3, 1 << 20)
write(f"{sys.argv[1]}/large.onnx", [value("input", "x", [2, 3]), 'node { op_type: "Constant" output: "w" attribute { name: "value" type: TENSOR '
      + raw("", large, "t") + " } }", node("MatMul", "x,w", "h"), node("ReduceMean", "h", "y")], ["y"], producer="paddle")
for name, shape in {"x": (6, 8), "ta": (6, 4), "tb": (6, 3), "wa": (6, 4)}.items():
    np.save(f"{sys.argv[1]}/{name}.npy", normal(*shape))
