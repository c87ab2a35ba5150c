# A library with the code of two targets: the target that runs, and transfer of states between targets.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import random

from trained import FOLDER, Trained, build, expect, failures

MODEL = """
train.model @m {
  train.param @w : tensor<64x48xf32> = #train.normal<std = 0.2>
  train.param @v : tensor<48x48xf32> = #train.normal<std = 0.2>
  train.param @b : tensor<48xf32> = #train.fill<0.1>
  train.func @loss(%x: tensor<8x64xf32>, %y: tensor<8x48xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<64x48xf32>
    %v = train.read @v : tensor<48x48xf32>
    %b = train.read @b : tensor<48xf32>
    %0 = train.linear %x, %w, %b : tensor<8x64xf32>, tensor<64x48xf32>, tensor<48xf32>
    %1 = train.tanh %0 : tensor<8x48xf32>
    %2 = train.matmul %1, %v : (tensor<8x48xf32>, tensor<48x48xf32>) -> tensor<8x48xf32>
    %3 = train.matmul %2, %v : (tensor<8x48xf32>, tensor<48x48xf32>) -> tensor<8x48xf32>
    %4 = train.sub %3, %y : tensor<8x48xf32>, tensor<8x48xf32>
    %5 = train.mul %4, %4 : tensor<8x48xf32>, tensor<8x48xf32>
    %6 = train.reduce_mean %5 over [0, 1] : tensor<8x48xf32>
    train.return %6 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @v, @b] with #train.sgd<lr = 0.1, momentum = 0.9> {clip_norm = 1.0}
}
"""


def state(library, name, isa):
    os.environ["AMPC_ISA"] = isa
    made = Trained(library, name)
    tier = made.call("tier", made.state, restype=ctypes.c_char_p).decode()
    os.environ.pop("AMPC_ISA")
    return made, tier


def close(a, b, bound):
    return len(a) == len(b) and all(abs(x - y) <= bound for x, y in zip(a, b))


rows = random.Random(3)
batches = [[[rows.gauss(0, 1) for _ in range(8 * 64)], [rows.gauss(0, 1) for _ in range(8 * 48)]] for _ in range(4)]
for precision, bound in (("f32", 1e-5), ("bf16", 2e-2)):
    library, name = build(f"both-{precision}", MODEL, f"--precision={precision}", "--target=cpu,reference", "--pack-weights=always")
    expect("the first target runs", state(library, name, "")[1] != "reference", True)
    other, _ = build(f"turned-{precision}", MODEL, f"--precision={precision}", "--target=reference,cpu")
    expect("the order of preference", state(other, name, "")[1], "reference")
    plain, tier = state(library, name, "plain")
    expect("a tier of the first target", tier, "plain")
    loops, tier = state(library, name, "reference")
    expect("the tier of the second target", tier, "reference")
    expect("initial state", plain.bytes(), loops.bytes())
    expect("names", list(plain.bytes()), [n for n in plain.bytes() if "packed" not in n])
    for batch in batches[:2]:
        for made in (plain, loops):
            made.step(batch)
    for tensor in ("w", "v", "b"):
        expect(f"{precision}: {tensor} of both", close(plain.reals(tensor), loops.reals(tensor), bound), True)
    # Each goes on where the other was.
    for of, to, isa in ((plain, loops, "reference"), (loops, plain, "plain")):
        path = f"{FOLDER}/{precision}-{isa}".encode()
        expect("saved", of.call("save", of.state, path), 0)
        loaded, _ = state(library, name, isa)
        expect("loaded", loaded.call("load", loaded.state, path, 0), 0)
        expect("loaded state", loaded.bytes(), of.bytes())
        loaded.step(batches[2])
        of.step(batches[2])
        for tensor in ("w", "v", "b"):
            expect(f"{precision}: {tensor} after loading", close(loaded.reals(tensor), of.reals(tensor), bound), True)
raise SystemExit(bool(failures))
