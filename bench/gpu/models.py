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


def updateWithCopy(count):
    """The same with a working copy in bf16: a row times the parameter, which is small beside the update."""
    rows, x, y = count // 1024, f"tensor<1x{count // 1024}xf32>", "tensor<1x1024xf32>"
    return f"""{LICENCE}train.model @update {{
  train.param @w : tensor<{rows}x1024xf32> = #train.normal<std = 1.0>
  train.func @loss(%x: {x}, %y: {y}) -> tensor<f32> {{
    %w = train.read @w : tensor<{rows}x1024xf32>
    %0 = train.linear %x, %w : {x}, tensor<{rows}x1024xf32>
    %1 = train.mse %0, %y : {y}, {y}
    train.return %1 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.adamw<lr = 1.0e-6>
}}
"""


def rows(kind, count, width):
    """Rows of `width` numbers, which a narrow layer makes so that they are stored in 16 bits, through a kernel along rows and its gradient."""
    x, w, y, one = f"tensor<{count}x64xf32>", f"tensor<64x{width}xf32>", f"tensor<{count}x{width}xf32>", f"tensor<{width}xf32>"
    label = f", %label: tensor<{count}xi32>" if kind == "cross_entropy" else ""
    norm = {"layer_norm": f"train.layer_norm %0, %gamma, %beta eps 1.0e-5 : {y}, {one}, {one}",
            "rms_norm": f"train.rms_norm %0, %gamma eps 1.0e-5 : {y}, {one}", "softmax": f"train.softmax %0 : {y}"}
    if kind == "cross_entropy":
        body = f"""    %3 = train.softmax_cross_entropy %0, %label : {y}, tensor<{count}xi32>
    train.return %3 : tensor<f32>"""
    else:
        body = f"""    %n = {norm[kind]}
    %1 = train.mul %n, %n : {y}, {y}
    %2 = train.reduce_mean %1 over [1] : {y}
    %3 = train.reduce_mean %2 over [0] : tensor<{count}xf32>
    train.return %3 : tensor<f32>"""
    parameters = {"layer_norm": ["gamma", "beta"], "rms_norm": ["gamma"]}.get(kind, [])
    declared = "".join(f"  train.param @{name} : {one} = #train.{'ones' if name == 'gamma' else 'zeros'}\n" for name in parameters)
    read = "".join(f"    %{name} = train.read @{name} : {one}\n" for name in parameters)
    return f"""{LICENCE}train.model @rows {{
  train.param @w : {w} = #train.kaiming_uniform
{declared}  train.func @loss(%x: {x}{label}) -> tensor<f32> {{
    %w = train.read @w : {w}
{read}    %0 = train.linear %x, %w : {x}, {w}
{body}
  }}
  train.step @fit minimize @loss over [{', '.join('@' + name for name in ['w', *parameters])}] with #train.sgd<lr = 1.0e-6>
}}
"""


def image(*sizes):
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


def conv(images, side, channels, features, window, stride, norm=False):
    """A convolution whose step has the gradients of filter and image; with batch norm and ReLU behind it."""
    out, pad = side // stride, window // 2
    x, filter, y = image(images, side, side, channels), image(features, window, window, channels), image(images, out, out, features)
    one = f"tensor<{features}xf32>"
    state = f"""  train.param @gamma : {one} = #train.ones
  train.param @beta : {one} = #train.zeros
  train.buffer @mean : {one} = #train.zeros
  train.buffer @variance : {one} = #train.ones
""" if norm else ""
    body = f"""    %gamma = train.read @gamma : {one}
    %beta = train.read @beta : {one}
    %n = train.batch_norm %1, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : {y}, {one}, {one}
    %2 = train.relu %n : {y}
""" if norm else f"    %2 = train.mul %1, %1 : {y}, {y}\n"
    return f"""{LICENCE}train.model @conv {{
  train.param @shift : tensor<{channels}xf32> = #train.zeros
  train.param @filter : {filter} = #train.kaiming_uniform
{state}  train.func @loss(%x: {x}) -> tensor<f32> {{
    %shift = train.read @shift : tensor<{channels}xf32>
    %filter = train.read @filter : {filter}
    %0 = train.add %x, %shift : {x}, tensor<{channels}xf32>
    %1 = train.conv2d %0, %filter strides [{stride}, {stride}] padding [{pad}, {pad}, {pad}, {pad}] : ({x}, {filter}) -> {y}
{body}    %3 = train.reduce_mean %2 over [3] : {y}
    %4 = train.reduce_mean %3 over [0, 1, 2] : {image(images, out, out)}
    train.return %4 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@shift, @filter{', @gamma, @beta' if norm else ''}] with #train.sgd<lr = 1.0e-6>
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
