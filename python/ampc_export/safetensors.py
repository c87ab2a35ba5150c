# Files of safetensors: a length, a header in JSON, and the bytes of the tensors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct

import numpy as np

TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
         "uint8": "U8", "bool": "BOOL"}
NAMES = {short: name for name, short in TYPES.items()}


def write(path, tensors, metadata=None):
    """`tensors`: names and arrays. The header is padded so that the first tensor begins at a multiple of 64 bytes."""
    header, end = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    for name, array in arrays.items():
        if array.dtype.name not in TYPES:
            raise TypeError(f"{name}: expected one of {', '.join(TYPES)}, but got {array.dtype}")
        header[name] = {"dtype": TYPES[array.dtype.name], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.tobytes())


def _header(file, path):
    head = file.read(8)
    size = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
    text = file.read(size) if 2 <= size <= 1 << 30 else b""
    if len(text) != size or not text:
        raise ValueError(f"{path}: expected a file of safetensors, but got no header")
    try:
        header = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}: expected a header in JSON: {error}") from None
    return header, 8 + size


def metadata(path):
    with open(path, "rb") as file:
        return _header(file, path)[0].get("__metadata__", {})


def read(path):
    """Names and arrays; bf16 becomes float32."""
    with open(path, "rb") as file:
        header, start = _header(file, path)
        tensors = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            file.seek(start + begin)
            data = file.read(end - begin)
            if len(data) != end - begin:
                raise ValueError(f"{path}: expected {end - begin} bytes of {name}, but the file ends")
            if entry["dtype"] == "BF16":
                array = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
            elif entry["dtype"] in NAMES:
                array = np.frombuffer(data, NAMES[entry["dtype"]])
            else:
                continue  # a type that no exported tensor has
            tensors[name] = array.reshape(entry["shape"])
        return tensors
