# A model whose names hold every byte, pairs of bytes that end comments or strings, splices of lines, trigraphs and code.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py write MODEL.mlir: writes the model. names.py check FOLDER: the names that the binding of Python has are those of the model."""
import itertools
import sys

CODE = '#ifndef X\n#define X\n#include <stdio.h>\n__attribute__((constructor)) static void run(void) { puts("code of a name runs"); }\n#endif\n'
HARD = ["\\", '"', "'", "*", "/", "?", "\n", "\r", "\t", "&", "!", "<", "$", "{"]


def names():
    yield from (bytes([byte]) for byte in range(1, 256))
    yield from ("".join(pair).encode() for pair in itertools.product(HARD, HARD))
    yield from (text.encode() for text in ("*\\\n/\n" + CODE + "/*", "*??/\n/\n" + CODE + "/*", "*\\ \n/\n" + CODE + "/*", "*/\n" + CODE + "/*", "\n" + CODE, '"""\nprint("code of a name runs")\n"""',
                                           "\nprint *, 'code of a name runs'\n", "</script><script>alert(1)</script>", "</title><script>", "]]>", "größe", "\U0001F600", "\u202e", "\u2028"))
    yield b"\xff\xfe*/"
    yield b"n" * 5000 + b"*/" + b"n" * 5000


def spelled(name):
    """A quoted symbol of MLIR; the letter before keeps names apart from none."""
    return '@"p' + "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:02X}" for byte in name) + '"'


def reported():
    """Numbers beside the loss, by the names that may be none of C's."""
    return "".join(f", %l as {spelled(text.encode())[1:]}" for text in ("*/", "\\", '"', "*\\\n/", "??/", "größe"))


def write(path):
    params = [f"  train.param {spelled(name)} : f32[1] = #train.zeros\n" for name in dict.fromkeys(names())]
    sums, last = "", "%x"
    for place, name in enumerate(dict.fromkeys(names())):
        sums += f"    %r{place} = train.read {spelled(name)}\n    %s{place} = train.add {last}, %r{place}\n"
        last = f"%s{place}"
    with open(path, "w") as file:
        file.write("train.model @names(batch = 2) {\n" + "".join(params) + "  train.func @loss(%x: f32[batch, 1]) {\n" + sums +
                   f"    %l = train.reduce_mean {last} over [0, 1]\n    train.return %l" + reported() + "\n  }\n"
                   "  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>\n}\n")


def check(folder):
    sys.path.insert(0, folder)
    import names as binding
    model = binding.Model()
    found = set(model.tensors)
    wanted = {("p".encode() + name) for name in names()}
    missing = [name for name in wanted if name.decode(errors="surrogateescape") not in found]
    print(f"{len(wanted)} names, {len(missing)} missing", *missing[:3])


(write if sys.argv[1] == "write" else check)(sys.argv[2])
