# Files named by an untrusted model: accepted and rejected paths. foreign-models.py FOLDER MODEL.mlir
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import struct
import subprocess
import sys
import zipfile

folder, source = os.path.abspath(sys.argv[1]), open(sys.argv[2]).read()
failed = 0


def write(path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return path


def expect(what, is_right, output):
    global failed
    if not is_right:
        failed += 1
        print(f"{what}:\n{output}")


def compiled(model, *options):
    done = subprocess.run(["ampc", "compile", "--compile-to=import", write("model.mlir", model), *options],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


# Messages show the source line of a location, and a location may name any path.
def message(path):
    wrong = source.replace("over [@w, @b] with #train.sgd<lr = 0.1>", f'over [@w, @c] with #train.sgd<lr = 0.1> loc("{path}":1:1)')
    assert wrong != source
    status, output = compiled(wrong)
    expect(path, status == 1 and f"{path}:1:1: error: 'train.step' op expected a parameter" in output, output)
    return output


line = "a line that nobody else should see"
os.makedirs(folder)
private = write("private.txt", line + "\n")
expect("private file", line not in (shown := message(private)), shown)
os.mkfifo(f"{folder}/pipe.mlir")
message(f"{folder}/pipe.mlir")  # the reader of a FIFO without a writer would wait
os.symlink(private, f"{folder}/link.mlir")
expect("link to a private file", line not in (shown := message(f"{folder}/link.mlir")), shown)
expect("source of an export", line in (shown := message(write("model.py", line + "\n"))), shown)

# Initial values are read from the paths in the model, with --data-root from a single folder only.
header = json.dumps({"w": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}}).encode()
tensors = struct.pack("<Q", len(header)) + header + bytes(8)
inside, outside = write("root/w.safetensors", tensors), write("root-2/w.safetensors", tensors)
os.symlink(outside, f"{folder}/root/link.safetensors")
os.symlink(inside, f"{folder}/link.safetensors")
os.symlink(f"{folder}/root", f"{folder}/root-link")
for place in ("root", "root-2"):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1)}"
    array = write(f"{place}/w.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(8))
    with zipfile.ZipFile(f"{folder}/{place}/w.npz", "w") as archive:
        archive.write(array, "w.npy")
refused = f"expected a file in {folder}/root (--data-root), but got "
for path, reads in [("root/w.safetensors", True), (inside, True), ("root/../root/w.safetensors", True), ("link.safetensors", True),
                    (outside, False), ("root-2/w.safetensors", False), ("root/../root-2/w.safetensors", False),
                    ("root/w.npz", True), ("root/w.npy", True), ("root-2/w.npz", False), ("root-2/w.npy", False),
                    ("root/link.safetensors", False), ("/no/such/file", False), ("root/../no-such-file", False)]:
    model = source.replace("param @w : tensor<2x1xf32> = #train.zeros", f'param @w : tensor<2x1xf32> = #train.data<"{path}">')
    assert model != source
    for root in (f"{folder}/root", f"{folder}/root-link/"):
        status, output = compiled(model, f"--data-root={root}")
        expect(f"{path} in {root}", status == 0 if reads else status == 1 and refused.replace(f"{folder}/root", root, 1) in output, output)
    status, output = compiled(model)
    expect(f"{path} without a root", (status == 0) == ("no" not in path.split("/")[-1] and not path.startswith("/no")), output)
status, output = compiled(source.replace("tensor<2x1xf32> = #train.zeros", 'tensor<2x1xf32> = #train.data<"root/none.safetensors", "w">', 1),
                          f"--data-root={folder}/root")
expect("missing file inside", status == 1 and "No such file" in output, output)
status, output = compiled(source, f"--data-root={folder}/none")
expect("missing root", status == 1 and f"--data-root={folder}/none: No such file" in output, output)

print(f"{failed} wrong")
sys.exit(failed != 0)
