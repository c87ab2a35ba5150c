# Models compiled by the package ampc: from a text, by precision, and with mistakes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ampc
import numpy

LINE = """train.model @line(batch = 8) {
  train.param @w : f32[1, 1] = #train.zeros
  train.param @b : f32[1]    = #train.zeros
  train.func @loss(%x: f32[batch, 1], %y: f32[batch, 1]) {
    %p = train.linear %x, %w, %b
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
"""


def fit(compiled, digits, name):
    random = numpy.random.default_rng(1)
    with compiled.Model(seed=1) as model:
        for _ in range(300):
            x = random.uniform(-1, 1, (8, 1)).astype(numpy.float32)
            model.train_step(x, 2 * x + 1)
        print(f"{name}: y = {model['w'][0, 0]:.{digits}f} x + {model['b'][0]:.{digits}f}")


def failure(call):
    try:
        call()
    except (RuntimeError, OSError) as error:
        print(f"{type(error).__name__}: {error}".splitlines()[0])


fit(ampc.compile(LINE), 2, "line")
fit(ampc.compile(LINE, precision="bf16"), 1, "bf16")
with ampc.compile(LINE, precision="f64", name="other", tiers=["plain"]).Model() as model:
    print(f"f64: weights of {model['w'].dtype}, tier {model.tier}")
failure(lambda: ampc.compile(LINE.replace("#train.zeros", "#train.zero", 1)))
failure(lambda: ampc.compile("none.mlir"))
failure(lambda: ampc.compile(LINE, precisoin="bf16"))
