# Runs a compiled model beside recorded results: compare.py LIBRARY.so MODEL_NAME RECORDED.json
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import json
import math
import sys

library, model, recorded = sys.argv[1:4]
lib = ctypes.CDLL(library)
# f32 beside f64: some roundings of the largest intermediate value.
ABSOLUTE, RELATIVE = 2e-6, 5e-6


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("seed", ctypes.c_uint64), ("want_split", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("pointers", ctypes.c_uint64 * 14)]  # memory, allocators, threads, hooks: null


def call(name, *arguments, restype=ctypes.c_int):
    function = getattr(lib, f"{model}_{name}")
    function.restype = restype
    return function(*arguments)


def check(status, what):
    if status != 0:
        message = call("last_error", state, restype=ctypes.c_char_p)
        sys.exit(f"{what}: status {status}: {message.decode() if message else ''}")


options = Options(size=ctypes.sizeof(Options), threads=1, want_split=1)
state = ctypes.c_void_p()
if call("create", ctypes.byref(options), ctypes.byref(state)) != 0:
    sys.exit("create failed")


def tensor(name):
    number = call("find_tensor", name.encode())
    if number < 0:
        sys.exit(f"expected a tensor {name}, but the model has none")
    return call("tensor_data", state, number, restype=ctypes.c_void_p)


def array(kind, values):
    return (kind * len(values))(*values)


def arguments(data):
    """Inputs are i32, or bytes where they hold bools."""
    byte = lambda k: k == "c"
    return [array(ctypes.c_uint8 if byte(k) else ctypes.c_int32, v) for k, v in data["inputs"].items()]


def head(pointers):
    """size, valid, lr_factor, flags, workspace, inputs."""
    fields = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
              ("workspace", ctypes.c_void_p)] + [(f"p{i}", ctypes.c_void_p) for i in range(len(pointers))]
    kind = type("In", (ctypes.Structure,), {"_fields_": fields})
    return kind(ctypes.sizeof(kind), 0, 0.0, 0, None, *[ctypes.addressof(p) for p in pointers])


def compare(what, got, want):
    global worst, failed, count
    for i, (x, y) in enumerate(zip(got, want, strict=True)):
        count += 1
        share = abs(x - y) / (ABSOLUTE + RELATIVE * abs(y)) if x != y else 0.0
        if not share <= 1.0:
            print(f"{what}[{i}]: expected {y}, but got {x}")
            failed += 1
        worst = max(worst, share if not math.isnan(share) else math.inf)


failed = count = 0
with open(recorded) as file:
    cases = json.load(file)
for name, data in cases.items():
    worst = 0.0
    for k, values in data["params"].items():
        ctypes.memmove(tensor(f"{name}.{k}"), array(ctypes.c_float, values), 4 * len(values))
    check(call("refresh", state), "refresh")
    inputs = arguments(data)
    kind = ctypes.c_uint8 if data["byte"] else ctypes.c_int32 if data["integer"] else ctypes.c_float
    result = array(kind, [0] * len(data["result"]))
    out_type = type("Out", (ctypes.Structure,), {"_fields_": [("size", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                                                              ("p0", ctypes.c_void_p)]})
    out = out_type(ctypes.sizeof(out_type), 0, ctypes.addressof(result))
    check(call(name, state, ctypes.byref(head(inputs)), ctypes.byref(out)), name)
    compare(name, result, data["result"])
    if "weight" in data:
        inputs.append(array(ctypes.c_float, data["weight"]))
        check(call(f"{name}_fit_grad", state, ctypes.byref(head(inputs)), None), f"{name}.fit")
        for k, want in data["gradients"].items():
            at = tensor(f"{name}.fit.gradient.{name}.{k}")
            compare(f"{name} gradient of {k}", (ctypes.c_float * len(want)).from_address(at), want)
    print(f"{name}: {worst:.2g} of the tolerance")
call("destroy", state, restype=None)
print(f"{len(cases)} cases, {count} numbers, {failed} differ")
sys.exit(1 if failed else 0)
