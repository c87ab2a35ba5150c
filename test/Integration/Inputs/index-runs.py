# Integers whose limits differ from column to column: rejected values, messages, and accepted values.
# index-runs.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes

from trained import TARGET, TrainOut, Trained, array, build, expect, failures

MODEL = """train.model @tablesPARTS(batch = ROWS) {
  train.param @small : f32[5, 8] = #train.normal<std = 0.5>
  train.param @large : f32[40, 8] = #train.normal<std = 0.5>
  train.func @loss(%id: i64[batch, 4], %y: f32[batch, 8]) {
    %first, %second, %number, %last = train.split %id into [1, 1, 1, 1] along 1
    %a = train.gather %small at %first
    %b = train.gather %large at %second
    %c = train.gather %small at %last from_end
    %ab = train.add %a, %b
    %abc = train.add %ab, %c
    %s = train.reshape %abc to [batch, 8]
    %n = train.cast %number to f32
    %wide = train.broadcast_to %n to [batch, 8]
    %p = train.add %s, %wide
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = PARTS}
}
"""
HEAD = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32), ("workspace", ctypes.c_void_p)]
LARGE = 2**40  # of the column that chooses nothing; f32 has it
GOOD = [0, 0, 1, 0, 4, 39, 2, 4, 1, 6, LARGE, -5, 3, 20, -3, -1]


def step(model, id, valid=0, upload=None):
    arrays = [array("i64", id), array("f32", [0.5] * 32)]
    places = upload(arrays) if upload else [ctypes.addressof(each) for each in arrays]
    kind = type("In", (ctypes.Structure,), {"_fields_": HEAD + [(f"p{i}", ctypes.c_void_p) for i in range(2)]})
    given, out = kind(ctypes.sizeof(kind), valid, 0.0, 0, None, *places), TrainOut(size=ctypes.sizeof(TrainOut))
    status = model.call("train_step", model.state, ctypes.byref(given), ctypes.byref(out))
    return status, model.call("last_error", model.state, restype=ctypes.c_char_p).decode()


# Row, element, number, least and limit.
WRONG = [(0, 0, 5, 0, 5), (1, 0, 39, 0, 5), (3, 1, 40, 0, 40), (2, 1, -1, 0, 40), (1, 3, 5, -5, 5), (3, 3, -6, -5, 5), (2, 0, 2**32, 0, 5)]


def check(where, model, upload=None):
    expect(f"{where}: numbers that fit", step(model, GOOD, upload=upload), (0, ""))
    for row, element, number, least, limit in WRONG:
        id, before = [*GOOD], model.bytes()
        id[4 * row + element] = number
        expect(f"{where}: {number}", step(model, id, upload=upload),
               (-1, f"train_step: input 'id': expected a value in [{least}, {limit}), but got {number} in row {row}, element {element}"))
        expect(f"{where}: the state", model.bytes(), before)
        expect(f"{where}: {number} in a row that does not count", step(model, id, row, upload)[0] if row else 0, 0)
    id = [*GOOD]
    id[15], id[4] = -6, 5
    message = step(model, id, upload=upload)[1]
    expect(f"{where}: the first of two", message.endswith("got 5 in row 1, element 0"), True)


models = []
for parts in 1, 2:
    library, name = build(f"tables{parts}", MODEL.replace("PARTS", str(parts)).replace("ROWS", str(4 // parts)), "--precision=f32")
    models.append(Trained(library, name))
    check(name, models[-1])

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

    for model in models:
        check(f"{model.name}, on the device", model, upload)
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
