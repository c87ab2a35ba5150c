# Predictions of a model that ampc export has written, by ONNX Runtime.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnx_predict.py MODEL.onnx: one row of random data; prints the median seconds of at most 200 calls in 5 seconds."""
import argparse
import json
import statistics
import time

import numpy
import onnxruntime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    session = onnxruntime.InferenceSession(arguments.model, options, providers=["CPUExecutionProvider"])
    generator, inputs = numpy.random.default_rng(1), {}
    for each in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in each.shape]
        is_float = each.type == "tensor(float)"
        inputs[each.name] = generator.standard_normal(shape, dtype=numpy.float32) if is_float else generator.integers(0, 2, shape, dtype=numpy.int32)
    seconds = []
    while len(seconds) < 3 or (len(seconds) < 200 and sum(seconds) < 5):
        start = time.perf_counter()
        session.run(None, inputs)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"predict": statistics.median(seconds), "onnxruntime_version": onnxruntime.__version__}))


if __name__ == "__main__":
    main()
