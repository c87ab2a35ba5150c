#!/usr/bin/env python3
# Prints bench/models/resnet.mlir in full, with every type and parameter: the reference for the short text.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-18 widths on 32x32 images (He et al. 2016, section 4.2): 3x3 stem, two basic blocks per width, batch 64."""

WIDTHS, BATCH, IMAGE, CLASSES = (64, 128, 256, 512), 64, 32, 10

state, body, params = [], [], []
counter = 0


def fresh():
    global counter
    counter += 1
    return f"%v{counter}"


def image(size, channels):
    return f"tensor<{BATCH}x{size}x{size}x{channels}xf32>"


def parameter(name, dims, init):
    kind = f"tensor<{'x'.join(map(str, dims))}xf32>"
    state.append(f"  train.param @{name} : {kind} = #train.{init}")
    params.append(f"@{name}")
    value = fresh()
    body.append(f"    {value} = train.read @{name} : {kind}")
    return value, kind


def convolution(x, size, channels, width, kernel, stride, name):
    filters, kind = parameter(f"{name}.weight", (width, kernel, kernel, channels), "kaiming_normal")
    y, pad = fresh(), kernel // 2
    body.append(f"    {y} = train.conv2d {x}, {filters} strides [{stride}, {stride}] padding [{pad}, {pad}, {pad}, {pad}]"
                f" : ({image(size, channels)}, {kind}) -> {image(size // stride, width)}")
    return y, size // stride


def norm(x, size, width, name):
    gamma, kind = parameter(f"{name}.gamma", (width,), "ones")
    beta, _ = parameter(f"{name}.beta", (width,), "zeros")
    state.append(f"  train.buffer @{name}.mean : {kind} = #train.zeros")
    state.append(f"  train.buffer @{name}.variance : {kind} = #train.ones")
    y = fresh()
    body.append(f"    {y} = train.batch_norm {x}, {gamma}, {beta} running @{name}.mean, @{name}.variance momentum 0.1"
                f" eps 1.0e-5 : {image(size, width)}, {kind}, {kind}")
    return y


def relu(x, size, width):
    y = fresh()
    body.append(f"    {y} = train.relu {x} : {image(size, width)}")
    return y


def block(x, size, channels, width, stride, name):
    shortcut = x
    if stride != 1 or channels != width:
        shortcut, small = convolution(x, size, channels, width, 1, stride, f"{name}.shortcut")
        shortcut = norm(shortcut, small, width, f"{name}.shortcut")
    y, small = convolution(x, size, channels, width, 3, stride, f"{name}.first")
    y = relu(norm(y, small, width, f"{name}.first"), small, width)
    y, _ = convolution(y, small, width, width, 3, 1, f"{name}.second")
    y = norm(y, small, width, f"{name}.second")
    total = fresh()
    body.append(f"    {total} = train.add {y}, {shortcut} : {image(small, width)}, {image(small, width)}")
    return relu(total, small, width), small


x, size = convolution("%image", IMAGE, 3, WIDTHS[0], 3, 1, "stem")
x = relu(norm(x, size, WIDTHS[0], "stem"), size, WIDTHS[0])
channels = WIDTHS[0]
for number, width in enumerate(WIDTHS):
    x, size = block(x, size, channels, width, 1 if number == 0 else 2, f"block{2 * number}")
    x, size = block(x, size, width, width, 1, f"block{2 * number + 1}")
    channels = width
pooled = fresh()
body.append(f"    {pooled} = train.global_avg_pool {x} : {image(size, channels)}")
weight, kind = parameter("output.weight", (channels, CLASSES), "xavier_uniform")
bias, bias_kind = parameter("output.bias", (CLASSES,), "zeros")
scores = fresh()
body.append(f"    {scores} = train.linear {pooled}, {weight}, {bias} : tensor<{BATCH}x{channels}xf32>, {kind}, {bias_kind}")
body.append(f"    %loss = train.softmax_cross_entropy {scores}, %label : tensor<{BATCH}x{CLASSES}xf32>, tensor<{BATCH}xi32>")

print("// ResNet-18 widths on 32x32 images; in full.")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("train.model @conv_net {")
print("\n".join(state))
print(f"  train.func @loss(%image: {image(IMAGE, 3)}, %label: tensor<{BATCH}xi32>) -> tensor<f32> {{")
print("\n".join(body))
print("    train.return %loss : tensor<f32>\n  }")
print(f"  train.step @fit minimize @loss over [{', '.join(params)}]")
print("    with #train.adamw<lr = 1.0e-3, weight_decay = 1.0e-2>\n}")
