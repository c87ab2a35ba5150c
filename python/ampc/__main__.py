# The command ampc of the package.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `ampc` of the package: `ampc ...` or `python -m ampc ...`."""

import os
import sys

from . import executable


def main() -> None:
    os.execv(executable(), [executable(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
