# Models compiled, linked and trained through their C interface, for tests called with FOLDER CC.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from model import Model, Options, Tensor, array, pointer_struct

FOLDER, CC = sys.argv[1:3]
# Target of the models, in place of a CPU.
TARGET = os.environ.get("AMPC_TEST_TARGET")
SKIPPED = 1  # AMPC_W_STEP_SKIPPED
failures = []


class TrainOut(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("loss", ctypes.c_float), ("grad_norm", ctypes.c_float), ("loss_scale", ctypes.c_float),
                ("found_inf", ctypes.c_uint8), ("skipped", ctypes.c_uint8), ("reserved", ctypes.c_uint16),
                ("learning_rate", ctypes.c_float), ("step", ctypes.c_uint64), ("loss_double", ctypes.c_double),
                ("nonfinite", ctypes.c_uint64)]


class Trained(Model):
    """A model with steps that may be skipped."""

    def __init__(self, library, name, threads=1, seed=5, device=None):
        self.lib, self.name, self.state = ctypes.CDLL(library), name, ctypes.c_void_p()
        options = Options(size=ctypes.sizeof(Options), threads=threads, seed=seed, want_split=1, device=device)
        status = self.call("create", ctypes.byref(options), ctypes.byref(self.state))
        assert status == 0, f"create: status {status}"

    def step(self, inputs, program="train_step", factor=0.0):
        return self.given([array("f32", values) for values in inputs], program, factor)

    def given(self, arrays, program, factor=0.0):
        head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
                ("workspace", ctypes.c_void_p)]
        given = pointer_struct(head, (0, factor, 0, None), arrays)
        out = TrainOut(size=ctypes.sizeof(TrainOut))
        status = self.call(program, self.state, ctypes.byref(given), ctypes.byref(out))
        expect(f"{self.name}: status and skipped", (status, out.skipped), (SKIPPED, 1) if out.found_inf else (0, 0))
        return out

    def scalar(self, name, kind=ctypes.c_float):
        values = (kind * 1)()
        self.copy("get", name, values)
        return values[0]

    def reals(self, name):
        return list(memoryview(self.bytes()[name]).cast("f"))

    def bytes(self):
        """Every tensor of the state by name."""
        result = {}
        for number in range(self.call("tensor_count")):
            tensor = self.call("tensor", number, restype=ctypes.POINTER(Tensor)).contents
            if not self.call("tensor_data", self.state, number, restype=ctypes.c_void_p):
                continue
            values = (ctypes.c_uint8 * tensor.bytes)()
            self.copy("get", tensor.name.decode(), values)
            result[tensor.name.decode()] = bytes(values)
        return result


def expect(what, got, want):
    if got != want:
        print(f"{what}: expected {want}, but got {got}")
        failures.append(what)


def random_batch(text, seed, limits={}):
    """Values for the inputs of the model's loss: reals, or integers below limits[name], else 4."""
    numbers, arrays = random.Random(seed), []
    loss = re.search(r"train\.func @loss\(([^)]*)\)", text).group(1)
    for name, shape, kind in re.findall(r"%(\w+): tensor<([\dx]+)x(f32|i32)>", loss):
        count = math.prod(map(int, shape.split("x")))
        arrays.append(array(kind, [numbers.gauss(0, 1) if kind == "f32" else numbers.randrange(limits.get(name, 4)) for _ in range(count)]))
    return arrays


def compiled(name, text, *options, **environment):
    """(folder with the library's archive, name of the model, output of the compiler)"""
    folder = f"{FOLDER}/{name}"
    os.makedirs(folder, exist_ok=True)
    model = re.search(r"train\.model @(\w+)", text).group(1)
    with open(f"{folder}/model.mlir", "w") as out:
        out.write(text)
    if TARGET:
        options = [*options, f"--target={TARGET}", "--gpu-images=ptx"]
    done = subprocess.run(["ampc", "compile", f"{folder}/model.mlir", "-o", folder, *options], stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    sys.stderr.write(done.stderr)
    done.check_returncode()
    return folder, model, done.stderr


def linked(folder, model):
    library = f"{folder}/{model}.so"
    subprocess.run([CC, "-shared", "-o", library, "-Wl,--whole-archive", f"{folder}/lib{model}.a", "-Wl,--no-whole-archive",
                    "-pthread", "-lm", "-ldl"], check=True)
    return library


def build(name, text, *options):
    folder, model, _ = compiled(name, text, *options)
    return linked(folder, model), model
