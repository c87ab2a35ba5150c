# External symbols of a library, imported and exported: symbols.py LIBRARY.a NAME PRECISION
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
from pathlib import Path

library, name, precision = sys.argv[1:4]
allowed = (Path(__file__).resolve().parents[3] / "include/ampc/Package/Externals.def").read_text()
runtime = re.findall(r"^AMPC_EXTERNAL\((\w+)\)", allowed, re.MULTILINE)
assert "memcpy" in runtime
# Only f64 uses the C library's functions; conversions of 16-bit types are code of the model, never of a compiler's library.
math = "cos erf exp log log1p pow sin tanh".split() if precision == "f64" and name == "math" else []


def symbols(*options):
    return [line.split() for line in subprocess.run(["nm", *options, library], check=True, capture_output=True, text=True).stdout.splitlines()]


used = {row[-1] for row in symbols("-u") if row and row[0] == "U"}
used = {symbol for symbol in used if not symbol.startswith(name + "_")}
print(precision, name, "missing:", sorted(set(runtime + math) - used), "unexpected:", sorted(used - set(runtime + math)))
shown = [row[2] for row in symbols("-g", "--defined-only") if len(row) == 3]
assert shown
print("foreign:", [symbol for symbol in shown if not symbol.startswith(name + "_")])
data = [row[2] for row in symbols() if len(row) == 3 and row[1] in "dDbBC"]
print("globals:", [symbol for symbol in data if not re.fullmatch(name + "_[0-9a-f]{16}_model", symbol) and not symbol.startswith("ampc.table")])
