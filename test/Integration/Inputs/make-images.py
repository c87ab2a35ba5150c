# A batch for tiled-conv.mlir: make-images.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

random = np.random.default_rng(3)
for name, shape in (("image", (8, 15, 17, 64)), ("target", (8, 13, 18, 96))):
    np.save(f"{sys.argv[1]}/{name}.npy", random.standard_normal(shape, dtype=np.float32))
