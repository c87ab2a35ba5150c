# Views of state tensors, read by NumPy.
# dlpack-cases.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes

import numpy
from trained import Trained, build, expect, failures

MODEL = """train.model @views {
  train.param @w : tensor<3x5xf32> = #train.normal<std = 1.0>
  train.func @loss(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3x5xf32>
    %0 = train.linear %x, %w : tensor<4x3xf32>, tensor<3x5xf32>
    %1 = train.mse %0, %y : tensor<4x5xf32>, tensor<4x5xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adamw<lr = 0.1>
}
"""


class Capsule:
    """A DLPack view as a Python object; NumPy calls both methods."""

    def __init__(self, view):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = make(view, b"dltensor", None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def view(model, number):
    place = ctypes.c_void_p()
    model.check(model.call("dlpack", model.state, number, ctypes.byref(place)), "dlpack")
    return numpy.from_dlpack(Capsule(place.value))


library, name = build("views", MODEL)
model = Trained(library, name)
arrays = {}
for number in range(model.call("tensor_count")):
    arrays[number] = view(model, number)
names = {"w": ("float32", (3, 5)), "fit.step": ("int64", ()), "fit.m.w": ("float32", (3, 5)), "fit.v.w": ("float32", (3, 5))}
for tensor, (kind, shape) in names.items():
    number = model.call("find_tensor", tensor.encode())
    if number < 0:
        continue
    array = arrays[number]
    expect(tensor, (array.dtype.name, array.shape, array.flags.c_contiguous), (kind, shape, True))
    expect(f"{tensor}: bytes", array.tobytes(), model.bytes()[tensor])
w = arrays[model.call("find_tensor", b"w")]
before = w.copy()
model.step([[1.0, 2, 3] * 4, [0.5] * 20])
expect("a view shows what a step writes", w.tobytes() != before.tobytes() and w.tobytes() == model.bytes()["w"], True)
expect("the step's count", int(arrays[model.call("find_tensor", b"fit.step")]), 1)
model.call("destroy", model.state)
del arrays, w  # NumPy calls the deleters, after the state's end
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
