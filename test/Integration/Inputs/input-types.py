# Inputs of all integer types, booleans and bytes: bits equal a model with i32 and f32 inputs; rejected values.
# input-types.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import random

from trained import TARGET, TrainOut, Trained, array, build, expect, failures, pointer_struct

MODEL = """train.model @NAME(batch = 4) {
  train.param @table : f32[6, 8] = #train.normal<std = 0.5>
  train.param @narrow : f32[200, 8] = #train.normal<std = 0.5>
  train.param @v : f32[12, 8] = #train.normal<std = 0.01>
  train.param @w : f32[8, 3] = #train.normal<std = 0.5>
  train.func @scores(%image: BYTE[batch, 4, 3], %token: LONG[batch, 1], %keep: BOOL[batch, 8], %shift: SHORT[batch, 8], %row: ROW[batch]) {
    IMAGE
    %flat = train.reshape %pixel to [batch, 12]
    %first = train.reshape %token to [batch]
    %seen = train.matmul %flat, %v
    %word = train.gather %table at %first FROM_END
    %other = train.gather %narrow at %row
    KEEP
    SHIFT
    %a = train.add %seen, %word
    %b = train.mul %a, %kept
    %c = train.add %b, %moved
    %d = train.add %c, %other
    %s = train.matmul %d, %w
    train.return %s
  }
  train.func @loss(%image: BYTE[batch, 4, 3], %token: LONG[batch, 1], %keep: BOOL[batch, 8], %shift: SHORT[batch, 8], %row: ROW[batch], %label: LONG[batch]) {
    %s = train.call @scores(%image, %token, %keep, %shift, %row)
    %l = train.softmax_cross_entropy %s, %label ignore -100
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @scores as "predict"
}
"""


def model(name, **words):
    text = MODEL.replace("NAME", name)
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    library, _ = build(name, text, "--precision=f32")
    return Trained(library, name)


wide = model("wide", BYTE="ui8", LONG="i64", BOOL="i1", SHORT="i16", ROW="ui8", FROM_END="from_end",
             IMAGE="%pixel = train.cast %image to f32", KEEP="%kept = train.cast %keep to f32", SHIFT="%moved = train.cast %shift to f32")
plain = model("plain", BYTE="f32", LONG="i32", BOOL="f32", SHORT="f32", ROW="i32", FROM_END="",
              IMAGE="%pixel = train.mul %image, %image", KEEP="%kept = train.mul %keep, %keep", SHIFT="%moved = train.add %shift, %shift")
KINDS = "u8", "i64", "i1", "i16", "u8", "i64"
HEAD = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)]


def batch(seed):
    numbers = random.Random(seed)
    image = [numbers.choice([0, 1, 4, 121, 144, 225]) for _ in range(48)]  # squares
    shift = [2 * numbers.randrange(-9, 9) for _ in range(32)]
    token = [numbers.randrange(6) for _ in range(4)]
    return [image, token, [numbers.randrange(2) for _ in range(32)], shift, [numbers.randrange(200) for _ in range(4)], [numbers.randrange(3) for _ in range(3)] + [-100]]


def in_wide(values):
    return [array(kind, numbers) for kind, numbers in zip(KINDS, values)]


def in_plain(values):
    image, token, keep, shift, row, label = values
    return [array("f32", [number**0.5 for number in image]), array("i32", [number % 6 for number in token]), array("f32", keep),
            array("f32", [number / 2 for number in shift]), array("i32", row), array("i32", label)]


for seed in range(3):
    values = batch(seed)
    counted = [*values]
    counted[1] = [number - 6 for number in values[1]]  # from the end
    losses = wide.given(in_wide(counted if seed else values), "train_step").loss, plain.given(in_plain(values), "train_step").loss
    expect("loss", losses[0], losses[1])
expect("parameters", wide.bytes(), plain.bytes())
scores = [array("f32", [0.0] * 12) for _ in range(2)]
wide.run("predict", in_wide(batch(5))[:5], [scores[0]])
plain.run("predict", in_plain(batch(5))[:5], [scores[1]])
expect("scores", list(scores[0]), list(scores[1]))


def refused(what, place, index, number, message, pointers=None):
    values = batch(6)
    values[place][index] = number
    before, arrays = wide.bytes(), in_wide(values)
    kind = type("In", (ctypes.Structure,), {"_fields_": HEAD + [(f"p{i}", ctypes.c_void_p) for i in range(6)]})
    places = pointers(arrays) if pointers else [ctypes.addressof(each) for each in arrays]
    given = kind(ctypes.sizeof(kind), 0, 0.0, 0, None, *places)
    out = TrainOut(size=ctypes.sizeof(TrainOut))
    status = wide.call("train_step", wide.state, ctypes.byref(given), ctypes.byref(out))
    expect(what, (status, wide.call("last_error", wide.state, restype=ctypes.c_char_p).decode()), (-1 if message else 0, message))
    if message:
        expect(f"{what}: the state", wide.bytes(), before)


CASES = [("a token that 32 bits would wrap", 1, 2, 2**32 + 1, "'token'", -6, 6), ("before the first from the end", 1, 3, -7, "'token'", -6, 6),
         ("a label", 5, 0, 3, "'label'", 0, 3), ("a negative label", 5, 1, -1, "'label'", 0, 3),
         ("a label that 32 bits would make one to ignore", 5, 1, 2**32 - 100, "'label'", 0, 3), ("a row of bytes", 4, 3, 200, "'row'", 0, 200),
         ("no truth value", 2, 31, 2, "'keep'", 0, 2)]


def message(place, index, number, name, least, limit):
    row, element = divmod(index, len(batch(6)[place]) // 4)
    where = f"row {row}, element {element}" if len(batch(6)[place]) > 4 else f"row {row}"
    return f"train_step: input {name}: expected a value in [{least}, {limit}), but got {number} in {where}"


for what, place, index, number, name, least, limit in CASES:
    refused(what, place, index, number, message(place, index, number, name, least, limit))
refused("the last of each", 4, 3, 199, "")

if TARGET:  # in memory of the device, where the host cannot look
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)

    def upload(arrays):
        places = []
        for values in arrays:
            place = ctypes.c_uint64()
            assert driver.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(ctypes.sizeof(values))) == 0
            assert driver.cuMemcpyHtoD_v2(place, values, ctypes.c_size_t(ctypes.sizeof(values))) == 0
            places.append(place.value)
        return places

    for what, place, index, number, name, least, limit in CASES:
        refused(f"{what}, on the device", place, index, number, message(place, index, number, name, least, limit), upload)
    refused("the last of each, on the device", 4, 3, 199, "", upload)
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
