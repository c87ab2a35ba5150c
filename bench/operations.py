# The dominant operations of GPT-2, ResNet-50 and DLRM, each as a model of ampc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An operation is a dictionary that bench/peers/torch_operations.py makes the same of in PyTorch: its `family`, sizes, and `what` it is called. `model` writes
the text of ampc: a function on inputs in the type that is measured, exported as "run", or a step for what belongs to one."""

import json
import os
import subprocess
import sys

from common import ampc, lines_of, peer, row, run

# Name, m, n, k of the forward product [m, k] x [k, n]; both gradients are products of the same three sizes.
PRODUCTS = [("GPT-2 qkv", 512, 2304, 768), ("GPT-2 up", 512, 3072, 768), ("GPT-2 down", 512, 768, 3072), ("DLRM top", 2048, 512, 793),
            ("ResNet-50 1x1, 64 to 256 at 56", 8 * 56 * 56, 256, 64), ("ResNet-50 1x1, 1024 to 256 at 14", 8 * 14 * 14, 256, 1024)]
# Where: images, channels in, channels out, side, taps, stride.
CONVOLUTIONS = [("ResNet-50 stem", 8, 3, 64, 224, 7, 2), ("ResNet-50 3x3, 64 at 56", 8, 64, 64, 56, 3, 1), ("ResNet-50 3x3, 128 at 28", 8, 128, 128, 28, 3, 1),
                ("ResNet-50 3x3, 256 at 14", 8, 256, 256, 14, 3, 1), ("ResNet-50 3x3, 512 at 7", 8, 512, 512, 7, 3, 1)]
# Where: entries of the batch, heads, positions, width of a head, causal.
ATTENTIONS = [("GPT-2", 1, 12, 512, 64, True), ("BERT", 4, 12, 128, 64, False)]


def operations():
    for where, m, n, k in PRODUCTS:
        # N or T per operand, row-major or transposed in memory: NN forward, NT gradient of the input, TN gradient of the weight.
        for kind, sizes in (("NN", (m, n, k)), ("NT", (m, k, n)), ("TN", (k, n, m))):
            yield dict(family="product", what=f"product {kind}, {where}", kind=kind, **dict(zip("mnk", sizes)))
    for where, images, inputs, outputs, side, taps, stride in CONVOLUTIONS:
        # No gradient of the image goes to the first layer's input.
        for part in ("forward", "image gradient", "filter gradient")[:: 2 if inputs == 3 else 1]:
            yield dict(family="convolution", what=f"{part}, {where}", part=part, images=images, inputs=inputs, outputs=outputs, side=side, taps=taps, stride=stride)
    for where, batch, heads, positions, width, causal in ATTENTIONS:
        for part in ("forward", "forward and gradient"):
            yield dict(family="attention", what=f"attention {part}, {where}", part=part, batch=batch, heads=heads, positions=positions, width=width, causal=causal)
    for part in ("forward", "forward and gradient"):
        yield dict(family="layer norm", what=f"layer norm {part}, 2048 rows of 768", part=part, rows=2048, width=768)
    yield dict(family="batch norm", what="batch norm step, 256 channels at 56, batch 8", images=8, side=56, channels=256)
    yield dict(family="cross entropy", what="cross entropy and gradient, 512 tokens of 50257", rows=512, classes=50257)
    yield dict(family="adamw", what="AdamW, 25 million parameters", elements=25_000_000)


def flops(op):
    """Of products and convolutions: two per multiply-add, taps at padding included."""
    if op["family"] == "product":
        return 2 * op["m"] * op["n"] * op["k"]
    if op["family"] == "convolution":
        return 2 * op["images"] * (op["side"] // op["stride"]) ** 2 * op["inputs"] * op["outputs"] * op["taps"] ** 2
    return None


def function(inputs, body, results):
    parameters = ", ".join(f"%{name}: {type}" for name, type in inputs.items())
    lines = "\n".join(f"    {line}" for line in body)
    return f"  train.func @run({parameters}) {{\n{lines}\n    train.return {', '.join(results)}\n  }}\n  train.export @run as \"run\"\n"


def shape(dtype, *sizes):
    return f"{dtype}[{', '.join(map(str, sizes))}]"


def rounded(dtype, value):
    """Sums in f32 as the type that is measured, as PyTorch returns them."""
    return [] if dtype == "f32" else [f"%result = train.cast {value} to {dtype}"]


def gradient(result, cotangent, rank, sources):
    """Of what `result` is made from, for a cotangent of `rank` dimensions."""
    dims = ", ".join(map(str, range(rank)))
    return [f"%weighted = train.mul {result}, {cotangent}", f"%sum = train.reduce_sum %weighted over [{dims}]",
            f"{', '.join('%d' + each for each in sources)} = train.grad %sum wrt {', '.join('%' + each for each in sources)}"]


def product(op, dtype):
    m, n, k = op["m"], op["n"], op["k"]
    a, b = ((k, m), "transpose_lhs") if op["kind"] == "TN" else ((m, k), ""), ((n, k), "transpose_rhs") if op["kind"] == "NT" else ((k, n), "")
    body = [f"%c = train.matmul %a, %b {a[1]} {b[1]}", *rounded(dtype, "%c")]
    return function({"a": shape(dtype, *a[0]), "b": shape(dtype, *b[0])}, body, ["%c" if dtype == "f32" else "%result"])


def tensor(dtype, sizes):
    return f"tensor<{'x'.join(map(str, sizes))}x{dtype}>"


def convolution(op, dtype):
    """The op itself or that of a gradient; sums are in f32."""
    taps, stride, side = op["taps"], op["stride"], op["side"]
    low = taps // 2
    high = low - (stride - 1)  # so that the result has side / stride pixels
    shapes = {"x": (op["images"], side, side, op["inputs"]), "w": (op["outputs"], taps, taps, op["inputs"]),
              "g": (op["images"], side // stride, side // stride, op["outputs"])}
    name, (a, b), result = {"forward": ("conv2d", "xw", "g"), "image gradient": ("conv2d_grad_input", "gw", "x"),
                            "filter gradient": ("conv2d_grad_filter", "xg", "w")}[op["part"]]
    types = f"({tensor(dtype, shapes[a])}, {tensor(dtype, shapes[b])}) -> {tensor('f32', shapes[result])}"
    body = [f"%y = train.{name} %{a}, %{b} strides [{stride}, {stride}] padding [{low}, {high}, {low}, {high}] : {types}", *rounded(dtype, "%y")]
    return function({each: shape(dtype, *shapes[each]) for each in (a, b)}, body, ["%y" if dtype == "f32" else "%result"])


def attention(op, dtype):
    inputs = {name: shape(dtype, op["batch"], op["heads"], op["positions"], op["width"]) for name in ("q", "k", "v", "g")}
    body = ["%y = train.attention %q, %k, %v" + (" causal" if op["causal"] else "")]
    if op["part"] == "forward":
        del inputs["g"]
        return function(inputs, body, ["%y"])
    return function(inputs, body + gradient("%y", "%g", 4, ["q", "k", "v"]), ["%y", "%dq", "%dk", "%dv"])


def layer_norm(op, dtype):
    x = shape(dtype, op["rows"], op["width"])
    inputs = {"x": x, "gamma": shape("f32", op["width"]), "beta": shape("f32", op["width"]), "g": x}
    body = ["%gamma0 = train.cast %gamma to " + dtype, "%beta0 = train.cast %beta to " + dtype] if dtype != "f32" else []
    names = ("%gamma0", "%beta0") if dtype != "f32" else ("%gamma", "%beta")
    body.append(f"%y = train.layer_norm %x, {names[0]}, {names[1]} eps 1.0e-5")
    if op["part"] == "forward":
        del inputs["g"]
        return function(inputs, body, ["%y"])
    return function(inputs, body + gradient("%y", "%g", 2, ["x", "gamma", "beta"]), ["%y", "%dx", "%dgamma", "%dbeta"])


def batch_norm(op, dtype):
    """A step: statistics of the batch exist in training only. A parameter in front makes it want the gradient of its input."""
    x, channels = shape("f32", op["images"], op["side"], op["side"], op["channels"]), op["channels"]
    parameters = [("scale", "ones"), ("gamma", "ones"), ("beta", "zeros")]
    lines = [f"  train.param @{name} : f32[{channels}] = #train.{value}" for name, value in parameters]
    lines += [f"  train.buffer @{name} : f32[{channels}] = #train.{value}" for name, value in (("mean", "zeros"), ("variance", "ones"))]
    lines += [f"  train.func @loss(%x: {x}, %g: {x}) {{", "    %a = train.mul %x, %scale",
              "    %y = train.batch_norm %a, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5", "    %z = train.mul %y, %g",
              "    %l = train.reduce_sum %z over [0, 1, 2, 3]", "    train.return %l", "  }",
              "  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0e-9>"]
    return "\n".join(lines) + "\n"


def cross_entropy(op, dtype):
    inputs = {"scores": shape(dtype, op["rows"], op["classes"]), "label": shape("i32", op["rows"])}
    return function(inputs, ["%l = train.softmax_cross_entropy %scores, %label", "%d = train.grad %l wrt %scores"], ["%l", "%d"])


def adamw(op, dtype):
    """A step whose gradient is an input. Its kernels are the update, and what finds the loss."""
    return (f"  train.param @w : f32[{op['elements']}] = #train.zeros\n  train.func @loss(%x: f32[{op['elements']}]) {{\n    %y = train.mul %x, %w\n"
            "    %l = train.reduce_sum %y over [0]\n    train.return %l\n  }\n"
            "  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3, weight_decay = 1.0e-2>\n")


MODELS = {"product": product, "convolution": convolution, "attention": attention, "layer norm": layer_norm, "batch norm": batch_norm,
          "cross entropy": cross_entropy, "adamw": adamw}


def model(op, dtype):
    return f"train.model @operation {{\n{MODELS[op['family']](op, dtype)}}}\n"


def of_ampc(op, dtype, path):
    """The line of ampc bench: the median of its runs and their quartiles."""
    with open(path, "w") as out:
        out.write(model(op, dtype))
    is_step = op["family"] in ("batch norm", "adamw")
    options = ["--precision", dtype] if is_step else ["--export", "run"]
    short = op["family"] == "layer norm"
    lines = run([ampc, "bench", path, "--threads", "2", "--steps", "500" if short else "30", *options, "--json", path + ".json"])
    if lines and op["family"] == "adamw":
        # The update kernel alone, without the forward and backward pass in front.
        with open(path + ".json") as file:
            kernels = json.load(file)["kernels"]
        seconds = 1e-9 * max(each["median_nanoseconds"] for each in kernels if each["name"] == "fit.update")
        lines[0].update(median_seconds=seconds, quartile_seconds=None)
    return lines and lines[0]


def of_pytorch(python, dtype, ops):
    """Lines by what they are of; one process for all, so that what starts with PyTorch is not measured."""
    text = "".join(json.dumps(op) + "\n" for op in ops)
    done = subprocess.run([python, peer("torch_operations.py"), "--dtype", dtype, "--threads", "2"], input=text, capture_output=True, text=True)
    if done.returncode:
        print(f"failed: torch_operations.py\n{done.stderr.strip()[-400:]}", file=sys.stderr)
    return {line["what"]: line for line in lines_of(done.stdout)}


def table(python, folder):
    """Speeds of products and convolutions, seconds of the others. AdamW has no 16-bit form."""
    for dtype in ("f32", "bf16"):
        ops = [op for op in operations() if dtype == "f32" or op["family"] != "adamw"]
        theirs = of_pytorch(python, dtype, ops) if python else {}
        for op in ops:
            ours, line = of_ampc(op, dtype, os.path.join(folder, "operation.mlir")), theirs.get(op["what"])
            if not ours:
                continue
            values = [(ours["median_seconds"], ours["quartile_seconds"])]
            values.append((line["seconds"], line["quartiles"]) if line else (None, None))
            name = f"PyTorch {line['torch_version']}, {line['mode']}" if line else ""
            work, what = flops(op), f"{dtype} {op['what']}, 2 threads"
            if work:
                (speed, spread), (peer_speed, peer_spread) = [speeds(work, *each) for each in values]
                row(what, speed, "GFLOP/s", peer_speed, name, False, spread, peer_spread)
            else:
                (seconds, spread), (peer_seconds, peer_spread) = values
                row(what, seconds, "s", peer_seconds, name, True, spread, peer_spread)


def speeds(work, seconds, quartiles):
    """GFLOP/s of the median and of the quartiles, ascending."""
    return seconds and 1e-9 * work / seconds, quartiles and [1e-9 * work / each for each in reversed(quartiles)]
