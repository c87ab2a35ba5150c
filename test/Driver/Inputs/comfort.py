# Data and models for the tests of training, evaluation and prediction: comfort.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data

folder = sys.argv[1]
TYPES = {"f": "<f4", "d": "<f8", "e": "<f2", "b": "|i1", "h": "<i2", "i": "<i4", "q": "<i8", "B": "|u1", "H": "<u2", "I": "<u4", "Q": "<u8"}


def save(name, code, shape, values):
    """data.write_npy for all types."""
    text = f"{{'descr': '{TYPES[code]}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in shape)}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(values)}{code}", *values))


def write(name, text):
    with open(os.path.join(folder, name), "w") as out:
        out.write(text)


def safetensors(name, tensors):
    header, content = {}, b""
    for key, (dtype, code, shape, values) in tensors.items():
        begin = len(content)
        content += struct.pack(f"<{len(values)}{code}", *values)
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(content)]}
    text = json.dumps(header).encode()
    with open(os.path.join(folder, name), "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + content)


x, y = data.make_data()
shape = (data.ROWS, data.FEATURES)
# Pixels from which --scale and --offset compute x.npy exactly.
pixels = [int(128 * value + 128) % 256 for value in x]
x = [pixel / 128 - 1 for pixel in pixels]
save("x.npy", "f", shape, x)
save("y.npy", "i", shape[:1], y)
for code in "de":
    save(f"x-{code}.npy", code, shape, x)
for code in "bhqBHIQ":
    save(f"y-{code}.npy", code, shape[:1], y)
save("y-column.npy", "d", (data.ROWS, 1), y)
save("pixels.npy", "B", shape, pixels)
save("y-large.npy", "Q", shape[:1], y[:-1] + [2**63])
save("x-large.npy", "d", shape, x[:-1] + [1e39])
save("y-half.npy", "f", shape[:1], [0.5] + y[1:])
save("x-short.npy", "f", (30, data.FEATURES), x[:30 * data.FEATURES])
save("y-short.npy", "i", (30,), y[:30])
rows = [x[data.FEATURES * r:data.FEATURES * (r + 1)] for r in range(data.ROWS)]
table = "".join(",".join(map(repr, row + [label])) + "\n" for row, label in zip(rows, y))
write("table.csv", "a,b,c,d,e,label\n" + table)
write("broken.csv", "a,b,c,d,e,label\n" + table.replace(",2\n", ",two\n", 1))
MODEL = """train.model @classes {
  train.param @w : tensor<5x3xf32> = #train.zeros
  train.param @b : tensor<3xf32> = #train.zeros
  train.func @logits(%x: tensor<12x5xf32>) -> tensor<12x3xf32> {
    %w = train.read @w : tensor<5x3xf32>
    %b = train.read @b : tensor<3xf32>
    %0 = train.linear %x, %w, %b : tensor<12x5xf32>, tensor<5x3xf32>, tensor<3xf32>
    train.return %0 : tensor<12x3xf32>
  }
  train.func @loss(%x: tensor<12x5xf32>, %y: tensor<12xi32>) -> tensor<f32> {
    %0 = train.call @logits(%x) : (tensor<12x5xf32>) -> tensor<12x3xf32>
    %1 = train.softmax_cross_entropy %0, %y : tensor<12x3xf32>, tensor<12xi32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.adam<lr = 0.1>
  train.export @logits as "predict"
}
"""
write("model.mlir", MODEL)
write("adamw.mlir", MODEL.replace("train.adam<", "train.adamw<"))
write("sgd.mlir", MODEL.replace("train.adam<", "train.sgd<"))

# Foreign weights: f64 with another name; transposed; of another size.
w = [0.01 * i for i in range(data.FEATURES * data.CLASSES)]
safetensors("w.safetensors", {"w": ("F64", "d", [data.FEATURES, data.CLASSES], w), "head": ("F32", "f", [1], [1])})
safetensors("transposed.safetensors", {"w": ("F32", "f", [data.CLASSES, data.FEATURES], w)})
safetensors("others.safetensors", {"weight": ("F32", "f", [1], [1])})

# Two steps: the first fits a line to t, the second a line to the first's output. The first step's data have 10 rows, 5 batches.
write("turns.mlir", """train.model @turns {
  train.param @a : tensor<1x1xf32> = #train.zeros
  train.param @b : tensor<1x1xf32> = #train.zeros
  train.func @first(%u: tensor<2x1xf32>, %t: tensor<2x1xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<1x1xf32>
    %p = train.matmul %u, %a : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
    %l = train.mse %p, %t : tensor<2x1xf32>, tensor<2x1xf32>
    train.return %l : tensor<f32>
  }
  train.func @line(%v: tensor<4x1xf32>) -> tensor<4x1xf32> {
    %b = train.read @b : tensor<1x1xf32>
    %p = train.matmul %v, %b : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
    train.return %p : tensor<4x1xf32>
  }
  train.func @second(%v: tensor<4x1xf32>, %s: tensor<4x1xf32>) -> tensor<f32> {
    %p = train.call @line(%v) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %l = train.mse %p, %s : tensor<4x1xf32>, tensor<4x1xf32>
    train.return %l : tensor<f32>
  }
  train.step @critic minimize @first over [@a] with #train.sgd<lr = 0.1>
  train.step @generator minimize @second over [@b] with #train.sgd<lr = 0.1>
  train.export @line as "line"
}
""")
save("u.npy", "f", (10, 1), [0.1 * i for i in range(10)])
save("t.npy", "f", (10, 1), [0.2 * i for i in range(10)])
save("v.npy", "f", (8, 1), [-4, -3, -2, -1, 1, 2, 3, 4])
save("s.npy", "f", (8, 1), [0, 0, 1, 0, 0, 1, 1, 1])
save("r.npy", "f", (8, 1), [2, 2, 2, 2, 2, 2, 2, 2])
