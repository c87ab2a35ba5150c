# Archives and raw files of the arrays that comfort.py has left in this folder, by writers that know nothing of ampc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import io
import zipfile

import numpy as np

x, y, pixels = np.load("x.npy"), np.load("y.npy"), np.load("pixels.npy")
arrays = {"x": x, "y": y, "double": x.astype(np.float64), "labels": y.astype(np.uint16)}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
np.savez("single.npz", x)
np.savez_compressed("pixels.npz", x=pixels)
np.savez("others.npz", a=x, b=y)
np.savez("objects.npz", x=np.array([None, "text"], dtype=object))
x.tofile("x.bin")
pixels.tofile("pixels.raw")
y.tofile("y.dat")


class Pipe(io.RawIOBase):
    """An output without seek: lengths and CRCs are written behind the content."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def archive(to, method):
    with zipfile.ZipFile(to, "w", method) as out:
        for name in ("x", "y"):
            with out.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(open(name + ".npy", "rb").read())


archive("lzma.npz", zipfile.ZIP_LZMA)
with Pipe("streamed.npz") as pipe:
    archive(pipe, zipfile.ZIP_DEFLATED)
    pipe.file.close()
# Lengths and offsets above 10 in ZIP64 records, as above 2 GiB otherwise.
zipfile.ZIP64_LIMIT = 10
archive("zip64.npz", zipfile.ZIP_STORED)
assert b"PK\6\6" in open("zip64.npz", "rb").read()

content = bytearray(open("stored.npz", "rb").read())
content[content.index(x[3].tobytes())] ^= 1
open("damaged.npz", "wb").write(content)
