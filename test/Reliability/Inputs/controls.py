# Every byte, and the code points that terminals obey, in names and lines of every kind of foreign file: messages escape such characters.
# controls.py FOLDER PTXSIM
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pty
import re
import struct
import subprocess
import sys
import unicodedata

folder, ptxsim = os.path.abspath(sys.argv[1]), sys.argv[2]
source = open(f"{os.path.dirname(__file__)}/faults.mlir").read().replace("WIDTH", "6")
# Controls of the writing direction, of Unicode's list Bidi_Control, and separators of lines and paragraphs.
OBEYED = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Controls first, so that a message that is cut shows the most harmful; then every other byte separately.
ASCII = bytes(byte for byte in (0x1B, *range(1, 0x20), 0x7F) if byte not in b"\n\r\t").decode()
TEXT = (ASCII + OBEYED + "".join(map(chr, range(0x80, 0xA0))) + "größe").encode()
BYTES = TEXT + bytes(range(0x80, 0x100))
failed = cases = 0


def write(path, data):
    with open(f"{folder}/{path}", "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return f"{folder}/{path}"


def escaped(data):
    """The text between quotes of MLIR."""
    return "".join(f"\\{byte:02X}" for byte in data)


def obeyed(output):
    """The first byte or code point that a terminal may not get; none: the empty text."""
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        return f"the byte {output[error.start]:#x}"
    return next((f"U+{ord(c):04X}" for c in text if (unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in OBEYED) and c not in "\n\t"), "")


def expect(what, output, shown="\\x1B"):
    global failed, cases
    cases += 1
    problem = obeyed(output)
    if problem or shown.encode() not in output:
        failed += 1
        print(f"{what}: {problem or 'nothing spelled'} in {output[:400]}")


def run(what, *command, shown="\\x1B"):
    done = subprocess.run([word if isinstance(word, bytes) else word.encode() for word in command], capture_output=True, timeout=60)
    expect(what, done.stdout + done.stderr, shown)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx(op, name):
    """A model with a single node of type `op`, whose input is called `name`."""
    def value(name):
        shape = field(2, field(1, b"\x08\x08"))
        return field(1, name) + field(2, field(1, b"\x08\x01" + shape))
    graph = field(1, field(1, name) + field(2, b"y") + field(3, name) + field(4, op)) + field(2, b"g") + field(11, value(name)) + field(12, value(b"y"))
    return b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11")


def tensors(entries, metadata=()):
    header = json.dumps({**({"__metadata__": dict(metadata)} if metadata else {}), **entries}, ensure_ascii=False).encode()
    size = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
    return struct.pack("<Q", len(header)) + header + bytes(size)


os.makedirs(folder, exist_ok=True)
model = write("model.mlir", source)
name = TEXT.decode()
rows = write("rows.csv", "1,2,3,4,5,6\n" * 16)
# Lines of a model: a comment, a name, a text that is no token; a file's own name.
run("line with a comment", "ampc", "compile", write("comment.mlir", source.replace("over [@w]", "over [@v]").encode().replace(b"#train.adam<lr = 0.01>", b"#train.adam<lr = 0.01> // " + BYTES)))
run("quoted name", "ampc", "compile", write("name.mlir", source.replace("over [@w]", f'over [@"{escaped(BYTES)}"]')), shown="\\1B")
run("token", "ampc", "compile", write("token.mlir", source.replace("over [@w]", "over \x1b\x07[@w]")))
run("location", "ampc", "compile", write("location.mlir", source.replace("over [@w] with #train.adam<lr = 0.01>", f'over [@v] with #train.adam<lr = 0.01> loc("{escaped(BYTES)}":1:1)')))
run("file name", "ampc", "compile", folder.encode() + b"/\x1b[2J\xff\xc2\x9b.mlir")
run("line that check shows", "ampc", "check", write("check.mlir", source.replace("over [@w] with", "over [@w] /\x1b]0;title\x07 with")))
# Names in tables on standard output, and of kernels.
plain = write("names.mlir", source.replace("@w", f'@"w{escaped(BYTES)}"').replace("%w", "%v"))
run("gradients", "ampc", "check", plain)
run("profile", "ampc", "profile", plain, "--data", "x=" + rows, "-o", f"{folder}/p.json", shown="wrote")
# Tables and arrays.
train = ["ampc", "train", model, "--steps=1", "--data"]
run("names of a table", *train, "x=" + write("header.csv", b"a" + BYTES.replace(b",", b"") + b",b,c,d,e,f\n1,2,3,4,5,6\n") + ":zz")
run("cell of a table", *train, "x=" + write("cell.csv", b"a,b,c,d,e,f\n1,2,3,4,5,6\n1,2,3,4,5," + BYTES.replace(b",", b"") + b"\n"))
run("type of an array", *train, "x=" + write("type.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 400) + b"{'descr': '" + ASCII.encode() + b"<f4', 'fortran_order': False, 'shape': (8, 6)}".ljust(400 - 11 - len(ASCII)) + bytes(192)))
# Checkpoints: names, types and the model, as read by the runtime.
entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
run("name of a tensor", *train, "x=" + write("several.safetensors", tensors({name: entry, "b": {**entry, "data_offsets": [4, 8]}})) + ":" + name)
train += ["x=" + rows]
run("name of weights", *train, "--weights", write("weights.safetensors", tensors({name: entry})))
run("model of a checkpoint", *train, "--resume", write("model.safetensors", tensors({}, {"format": name, "state_hash": "0" * 16})))
# ONNX: types of nodes and names.
run("node", "ampc", "import", write("node.onnx", onnx(TEXT, b"x")), "-o", "-")
run("name of ONNX", "ampc", "compile", write("name.onnx", onnx(b"None", TEXT)))
run("text of an import", "ampc", "import", write("good.onnx", onnx(b"Relu", TEXT)), "-o", "-", shown="%_1B12345678BCEF")
# Settings.
def corpus(path, old, new):
    text = open(f"{os.path.dirname(__file__)}/../../Fuzz/Hostile/Corpus/{path}").read()
    assert old in text
    return text.replace(old, new)


words = json.dumps(name, ensure_ascii=False)
run("policy", "ampc", "compile", model, "--policy-file=" + write("words.policy", BYTES + b"\n"))
run("policy's word", "ampc", "compile", model, "--policy=" + name)
run("model of a profile", "ampc", "compile", model, "-o", folder, "--precision=f16", "--precision-profile=" + write("profile.json", corpus("profile/whole.json", '"small"', words)))
run("machine", "ampc", "compile", model, "--plan-only", "--machine=" + write("machine.json", corpus("machine/whole.json", '"AMD EPYC (Zen 5), 2 cores"', words)))
run("reports", "ampc", "report", "--diff", write("a.json", corpus("report/one.json", '"hidden:', words[:-1] + ":")), write("b.json", corpus("report/one.json", '"hidden:', '"v:')))
run("command", "ampc", "\x1b[2J")
run("option", "ampc", "compile", "--\x1b[2J")
# MLIR's drivers: lines of models, file names, words.
run("opt", "ampc", "opt", f"{folder}/comment.mlir")
run("letters of opt", "ampc", "opt", write("letters.mlir", "\tgröße\x1b[2J"), shown="größe\\x1B")
run("reduce", "ampc", "reduce", folder.encode() + b"/\x1b[2J\xff\xc2\x9b.mlir")
run("lsp", "ampc", "lsp", "--\x1b[2J")
# PTX.
run("PTX", ptxsim, write("text.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n// a text is longer than this and then\n\x1b[2J\x9b"))

# A terminal receives the compiler's colors and no others.
host, terminal = pty.openpty()
process = subprocess.Popen(["ampc", "compile", f"{folder}/token.mlir"], stderr=terminal, env={**os.environ, "TERM": "xterm-256color"})
process.wait(60)
os.close(terminal)
output = b""
try:
    while part := os.read(host, 65536):
        output += part
except OSError:
    pass  # the end of a terminal without a process
expect("colors", re.sub(rb"\x1b\[[0-9;]*m|\r(?=\n)", b"", output), "\\x07")
if b"\x1b[" not in output:
    print("expected colors on a terminal")
    failed += 1
print(f"{cases} outputs, {failed} wrong")
