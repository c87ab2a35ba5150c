# Copies of a model's object, and processes that fork: copies.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import os
import pickle
import signal
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import hosts

x = np.linspace(-1, 1, 64 * 256, dtype=np.float32).reshape(64, 256)
with hosts.Model(seed=3, threads=4) as model:
    model.train_step(x)
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        try:
            make(model)
        except TypeError as error:
            assert "save() and load() copy" in str(error), error
        else:
            raise AssertionError(make)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        model.train_step(x)
        np.save(sys.argv[1] + "/child.npy", model["w1"])
        model.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    model.train_step(x)
    assert (np.load(sys.argv[1] + "/child.npy") == model["w1"]).all()
print("no copies, and a child that computes the same")
