# Models with initial values from a file: in the library, next to the library, and messages for files that do not fit.
# initial-data.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import json
import os
import struct
import subprocess
import sys

from trained import FOLDER, Options, Trained, array, build, compiled, expect, failures, linked

MODEL = """train.model @m(batch = 4) {
  train.model @layer(width = 3) {
    train.param @w : f32[width, width] = #train.data<"in/m.safetensors">
    train.func @apply(%x: f32[batch, width]) {
      %y = train.matmul %x, %w
      train.return %y
    }
  }
  train.use @layer as @layers times 2
  train.param @bias : f32[3] = #train.data<"in/m.safetensors", "first/bias">
  train.param @half : f32[3] = #train.data<"in/m.safetensors">
  train.buffer @seen : i64[2] = #train.data<"in/m.safetensors">
  train.param @drawn : f32[3] = #train.normal<std = 1.0>
  train.func @loss(%x: f32[batch, 3], %y: f32[batch, 3]) {
    %a = train.apply @layers(%x)
    %b = train.add %a, %bias
    %c = train.add %b, %half
    %d = train.add %c, %drawn
    %l = train.mse %d, %y
    train.return %l
  }
  train.func @seen_so_far() {
    %s = train.read @seen
    train.return %s
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @seen_so_far as "seen_so_far"
}
"""
VALUES = {"layers.0.w": ("F32", [3, 3], struct.pack("<9f", *range(9))), "layers.1.w": ("F32", [3, 3], struct.pack("<9f", *[k / 8 for k in range(9)])),
          "first/bias": ("F64", [3], struct.pack("<3d", 0.1, 0.2, 0.3)), "half": ("F16", [3], struct.pack("<3e", 0.5, 1.5, -2)),
          "seen": ("I32", [2], struct.pack("<2i", 5, -6)), "more": ("F32", [1], struct.pack("<f", 9))}
STATE = {"layers.0.w": VALUES["layers.0.w"][2], "layers.1.w": VALUES["layers.1.w"][2], "bias": struct.pack("<3f", 0.1, 0.2, 0.3),
         "half": struct.pack("<3f", 0.5, 1.5, -2), "seen": struct.pack("<2q", 5, -6)}


def write(path, values):
    header, data = {}, b""
    for name, (kind, shape, content) in values.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def state_of(model):
    return {name: model.bytes()[name] for name in STATE}


def create(library, device, values):
    """Status and message of create, and the state's tensors."""
    made, text = Trained.__new__(Trained), ctypes.create_string_buffer(512)
    made.lib, made.name, made.state = ctypes.CDLL(library), "m", ctypes.c_void_p()
    options = Options(size=ctypes.sizeof(Options), threads=2, device=device, initial_data=values)
    options.pointers[12:14] = [ctypes.addressof(text), 512]
    status = made.call("create", ctypes.byref(options), ctypes.byref(made.state))
    return status, text.value.decode(), state_of(made) if status == 0 else None


# In the library: for every target, and whatever becomes of the file.
targets = "--target=sm_80,cpu,reference", "--gpu-images=ptx"
for form in ("embed", "beside"):
    source = f"{FOLDER}/{form}/in/m.safetensors"
    write(source, VALUES)
    folder, _, _ = compiled(form, MODEL, f"--initial-data={form}", *targets)
    os.remove(source)
    library, beside = linked(folder, "m"), f"{folder}/m.data.safetensors"
    expect(f"{form}: a file beside the library", os.path.exists(beside), form == "beside")
    given = beside.encode() if form == "beside" else None
    for device in (b"cpu", b"cuda"):
        expect(f"{form} on {device.decode()}", create(library, device, given), (0, "", STATE))
expect("no file", create(library, b"cpu", None), (-1, "options: expected initial_data, the path of m.data.safetensors, which came with the library, but got none", None))
expect("another path", create(library, b"cpu", b"none"), (-6, "load: none: no such file or directory", None))
lacking = f"{FOLDER}/lacking/in/m.safetensors"
write(lacking, {name: value for name, value in VALUES.items() if name == "seen"})
expect("another file", create(library, b"cpu", lacking.encode()), (-7, f"load: {lacking}: tensor 'seen': expected type I64, but got I32", None))


def refused(what, values, place, message):
    path = f"{FOLDER}/refused/in/m.safetensors"
    if values is None:
        os.remove(path)
    else:
        write(path, values)
    done = subprocess.run(["ampc", "compile", f"{FOLDER}/refused.mlir", "-o", f"{FOLDER}/refused"], capture_output=True, text=True)
    expect(what, (done.returncode, done.stderr.split("\n")[0]), (1, f"{FOLDER}/refused.mlir:{place}: error: {path}: {message}"))


with open(f"{FOLDER}/refused.mlir", "w") as out:
    out.write(MODEL.replace('"in/', '"refused/in/'))
refused("a shape", {**VALUES, "half": ("F16", [1, 3], VALUES["half"][2])}, "11:3", "tensor 'half': expected shape [3], but got [1, 3]")
refused("a type", {**VALUES, "seen": ("F32", [2], VALUES["seen"][2])}, "12:3", "tensor 'seen': expected elements that are i64, but got f32")
refused("a number", {**VALUES, "half": ("F16", [3], struct.pack("<3e", 1, 2, float("inf")))}, "11:3", "tensor 'half': expected finite numbers that fit into f32, but got inf at element 2")
refused("a name", {**{name: value for name, value in VALUES.items() if name != "layers.1.w"}, "layers.1.v": VALUES["layers.1.w"]}, "3:5",
        "expected a tensor 'layers.1.w', but the file has none; did you mean layers.0.w?")
refused("another file", {"more": VALUES["more"]}, "3:5", "expected a tensor 'layers.0.w', but the file has none")
missing = subprocess.run(["ampc", "compile", f"{FOLDER}/refused.mlir", "-o", f"{FOLDER}/none"], capture_output=True, text=True)
expect("no library", os.path.exists(f"{FOLDER}/none"), False)
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
