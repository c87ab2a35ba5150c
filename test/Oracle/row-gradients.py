# Tables whose gradient stays rows, beside PyTorch's sparse optimizers: six steps on batches with repeated indices.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
    row-gradients.py record > row-gradients.json           # needs PyTorch
    row-gradients.py model > rows.mlir
    row-gradients.py compare row-gradients.json LIBRARY.so
"""
import ctypes
import json
import random
import struct
import sys

ROWS, WIDTH, BATCH, STEPS, PADDING, VALID = 40, 5, 12, 6, 3, 7

# Step: (ampc's optimizer, attributes of the step, names and widths of the moments, whether untouched rows keep their bits)
STEPS_OF = {
    "lazy": ("adam<lr = 0.05, eps = 1.0e-12, lazy = true>", "", {"m": WIDTH, "v": WIDTH}, True),
    "lazyw": ("adamw<lr = 0.05, weight_decay = 0.1, lazy = true>", "", {"m": WIDTH, "v": WIDTH}, True),
    "adam": ("adam<lr = 0.05>", "", {"m": WIDTH, "v": WIDTH}, False),
    "adagrad": ("adagrad<lr = 0.1, initial_accumulator = 0.01>", "", {"sum": WIDTH}, True),
    "rowwise": ("rowwise_adagrad<lr = 0.1>", "", {"sum": 1}, True),
    "sgd": ("sgd<lr = 0.5>", "", {}, True),
    "momentum": ("sgd<lr = 0.1, momentum = 0.9>", "", {"momentum": WIDTH}, False),
    "clipped": ("sgd<lr = 0.5>", "{clip_norm = 0.05}", {}, True),
    "parts": ("sgd<lr = 0.5>", "{micro_batches = 2}", {}, True),
    "lazyparts": ("adamw<lr = 0.05, weight_decay = 0.1, lazy = true>", "{micro_batches = 2}", {"m": WIDTH, "v": WIDTH}, True),
    "average": ("sgd<lr = 0.5>", "{ema_decay = 0.5}", {"ema": WIDTH}, False),
    "rounded": ("adam<lr = 0.05, lazy = true, moments = bf16>", "", {}, True),
}
TWICE = ("lazy", "sgd")  # models with two lookups of the table
PARTS = ("parts", "lazyparts")  # models with two micro-batches
SAME = {"lazyparts": "lazyw"}  # models with the results of another step


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def make_data():
    draw = random.Random(7)
    real = lambda count: [single(draw.gauss(0, 1)) for _ in range(count)]
    table = real(ROWS * WIDTH)
    batches = []
    for _ in range(STEPS):
        index = [draw.choice([1, 4, PADDING, 17, 39, draw.randrange(ROWS // 2)]) for _ in range(BATCH)]
        batches.append((index, real(BATCH * WIDTH), real(BATCH * WIDTH)))
    return table, batches


def model():
    lines = ["train.model @rows {"]
    for name, (optimizer, attributes, _, _) in STEPS_OF.items():
        batch = BATCH // 2 if name in PARTS else BATCH
        rows = f"tensor<{batch}x{WIDTH}xf32>"
        lookup = f"train.embedding %t at %i padding {PADDING} : tensor<{ROWS}x{WIDTH}xf32>, tensor<{batch}xi32>"
        lines += [f"  train.param @{name} : tensor<{ROWS}x{WIDTH}xf32> = #train.zeros",
                  f"  train.func @{name}_loss(%i: tensor<{batch}xi32>, %x: {rows}, %y: {rows}) -> tensor<f32> {{",
                  f"    %t = train.read @{name} : tensor<{ROWS}x{WIDTH}xf32>",
                  f"    %r = {lookup}",
                  f"    %p = train.mul %r, %x : {rows}, {rows}"]
        if name in TWICE:  # sin keeps the second lookup apart from the first
            lines += [f"    %j = train.reshape %i : tensor<{batch}xi32> to tensor<{batch}x1xi32>",
                      f"    %r2 = train.embedding %t at %j : tensor<{ROWS}x{WIDTH}xf32>, tensor<{batch}x1xi32>",
                      f"    %r3 = train.reshape %r2 : tensor<{batch}x1x{WIDTH}xf32> to {rows}",
                      f"    %s = train.sin %r3 : {rows}",
                      f"    %q = train.add %p, %s : {rows}, {rows}"]
        last = "%q" if name in TWICE else "%p"
        lines += [f"    %l = train.mse {last}, %y : {rows}, {rows}", "    train.return %l : tensor<f32>", "  }",
                  f"  train.step @{name}_fit minimize @{name}_loss over [@{name}] with #train.{optimizer} {attributes}"]
    print("\n".join(lines + ["}"]))


def torch_table(name, table, batches):
    import torch
    from torch.nn.functional import embedding, mse_loss
    sparse = name in ("lazy", "adagrad")
    weight = torch.tensor(table).view(ROWS, WIDTH).requires_grad_()
    kinds = {"lazy": lambda: torch.optim.SparseAdam([weight], lr=0.05, eps=1e-12), "adam": lambda: torch.optim.Adam([weight], lr=0.05),
             "adagrad": lambda: torch.optim.Adagrad([weight], lr=0.1, initial_accumulator_value=0.01),
             "momentum": lambda: torch.optim.SGD([weight], lr=0.1, momentum=0.9)}
    optimizer = kinds.get(name, lambda: torch.optim.SGD([weight], lr=0.5))()
    sums, average = torch.zeros(ROWS, 1), None
    m, v = torch.zeros(ROWS, WIDTH), torch.zeros(ROWS, WIDTH)
    for step, (index, x, y) in enumerate(batches, 1):
        index, x, y = torch.tensor(index), torch.tensor(x).view(BATCH, WIDTH), torch.tensor(y).view(BATCH, WIDTH)
        rows = embedding(index, weight, padding_idx=PADDING, sparse=sparse) * x
        if name in TWICE:
            rows = rows + embedding(index, weight, sparse=sparse).sin()
        optimizer.zero_grad()
        mse_loss(rows, y).backward()
        if name == "clipped":
            torch.nn.utils.clip_grad_norm_([weight], 0.05)
        with torch.no_grad():
            g = weight.grad
            if name == "rowwise":
                sums += (g * g).mean(1, keepdim=True)
                weight -= 0.1 * g / (sums.sqrt() + 1e-8)
            elif name == "lazyw":  # AdamW's formulas on the rows that the batch names
                touched = index[index != PADDING].unique()
                m[touched] = 0.9 * m[touched] + 0.1 * g[touched]
                v[touched] = 0.999 * v[touched] + 0.001 * g[touched]**2
                direction = (m[touched] / (1 - 0.9**step)) / ((v[touched] / (1 - 0.999**step)).sqrt() + 1e-8)
                weight[touched] = weight[touched] * (1 - 0.05 * 0.1) - 0.05 * direction
            else:
                optimizer.step()
            average = weight.clone() if average is None else 0.5 * average + 0.5 * weight
    return (average if name == "average" else weight).detach().flatten().tolist()


def record():
    import torch
    table, batches = make_data()
    results = {"torch": torch.__version__}
    results |= {name: torch_table(name, table, batches) for name in STEPS_OF if name != "rounded" and name not in SAME}
    print(json.dumps(results, indent=0))


def compare(recorded, library):
    from closeness import share
    from model import Model, array
    with open(recorded) as file:
        expected = json.load(file)
    table, batches = make_data()
    untouched = [r for r in range(ROWS) if not any(r in index for index, _, _ in batches)]
    assert len(untouched) > 10
    failures = count = 0

    def report(good, what):
        nonlocal failures, count
        count += 1
        if not good:
            failures += 1
            print("WRONG:", what)

    def bits(model, name, elements):
        return bytes(model.tensor(name, elements))

    def run(name, threads, split):
        m = Model(library, "rows", threads)
        m.set(name, table)
        for index, x, y in batches:
            inputs = [array("i32", index), array("f32", x), array("f32", y)]
            if split:
                m.run(f"{name}_fit_grad", inputs)
                m.run(f"{name}_fit_apply", [])
            else:
                m.run(f"{name}_fit_train_step", inputs)
        return m

    for name, (_, _, moments, keeps) in STEPS_OF.items():
        m = run(name, 1, False)
        value = list(m.tensor(f"{name}_fit.ema.{name}" if name == "average" else name, ROWS * WIDTH))
        if SAME.get(name, name) in expected:
            worst = share(value, expected[SAME.get(name, name)], 1e-6, 2e-5)
            report(worst <= 1, f"{name}: {worst:.3g} of the tolerance beside PyTorch")
        state = {name: WIDTH} | {f"{name}_fit.{kind}.{name}": width for kind, width in moments.items()}
        before = Model(library, "rows")
        before.set(name, table)
        for tensor, width in state.items():
            now, old = (list(struct.iter_unpack("I", bits(x, tensor, ROWS * width))) for x in (m, before))
            kept = [r for r in range(ROWS) if now[r * width:r * width + width] == old[r * width:r * width + width]]
            if keeps:
                report(set(untouched) <= set(kept), f"{name}: rows of {tensor} that no index named have changed")
            report(len(kept) < ROWS, f"{name}: no row of {tensor} has changed")
        for what, other in [("four threads", run(name, 4, False)), ("grad and apply", run(name, 1, True))]:
            for tensor, width in state.items():
                report(bits(m, tensor, ROWS * width) == bits(other, tensor, ROWS * width), f"{name}: {tensor} differs with {what}")
    # Rows that only the part of a batch beyond `valid` names are no rows of the batch.
    index, x, y = batches[0]
    named = set(index[:VALID]) - {PADDING}
    assert 0 not in named and not set(index) <= named
    for name in ("rowwise", "lazyw", "lazyparts", "sgd"):
        m = Model(library, "rows")
        m.set(name, table)
        m.run(f"{name}_fit_train_step", [array("i32", index), array("f32", x), array("f32", y)], valid=VALID)
        now = list(m.tensor(name, ROWS * WIDTH))
        changed = {r for r in range(ROWS) if now[r * WIDTH:r * WIDTH + WIDTH] != table[r * WIDTH:r * WIDTH + WIDTH]}
        report(changed == named, f"{name}: rows {sorted(changed)} changed in a short batch, expected {sorted(named)}")
    print(f"{count} comparisons, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit({"record": record, "model": model, "compare": compare}[sys.argv[1]](*sys.argv[2:]) or 0)
