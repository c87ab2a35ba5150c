# A click model of the DLRM kind (Naumov et al. 2019) as text of ampc: tables, products of all pairs of vectors, two perceptrons.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--tables", type=int, default=26)
parser.add_argument("--rows", type=int, default=50000)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--batch", type=int, default=2048)
parser.add_argument("--lazy", action="store_true", help="Adam on the rows that a batch names")
sizes = parser.parse_args()
vectors = sizes.tables + 1

print(f"train.model @dlrm(batch = {sizes.batch}, numbers = 13, width = {sizes.width}, rows = {sizes.rows}) {{")
for i in range(sizes.tables):
    print(f"  train.param @table{i} : f32[rows, width] = #train.uniform<low = -0.01, high = 0.01>")
layers = [("bottom0", "numbers", 512), ("bottom1", 512, 256), ("bottom2", 256, "width"),
          ("top0", f"width + {vectors * vectors}", 512), ("top1", 512, 256), ("top2", 256, 1)]
for name, fan_in, fan_out in layers:
    print(f"  train.param @{name}.weight : f32[{fan_in}, {fan_out}] = #train.kaiming_uniform")
    print(f"  train.param @{name}.bias : f32[{fan_out}] = #train.zeros")
features = ", ".join(f"%feature{i}: i32[batch]" for i in range(sizes.tables))
print(f"  train.func @score(%x: f32[batch, numbers], {features}) {{")


def perceptron(name, x, layers):
    for i in range(layers):
        print(f"    %{name}{i}.y = train.linear {x}, %{name}{i}.weight, %{name}{i}.bias")
        x = f"%{name}{i}.y"
        if (name, i) != ("top", layers - 1):
            print(f"    %{name}{i}.h = train.relu {x}")
            x = f"%{name}{i}.h"
    return x


dense = perceptron("bottom", "%x", 3)
for i in range(sizes.tables):
    print(f"    %e{i} = train.embedding %table{i} at %feature{i}")
print(f"    %row = train.concat {', '.join([dense] + [f'%e{i}' for i in range(sizes.tables)])} along 1")
print(f"    %vectors = train.reshape %row to [batch, {vectors}, width]")
print("    %pairs = train.matmul %vectors, %vectors transpose_rhs")
print(f"    %flat = train.reshape %pairs to [batch, {vectors * vectors}]")
print(f"    %both = train.concat {dense}, %flat along 1")
print(f"    train.return {perceptron('top', '%both', 3)}")
print("  }")
print(f"  train.func @loss(%x: f32[batch, numbers], {features}, %clicked: f32[batch, 1]) {{")
print(f"    %score = train.call @score(%x, {', '.join(f'%feature{i}' for i in range(sizes.tables))})")
print("    %loss = train.bce_with_logits %score, %clicked")
print("    train.return %loss")
print("  }")
print(f"  train.step @fit minimize @loss over all with #train.adam<lr = 1.0e-3{', lazy = true' if sizes.lazy else ''}>")
print('  train.export @score as "predict" batch 1')
print("}")
