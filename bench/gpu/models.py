# The models of the kit as text. Steps learn next to nothing, so that no number runs away.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"


def product(m, n, k):
    """A layer whose step multiplies forward (NN), for its input (NT) and for its weights (TN)."""
    x, w, y = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return f"""{LICENCE}train.model @product {{
  train.param @shift : tensor<{k}xf32> = #train.zeros
  train.param @w : {w} = #train.kaiming_uniform
  train.func @loss(%x: {x}) -> tensor<f32> {{
    %shift = train.read @shift : tensor<{k}xf32>
    %w = train.read @w : {w}
    %0 = train.add %x, %shift : {x}, tensor<{k}xf32>
    %1 = train.linear %0, %w : {x}, {w}
    %2 = train.mul %1, %1 : {y}, {y}
    %3 = train.reduce_mean %2 over [1] : {y}
    %4 = train.reduce_mean %3 over [0] : tensor<{m}xf32>
    train.return %4 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@shift, @w] with #train.sgd<lr = 1.0e-6>
}}
"""


def update(count):
    """Nearly all of a step is AdamW."""
    w = f"tensor<{count // 1024}x1024xf32>"
    return f"""{LICENCE}train.model @update {{
  train.param @w : {w} = #train.normal<std = 1.0>
  train.func @loss(%x: tensor<1xf32>) -> tensor<f32> {{
    %w = train.read @w : {w}
    %0 = train.mul %w, %x : {w}, tensor<1xf32>
    %1 = train.reduce_mean %0 over [1] : {w}
    %2 = train.reduce_mean %1 over [0] : tensor<{count // 1024}xf32>
    train.return %2 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.adamw<lr = 1.0e-6>
}}
"""


def picture(batch, side):
    """A convolutional network with what such networks have: strides, a 3-channel stem, batch norm, pools."""
    def image(n, c):
        return f"tensor<{batch}x{n}x{n}x{c}xf32>"
    return f"""{LICENCE}train.model @picture {{
  train.param @stem : tensor<16x3x3x3xf32> = #train.kaiming_uniform
  train.param @second : tensor<24x3x3x16xf32> = #train.kaiming_uniform
  train.param @gamma : tensor<24xf32> = #train.ones
  train.param @beta : tensor<24xf32> = #train.zeros
  train.buffer @mean : tensor<24xf32> = #train.zeros
  train.buffer @variance : tensor<24xf32> = #train.ones
  train.param @w : tensor<{side * side // 16 * 24}x10xf32> = #train.kaiming_uniform
  train.func @loss(%image: {image(side, 3)}, %label: tensor<{batch}xi32>) -> tensor<f32> {{
    %stem = train.read @stem : tensor<16x3x3x3xf32>
    %second = train.read @second : tensor<24x3x3x16xf32>
    %gamma = train.read @gamma : tensor<24xf32>
    %beta = train.read @beta : tensor<24xf32>
    %w = train.read @w : tensor<{side * side // 16 * 24}x10xf32>
    %0 = train.conv2d %image, %stem strides [1, 1] padding [1, 1, 1, 1] : ({image(side, 3)}, tensor<16x3x3x3xf32>) -> {image(side, 16)}
    %1 = train.relu %0 : {image(side, 16)}
    %2, %at = train.max_pool %1 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : {image(side, 16)}
    %3 = train.conv2d %2, %second strides [2, 2] padding [1, 1, 1, 1] : ({image(side // 2, 16)}, tensor<24x3x3x16xf32>) -> {image(side // 4, 24)}
    %4 = train.batch_norm %3, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : {image(side // 4, 24)}, tensor<24xf32>, tensor<24xf32>
    %5 = train.reshape %4 : {image(side // 4, 24)} to tensor<{batch}x{side * side // 16 * 24}xf32>
    %6 = train.linear %5, %w : tensor<{batch}x{side * side // 16 * 24}xf32>, tensor<{side * side // 16 * 24}x10xf32>
    %7 = train.softmax_cross_entropy %6, %label : tensor<{batch}x10xf32>, tensor<{batch}xi32>
    train.return %7 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@stem, @second, @gamma, @beta, @w] with #train.adamw<lr = 1.0e-3>
}}
"""


def attention(batch, heads, context, size):
    """Causal attention between two layers, which make its inputs differ and its gradients flow."""
    width = heads * size
    x, parts = f"tensor<{batch}x{context}x{width}xf32>", f"tensor<{batch}x{context}x{heads}x{size}xf32>"
    qkv, head = f"tensor<{batch}x{context}x{3 * width}xf32>", f"tensor<{batch}x{heads}x{context}x{size}xf32>"
    turned = "".join(f"""    %{part}1 = train.reshape %{part}0 : {x} to {parts}
    %{part} = train.transpose %{part}1 [0, 2, 1, 3] : {parts}
""" for part in "qkv")
    return f"""{LICENCE}train.model @attention {{
  train.param @w : tensor<{width}x{3 * width}xf32> = #train.kaiming_uniform
  train.func @loss(%x: {x}) -> tensor<f32> {{
    %w = train.read @w : tensor<{width}x{3 * width}xf32>
    %qkv = train.linear %x, %w : {x}, tensor<{width}x{3 * width}xf32>
    %q0, %k0, %v0 = train.split %qkv into [{width}, {width}, {width}] along 2 : {qkv}
{turned}    %a = train.attention %q, %k, %v causal : {head}, {head}, {head}
    %0 = train.mul %a, %a : {head}, {head}
    %1 = train.reduce_mean %0 over [3] : {head}
    %2 = train.reduce_mean %1 over [2] : tensor<{batch}x{heads}x{context}xf32>
    %3 = train.reduce_mean %2 over [0, 1] : tensor<{batch}x{heads}xf32>
    train.return %3 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 1.0e-6>
}}
"""
