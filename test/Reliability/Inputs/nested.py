# A model whose ops lie in regions within regions: nested.py DEPTH
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

depth, tensor = int(sys.argv[1]), "tensor<8x6xf32>"
print(f"train.model @nested {{ train.param @w : tensor<6xf32> = #train.ones\ntrain.func @loss(%x: {tensor}) -> tensor<f32> {{")
print("%w = train.read @w : tensor<6xf32>")
for i in range(depth):
    print(f"%{i} = amp.autocast bf16 -> {tensor} {{")
print(f"%in = train.tanh %x : {tensor}\namp.yield %in : {tensor} }}")
for i in range(depth - 1, 0, -1):
    print(f"amp.yield %{i} : {tensor} }}")
print(f"%m = train.mul %0, %w : {tensor}, tensor<6xf32>\n%l = train.reduce_mean %m over [0, 1] : {tensor}\ntrain.return %l : tensor<f32> }}")
print("train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.01> }")
