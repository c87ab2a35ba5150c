# Compiles small models under several rules and looks for kernels of their steps that read a gradient and give only scalars. Prints a
# line for each, and how many steps there were. Arguments: the ampc to run, a folder.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys

AMPC, FOLDER = sys.argv[1:]

# Shapes of the parameters; definition of %l, whose mean is the loss (%x is 16x6); shape of %l.
MODELS = {
    "weight": ({"w": "6x5"}, ["%l = train.matmul %x, %w : (tensor<16x6xf32>, tensor<6x5xf32>) -> tensor<16x5xf32>"], "16x5"),
    "column": ({"w": "6x1"}, ["%l = train.matmul %x, %w : (tensor<16x6xf32>, tensor<6x1xf32>) -> tensor<16x1xf32>"], "16x1"),
    "large": ({"w": "6x3001"}, ["%l = train.matmul %x, %w : (tensor<16x6xf32>, tensor<6x3001xf32>) -> tensor<16x3001xf32>"], "16x3001"),
    "scalar": ({"w": ""}, ["%l = train.mul %x, %w : tensor<16x6xf32>, tensor<f32>"], "16x6"),
    "one": ({"w": "1"}, ["%l = train.mul %x, %w : tensor<16x6xf32>, tensor<1xf32>"], "16x6"),
    "vector": ({"w": "6"}, ["%l = train.mul %x, %w : tensor<16x6xf32>, tensor<6xf32>"], "16x6"),
    "pointwise": ({"w": "6"}, ["%0 = train.reduce_mean %x over [0] : tensor<16x6xf32>", "%l = train.mul %0, %w : tensor<6xf32>, tensor<6xf32>"], "6"),
    "several": ({"w": "6x5", "v": "5", "u": "", "t": "5x5"},
                ["%0 = train.linear %x, %w, %v : tensor<16x6xf32>, tensor<6x5xf32>, tensor<5xf32>",
                 "%1 = train.mul %0, %u : tensor<16x5xf32>, tensor<f32>",
                 "%l = train.matmul %1, %t : (tensor<16x5xf32>, tensor<5x5xf32>) -> tensor<16x5xf32>"], "16x5"),
    "filter": ({"w": "4x3x3x2"},
               ["%0 = train.reshape %x : tensor<16x6xf32> to tensor<16x1x3x2xf32>",
                "%l = train.conv2d %0, %w strides [1, 1] padding [1, 1, 1, 1] : "
                "(tensor<16x1x3x2xf32>, tensor<4x3x3x2xf32>) -> tensor<16x1x3x4xf32>"], "16x1x3x4"),
    "table": ({"w": "40x6"},
              ["%0 = train.embedding %w at %i : tensor<40x6xf32>, tensor<16xi32>",
               "%l = train.mul %0, %x : tensor<16x6xf32>, tensor<16x6xf32>"], "16x6"),
    "tied": ({"w": "40x6"},
             ["%0 = train.embedding %w at %i : tensor<40x6xf32>, tensor<16xi32>",
              "%1 = train.mul %0, %x : tensor<16x6xf32>, tensor<16x6xf32>",
              "%2 = train.transpose %w [1, 0] : tensor<40x6xf32>",
              "%l = train.matmul %1, %2 : (tensor<16x6xf32>, tensor<6x40xf32>) -> tensor<16x40xf32>"], "16x40"),
    # Gradient assembled from a slice and zeros: the only kernel here without fused reductions.
    "part": ({"w": "12x5"},
             ["%0 = train.slice %w from [3, 0] sizes [6, 5] strides [1, 1] : tensor<12x5xf32>",
              "%l = train.matmul %x, %0 : (tensor<16x6xf32>, tensor<6x5xf32>) -> tensor<16x5xf32>"], "16x5"),
}
PRECISIONS = [["--precision=f32"], ["--precision=f16"], ["--precision=f16", "--policy=autocast"]]
RULES = [("sgd<lr = 0.1, momentum = 0.9, weight_decay = 0.1>", ""),
         ("sgd<lr = 0.1>", "{clip_norm = 1.0}"),
         ("adam<lr = 0.1, lazy = true>", "{clip_norm = 1.0}"),
         ("adam<lr = 0.1, weight_decay = 0.1>", "{clip_norm = 1.0, micro_batches = 2}")]


def tensor(shape):
    return f"tensor<{shape + 'x' if shape else ''}f32>"


def model(params, body, shape, rule, step):
    if len(params) > 1:
        rule += f" groups [#train.group<params = [@{list(params)[-1]}], optimizer = #train.adamw<lr = 0.01>>]"
    dims = list(range(shape.count("x") + 1))
    return "\n".join([
        "train.model @m {",
        *(f"  train.param @{name} : {tensor(of)} = #train.ones" for name, of in params.items()),
        "  train.func @loss(%x: tensor<16x6xf32>, %i: tensor<16xi32>) -> tensor<f32> {",
        *(f"    %{name} = train.read @{name} : {tensor(of)}" for name, of in params.items()),
        *body,
        f"    %s = train.reduce_mean %l over {dims} : {tensor(shape)}",
        "    train.return %s : tensor<f32>",
        "  }",
        f"  train.step @fit minimize @loss over [{', '.join('@' + name for name in params)}] with #train.{rule} {step}",
        "}"])


def is_scalar(kind):
    return all(size == "1" for size in kind.split("x")[:-1])


def summers(text):
    """How many kernels read a gradient of several elements and give only scalars, and how many such gradients there are."""
    program = text.split("kernel.program @fit.train(")[1].split("\n  kernel.program ")[0]
    gradients, readers = set(), 0
    for kernel in re.split(r"\n(?=    [%k])", program)[1:]:
        names, op, operands = re.match(r"    (?:(%.*) = )?(kernel\.\w+)(.*)", kernel).groups()
        if op == "kernel.return":
            continue
        reads = gradients & set(re.findall(r"%\w+(?:#\d+)?", operands))
        results = re.findall(r"tensor<([^<>]*)>", re.split(r"\} : |\} \{kernel\.barrier\} : | -> | to ", kernel)[-1])
        names = names.split(", ")
        if len(names) < len(results):
            names = [f"{names[0].split(':')[0]}#{i}" for i in range(len(results))]
        readers += bool(reads) and all(map(is_scalar, results))
        if "kernel.barrier" in kernel or (op == "kernel.view" and reads):
            gradients.update(name for name, kind in zip(names, results) if not is_scalar(kind))
    return readers, len(gradients)


steps = seen = 0
for name, description in MODELS.items():
    for precision in PRECISIONS:
        for rule, step in RULES:
            path = f"{FOLDER}/{name}.mlir"
            with open(path, "w") as file:
                file.write(model(*description, rule, step))
            run = subprocess.run([AMPC, "compile", path, "--compile-to=kernels", "--explain-precision", *precision], capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{path}: {run.stderr}")
            readers, gradients = summers(run.stdout)
            remarks = run.stderr.count("adds up a gradient in a separate pass: ")
            steps += 1
            seen += gradients > 0
            if readers or remarks:
                print(f"{name} {' '.join(precision)} {rule} {step}: {readers} kernels, {remarks} remarks")
print(f"{steps} steps, {seen} with gradients of several elements")
