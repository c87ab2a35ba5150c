# A model of as many small layers as the argument says, so that a step has hundreds of kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

count = int(sys.argv[1])
print("train.model @deep {\n  train.param @w : tensor<4x4xf32> = #train.kaiming_uniform")
print("  train.func @loss(%x0: tensor<4x4xf32>) -> tensor<f32> {\n    %w = train.read @w : tensor<4x4xf32>")
for i in range(count):
    print(f"    %y{i} = train.linear %x{i}, %w : tensor<4x4xf32>, tensor<4x4xf32>")
    print(f"    %x{i + 1} = train.tanh %y{i} : tensor<4x4xf32>")
print(f"    %loss = train.mse %x{count}, %x0 : tensor<4x4xf32>, tensor<4x4xf32>\n    train.return %loss : tensor<f32>\n  }}")
print("  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>\n}")
