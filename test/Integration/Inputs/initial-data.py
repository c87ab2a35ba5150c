# Models with initial values from a file: in the library, next to the library, and messages for files that do not fit.
# initial-data.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import json
import os
import struct
import subprocess
import sys
import zipfile

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


def check_refused(what, name, place, message):
    done = subprocess.run(["ampc", "compile", f"{FOLDER}/{name}.mlir", "-o", f"{FOLDER}/{name}"], capture_output=True, text=True)
    expect(what, (done.returncode, done.stderr.split("\n")[0]), (1, f"{FOLDER}/{name}.mlir:{place}: error: {message}"))


def refused(what, values, place, message):
    path = f"{FOLDER}/refused/in/m.safetensors"
    if values is None:
        os.remove(path)
    else:
        write(path, values)
    check_refused(what, "refused", place, f"{path}: {message}")


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


# Arrays of NumPy and raw elements.
def npy(name):
    kind, shape, content = VALUES[name]
    header = str({"descr": {"F32": "<f4", "F64": "<f8", "F16": "<f2"}[kind], "fortran_order": False, "shape": tuple(shape)}).encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + content


def write_others(folder):
    os.makedirs(f"{folder}/in")
    with zipfile.ZipFile(f"{folder}/in/m.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("layers.0.w", "layers.1.w", "first/bias"):
            archive.writestr(name + ".npy", npy(name))
    for name, content in [("half.npy", npy("half")), ("seen.bin", VALUES["seen"][2])]:
        with open(f"{folder}/in/{name}", "wb") as out:
            out.write(content)


OTHERS = MODEL
for old, new in [("w : f32[width, width]", '"in/m.npz"'), ("bias : f32[3]", '"in/m.npz", "first/bias"'), ("half : f32[3]", '"in/half.npy"'),
                 ("seen : i64[2]", '"in/seen.bin", "i32[?]"')]:
    head, tail = OTHERS.split(f"@{old} = ")
    OTHERS = f"{head}@{old} = #train.data<{new}>\n" + tail.split("\n", 1)[1]
for form in ("embed", "beside"):
    write_others(f"{FOLDER}/others-{form}")
    folder, _, _ = compiled(f"others-{form}", OTHERS, f"--initial-data={form}")
    expect(f"other files, {form}", create(linked(folder, "m"), b"cpu", f"{folder}/m.data.safetensors".encode() if form == "beside" else None), (0, "", STATE))


def refused_other(what, place, old, new, message):
    with open(f"{FOLDER}/other.mlir", "w") as out:
        out.write(OTHERS.replace('"in/', '"others-embed/in/').replace(old, new, 1))
    check_refused(what, "other", place, f"{FOLDER}/others-embed/in/{message}")


refused_other("an array", "10:3", "first/bias", "second/bias", "m.npz: expected an array, one of 'layers.0.w', 'layers.1.w', 'first/bias', but got 'second/bias'")
refused_other("another state's arrays", "11:3", "half.npy", "m.npz", "m.npz: expected an array 'half' or a single array, but got 'layers.0.w', 'layers.1.w', 'first/bias'; FILE.npz:NAME names one")
refused_other("another shape", "10:3", "bias : f32[3]", "bias : f32[1, 3]", "m.npz: tensor 'first/bias': expected shape [1, 3], but got [3]")
refused_other("a name of an array", "11:3", 'half.npy"', 'half.npy", "half"', "half.npy: expected no name, since a .npy file has one array, but got 'half'")
refused_other("raw bytes", "12:3", "i32[?]", "i64[2]", "seen.bin: expected 16 bytes, i64[2], but got 8")
refused_other("a raw shape", "12:3", "i32[?]", "i16[?]", "seen.bin: tensor 'seen': expected shape [2], but got [4]")
refused_other("a raw type", "12:3", ', "i32[?]"', "", "seen.bin: expected type and shape of raw elements, as in "
              f"{FOLDER}/others-embed/in/seen.bin:ui8[?, 28, 28], with f16, bf16, f32, f64, i1, i8 to i64 or ui8 to ui64, but got none")
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
