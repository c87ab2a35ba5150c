# Data of net.mlir: rows.py COUNT writes x.npy and y.npy; every seventh label does not count.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy

count = int(sys.argv[1])
random = numpy.random.default_rng(5)
numpy.save("x.npy", random.standard_normal((count, 32), dtype=numpy.float32))
label = random.integers(0, 10, count, dtype=numpy.int32)
label[::7] = -1
numpy.save("y.npy", label)
