# Extracts the commands of a page as a shell script, so that a test runs the commands that readers type.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: page-commands.py PAGE.md > commands.sh

Blocks of the kind sh run in their order. Any other block whose first line is a comment with the name of a file, such as
`# data.py` or `// line.mlir`, becomes that file. The rest is for readers alone."""
import re
import sys

print("set -e")
with open(sys.argv[1]) as page:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)
for kind, block in blocks:
    named = re.match(r"(?:#|//) ([\w-]+\.\w+)\n", block)
    if kind == "sh":
        print(block, end="")
    elif named:
        print(f"cat > {named[1]} <<'END_OF_FILE'\n{block}END_OF_FILE")
