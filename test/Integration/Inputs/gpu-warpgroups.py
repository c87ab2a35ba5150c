# A model whose products run on the warpgroups of sm_90a: tensor maps from the tables to the launches, beside the CPU.
# gpu-warpgroups.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import random

from trained import FOLDER, Trained, array, build, expect, failures

MODEL = """train.model @m {
  train.param @w0 : tensor<48x96xf32> = #train.kaiming_uniform
  train.param @w1 : tensor<96x16xf32> = #train.kaiming_uniform
  train.param @b0 : tensor<96xf32> = #train.zeros
  train.func @logits(%x: tensor<72x48xf32>) -> tensor<72x16xf32> {
    %w0 = train.read @w0 : tensor<48x96xf32>
    %w1 = train.read @w1 : tensor<96x16xf32>
    %b0 = train.read @b0 : tensor<96xf32>
    %0 = train.linear %x, %w0, %b0 : tensor<72x48xf32>, tensor<48x96xf32>, tensor<96xf32>
    %1 = train.gelu %0 : tensor<72x96xf32>
    %2 = train.matmul %1, %w1 : (tensor<72x96xf32>, tensor<96x16xf32>) -> tensor<72x16xf32>
    train.return %2 : tensor<72x16xf32>
  }
  train.func @loss(%x: tensor<72x48xf32>, %label: tensor<72xi32>) -> tensor<f32> {
    %0 = train.call @logits(%x) : (tensor<72x48xf32>) -> tensor<72x16xf32>
    %1 = train.softmax_cross_entropy %0, %label : tensor<72x16xf32>, tensor<72xi32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w0, @w1, @b0] with #train.adamw<lr = 0.01>
  train.export @logits as "predict"
}
"""


def batch(seed):
    numbers = random.Random(seed)
    return [array("f32", [numbers.gauss(0, 1) for _ in range(72 * 48)]), array("i32", [numbers.randrange(16) for _ in range(72)])]


def steps(model, seeds):
    return [model.given(batch(seed), "train_step").loss for seed in seeds]


library, name = build("warpgroups", MODEL, "--precision=bf16", "--target=sm_90a,cpu", "--gpu-images=ptx")
with open(library, "rb") as file:
    code = file.read()
# Two forward products, two weight gradients, a gradient of the hidden layer.
expect("products of warpgroups", code.count(b"wgmma.commit_group") >= 5, True)
expect("others", code.count(b"mma.sync"), 0)

gpu, cpu = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cpu")
expect("where it runs", gpu.call("tier", gpu.state, restype=ctypes.c_char_p), b"sm_90a")
losses = steps(gpu, range(4)), steps(cpu, range(4))
# A sum in another order may round a 16-bit value the other way.
near = max(abs(a - b) / abs(b) for a, b in zip(*losses))
if near > 1e-3:
    expect(f"losses {losses}", near, 0)
expect("they fall", losses[0][3] < losses[0][0], True)
# A replayed graph equals separate launches: the first run of another state records a new graph.
path = f"{FOLDER}/m.safetensors".encode()
gpu.check(gpu.call("save", gpu.state, path), "save")
again = Trained(library, name, device=b"cuda")
again.check(again.call("load", again.state, path, 0), "load")
expect("resumed", (steps(again, [7, 8]), again.bytes()), (steps(gpu, [7, 8]), gpu.bytes()))
logits = []
for model in (gpu, again):
    logits.append(array("f32", [0.0] * 72 * 16))
    model.run("predict", batch(3)[:1], [logits[-1]])
expect("predictions", list(logits[0]), list(logits[1]))
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
