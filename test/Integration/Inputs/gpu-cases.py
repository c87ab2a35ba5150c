# A library for GPU and CPU: equal steps on both, checkpoints from each to the other, and messages without a GPU.
# gpu-cases.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import random
import struct
import subprocess
import sys

from trained import FOLDER, Options, TrainOut, Trained, array, build, expect, failures, pointer_struct

MODEL = """train.model @m {
  train.param @filter : tensor<8x3x3x3xf32> = #train.kaiming_uniform
  train.param @table : tensor<19x24xf32> = #train.normal<std = 0.1>
  train.param @w0 : tensor<96x40xf32> = #train.kaiming_uniform
  train.param @w1 : tensor<40x10xf32> = #train.kaiming_uniform
  train.param @b0 : tensor<40xf32> = #train.zeros
  train.param @gamma : tensor<40xf32> = #train.ones
  train.param @beta : tensor<40xf32> = #train.zeros
  train.buffer @mean : tensor<40xf32> = #train.zeros
  train.buffer @variance : tensor<40xf32> = #train.ones
  train.func @logits(%image: tensor<12x6x6x3xf32>, %word: tensor<12xi32>) -> tensor<12x10xf32> {
    %f = train.read @filter : tensor<8x3x3x3xf32>
    %t = train.read @table : tensor<19x24xf32>
    %w0 = train.read @w0 : tensor<96x40xf32>
    %w1 = train.read @w1 : tensor<40x10xf32>
    %b0 = train.read @b0 : tensor<40xf32>
    %gamma = train.read @gamma : tensor<40xf32>
    %beta = train.read @beta : tensor<40xf32>
    %0 = train.conv2d %image, %f strides [2, 2] padding [1, 1, 1, 1] : (tensor<12x6x6x3xf32>, tensor<8x3x3x3xf32>) -> tensor<12x3x3x8xf32>
    %1 = train.gelu %0 : tensor<12x3x3x8xf32>
    %2 = train.reshape %1 : tensor<12x3x3x8xf32> to tensor<12x72xf32>
    %e = train.embedding %t at %word : tensor<19x24xf32>, tensor<12xi32>
    %3 = train.concat %2, %e along 1 : tensor<12x72xf32>, tensor<12x24xf32>
    %4 = train.linear %3, %w0, %b0 : tensor<12x96xf32>, tensor<96x40xf32>, tensor<40xf32>
    %5 = train.batch_norm %4, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5 : tensor<12x40xf32>, tensor<40xf32>, tensor<40xf32>
    %6 = train.dropout %5 rate 0.25 : tensor<12x40xf32>
    %7 = train.matmul %6, %w1 : (tensor<12x40xf32>, tensor<40x10xf32>) -> tensor<12x10xf32>
    train.return %7 : tensor<12x10xf32>
  }
  train.func @loss(%image: tensor<12x6x6x3xf32>, %word: tensor<12xi32>, %label: tensor<12xi32>) -> tensor<f32> {
    %0 = train.call @logits(%image, %word) : (tensor<12x6x6x3xf32>, tensor<12xi32>) -> tensor<12x10xf32>
    %1 = train.softmax_cross_entropy %0, %label : tensor<12x10xf32>, tensor<12xi32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@filter, @table, @w0, @w1, @b0, @gamma, @beta] with #train.adamw<lr = 0.01> {clip_norm = 1.0}
  train.export @logits as "predict"
}
"""


def batch(seed, bad=False):
    numbers = random.Random(seed)
    image = [numbers.gauss(0, 1) for _ in range(12 * 6 * 6 * 3)]
    if bad:
        image[7] = float("inf")
    words, labels = [numbers.randrange(19) for _ in range(12)], [numbers.randrange(10) for _ in range(12)]
    return [array("f32", image), array("i32", words), array("i32", labels)]


def floats(data):
    return struct.unpack(f"{len(data) // 4}f", data[: len(data) // 4 * 4])


def distance(a, b):
    """Largest distance of parameters, relative to the parameters. @b0 is left out: batch norm cancels the gradient of @b0 up to rounding,
    and AdamW makes steps of the rounding."""
    worst = 0.0
    for name in ("filter", "table", "w0", "w1", "gamma", "beta"):
        x, y = floats(a[name]), floats(b[name])
        worst = max(worst, max(abs(p - q) for p, q in zip(x, y)) / max(max(map(abs, x)), 1e-3))
    return worst


def steps(model, seeds):
    return [model.given(batch(seed), "train_step").loss for seed in seeds]


# Measured: losses 1e-7 apart, parameters 1e-6, predictions 2e-4. A sum in another order may round a 16-bit value the other way.
for precision, bound in (("f32", 0.0), ("bf16", 1e-3), ("f16", 1e-3)):
    library, name = build(precision, MODEL, f"--precision={precision}", "--target=sm_80,cpu", "--gpu-images=ptx")
    gpu, cpu = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cpu")
    expect("where it runs", gpu.call("tier", gpu.state, restype=ctypes.c_char_p), b"sm_80")
    expect(f"{precision}: initial state", gpu.bytes(), cpu.bytes())
    losses = steps(gpu, range(4)), steps(cpu, range(4))
    if bound == 0:
        expect("losses", losses[0], losses[1])
        expect("state", gpu.bytes(), cpu.bytes())
    else:
        near = max(abs(a - b) / abs(b) for a, b in zip(*losses))
        if near > bound or distance(gpu.bytes(), cpu.bytes()) > 10 * bound:
            expect(f"{precision}: losses {losses}, parameters {distance(gpu.bytes(), cpu.bytes())}", near, 0)
    # A resumed training continues with equal bits, and either device resumes the other's checkpoint.
    path = f"{FOLDER}/{precision}.safetensors".encode()
    gpu.check(gpu.call("save", gpu.state, path), "save")
    again, other = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cpu")
    for model in (again, other):
        model.check(model.call("load", model.state, path, 0), "load")
        expect(f"{precision}: loaded", model.bytes(), gpu.bytes())
    expect(f"{precision}: resumed", (steps(again, [7, 8]), again.bytes()), (steps(gpu, [7, 8]), gpu.bytes()))
    back = f"{FOLDER}/{precision}-cpu.safetensors".encode()
    other.check(other.call("save", other.state, back), "save")
    again.check(again.call("load", again.state, back, 0), "load")
    expect(f"{precision}: from the CPU", again.bytes(), other.bytes())
    # A non-finite loss leaves the state unchanged, except for the random counter.
    before = gpu.bytes()
    head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
            ("workspace", ctypes.c_void_p)]
    out, arrays = TrainOut(size=ctypes.sizeof(TrainOut)), batch(9, bad=True)
    status = gpu.call("train_step", gpu.state, ctypes.byref(pointer_struct(head, (0, 0.0, 0, None), arrays)), ctypes.byref(out))
    after = gpu.bytes()
    expect(f"{precision}: a bad loss", status, 1 if precision == "f16" else -8)
    changed = {key for key in after if after[key] != before[key]}
    expect(f"{precision}: what a bad loss changes", {key for key in changed if "random" not in key and "scale" not in key and "good" not in key}, set())
    # Rows of a short batch, and of an export.
    results = []
    for model in (gpu, cpu):
        model.check(model.call("load", model.state, path, 0), "load")
        logits = array("f32", [0.0] * 120)
        model.run("predict", batch(3)[:2], [logits])
        results.append(list(logits))
    near = max(abs(a - b) for a, b in zip(*results))
    if near > bound * 10:
        expect(f"{precision}: predictions", near, 0)


# Inputs and labels in device memory, allocated by the driver as by any program.
driver = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)


def upload(values):
    place = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(ctypes.sizeof(values))) == 0
    assert driver.cuMemcpyHtoD_v2(place, values, ctypes.c_size_t(ctypes.sizeof(values))) == 0
    return place


def train(model, addresses):
    kind = type("In", (ctypes.Structure,), {"_fields_": head + [(f"p{i}", ctypes.c_void_p) for i in range(len(addresses))]})
    report = TrainOut(size=ctypes.sizeof(TrainOut))
    given = kind(ctypes.sizeof(kind), 0, 0.0, 0, None, *[place.value for place in addresses])
    return model.call("train_step", model.state, ctypes.byref(given), ctypes.byref(report)), report.loss


one, two = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cuda")
places = [upload(values) for values in batch(4)]
expect("inputs on the device", train(one, places), (0, two.given(batch(4), "train_step").loss))
expect("the same state", one.bytes(), two.bytes())
wrong = batch(4)
wrong[2][5] = 10
expect("a label on the device", train(one, [*places[:2], upload(wrong[2])])[0], -1)
expect("its message", one.call("last_error", one.state, restype=ctypes.c_char_p), b"train_step: input 'label': expected a value in [0, 10), but got 10 in row 5")
expect("and nothing changed", one.bytes(), two.bytes())


def refused(what, message, device=b"cuda", **environment):
    """A state that cannot be made gives the reason, in a separate process: this process has opened a driver."""
    program = f"""
import ctypes, sys
sys.argv = ["", {FOLDER!r}, ""]
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from trained import Options
text = ctypes.create_string_buffer(512)
options = Options(size=ctypes.sizeof(Options), device={device!r})
options.pointers[12:14] = [ctypes.addressof(text), 512]
state = ctypes.c_void_p()
status = ctypes.CDLL({library!r}).m_create(ctypes.byref(options), ctypes.byref(state))
print(status, text.value.decode())
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True)
    expect(what, (done.stdout + done.stderr[-500:]).strip(), message)


refused("no driver", "-10 cuda: NVIDIA's driver (libcuda.so.1) is not installed", LD_LIBRARY_PATH="")
refused("no driver, but a CPU", "0", None, LD_LIBRARY_PATH="")
refused("another device", "-10 cuda: expected a device below 1, but got 1", b"cuda:1")
refused("a name", "-1 options: expected device to be cpu, cuda or cuda:N, but got 'gpu'", b"gpu")
refused("an older chip", "-10 model 'm' has no code for a device of compute capability 7.5, but for sm_80", PTXSIM_CAPABILITY="7.5")
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
