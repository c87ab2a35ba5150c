# A compiled model through the C interface, with Python's standard library only.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import sys

KINDS = {"i1": ctypes.c_uint8, "u8": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("seed", ctypes.c_uint64), ("want_split", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("pointers", ctypes.c_uint64 * 14),  # memory, allocators, threads, hooks, error: null
                ("device", ctypes.c_char_p), ("stream", ctypes.c_void_p), ("initial_data", ctypes.c_char_p)]


def array(kind, values):
    return (KINDS[kind] * len(values))(*values)


def pointer_struct(head, values, pointers):
    fields = head + [(f"p{i}", ctypes.c_void_p) for i in range(len(pointers))]
    kind = type("Struct", (ctypes.Structure,), {"_fields_": fields})
    return kind(ctypes.sizeof(kind), *values, *[ctypes.addressof(p) for p in pointers])


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int32), ("rank", ctypes.c_int32), ("dims", ctypes.c_void_p),
                ("bytes", ctypes.c_int64)]


class View:
    """An f32 tensor of a state, wherever that is: each access copies the whole tensor."""

    def __init__(self, model, name, count):
        self.model, self.name, self.values = model, name, (ctypes.c_float * count)()

    def read(self):
        self.model.copy("get", self.name, self.values)
        return self.values

    def __len__(self):
        return len(self.values)

    def __bytes__(self):
        return bytes(self.read())

    def __iter__(self):
        return iter(list(self.read()))

    def __getitem__(self, place):
        return self.read()[place]

    def __setitem__(self, place, value):
        self.read()[place] = value
        self.model.copy("set", self.name, self.values)


class Model:
    def __init__(self, library, name, threads=1):
        self.lib, self.name, self.state = ctypes.CDLL(library), name, ctypes.c_void_p()
        options = Options(size=ctypes.sizeof(Options), threads=threads, want_split=1)
        if self.call("create", ctypes.byref(options), ctypes.byref(self.state)) != 0:
            sys.exit(f"{name}: create failed")

    def call(self, function, *arguments, restype=ctypes.c_int):
        function = getattr(self.lib, f"{self.name}_{function}")
        function.restype = restype
        return function(*arguments)

    def check(self, status, what):
        if status != 0:
            message = self.call("last_error", self.state, restype=ctypes.c_char_p)
            sys.exit(f"{what}: status {status}: {message.decode() if message else ''}")

    def copy(self, function, name, values):
        """`get` or `set` of a whole tensor."""
        number = self.call("find_tensor", name.encode())
        if number < 0:
            sys.exit(f"expected a tensor {name}, but the model has none")
        size = self.call("tensor", number, restype=ctypes.POINTER(Tensor)).contents.bytes
        whole = (ctypes.c_uint8 * max(size, ctypes.sizeof(values)))()  # numbers of 16 bits may fill half of a float
        ctypes.memmove(whole, values, ctypes.sizeof(values))
        status = self.call(function, self.state, number, whole, ctypes.c_size_t(size))
        if status:
            sys.exit(f"{function} {name}: status {status}")
        ctypes.memmove(values, whole, ctypes.sizeof(values))

    def tensor(self, name, count):
        return View(self, name, count)

    def set(self, name, values):
        self.tensor(name, len(values))[:] = values
        self.check(self.call("refresh", self.state), "refresh")

    def run(self, program, inputs, outputs=None, valid=0, workspace=None):
        """`outputs` and `workspace` only for exports and evaluation."""
        head = [("size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("lr_factor", ctypes.c_float), ("flags", ctypes.c_uint32),
                ("workspace", ctypes.c_void_p)]
        given = pointer_struct(head, (valid, 0.0, 0, workspace and ctypes.addressof(workspace)), inputs)
        out = None
        if outputs is not None:
            out = ctypes.byref(pointer_struct([("size", ctypes.c_uint32), ("reserved", ctypes.c_uint32)], (0,), outputs))
        self.check(self.call(program, self.state, ctypes.byref(given), out), program)
