# LSTM language model of Zaremba, Sutskever and Vinyals (2014): a layer multiplies the inputs of all steps at once and then runs step by step, in a loop
# (train.scan), or written out.
#   lstm.py scan|written STEPS [BATCH WIDTH VOCABULARY LAYERS]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

MODEL = """\
train.model @lstm(batch = {batch}, steps = {steps}, width = {width}, vocabulary = {vocabulary}) {{
  train.model @layer {{
    train.param @input : f32[width, 4 * width] = #train.uniform<low = -0.05, high = 0.05>
    train.param @recurrent : f32[width, 4 * width] = #train.uniform<low = -0.05, high = 0.05>
    train.param @bias : f32[4 * width] = #train.zeros
    train.func @inputs(%x: f32[steps, batch, width]) {{
      %y = train.linear %x, %input, %bias
      train.return %y
    }}
    train.func @step(%x: f32[batch, 4 * width], %h: f32[batch, width], %c: f32[batch, width]) {{
      %r = train.linear %h, %recurrent
      %a = train.add %x, %r
      %i0, %f0, %g0, %o0 = train.split %a into [width, width, width, width] along 1
      %i = train.sigmoid %i0
      %f = train.sigmoid %f0
      %g = train.tanh %g0
      %o = train.sigmoid %o0
      %kept = train.mul %f, %c
      %new = train.mul %i, %g
      %c1 = train.add %kept, %new
      %t = train.tanh %c1
      %h1 = train.mul %o, %t
      train.return %h1, %c1
    }}
  }}
  train.param @embedding : f32[vocabulary, width] = #train.uniform<low = -0.05, high = 0.05>
  train.param @output : f32[width, vocabulary] = #train.uniform<low = -0.05, high = 0.05>
  train.param @output_bias : f32[vocabulary] = #train.zeros
{uses}
  train.func @loss(%token: i32[steps, batch], %next: i32[steps, batch]) {{
    %x0 = train.embedding %embedding at %token
    %zero = train.constant dense<0.0> : tensor<f32>
    %zeros = train.broadcast_to %zero to [batch, width]
{body}
    %scores = train.linear %x{layers}, %output, %output_bias
    %loss = train.softmax_cross_entropy %scores, %next
    train.return %loss
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0> {{clip_norm = 5.0}}
}}
"""


def scan(n, steps):
    """Layer n: from %x0 of f32[steps, batch, width] to %x1."""
    yield f"%a{n} = train.apply @layer{n}::@inputs(%x{n})"
    yield f"%h{n}, %c{n}, %x{n + 1} = train.scan carry %h{n}_0 = %zeros, %c{n}_0 = %zeros over %s{n} = %a{n} {{"
    yield f"  %h{n}_1, %c{n}_1 = train.apply @layer{n}::@step(%s{n}, %h{n}_0, %c{n}_0)"
    yield f"  train.next %h{n}_1, %c{n}_1 each %h{n}_1"
    yield "}"


def written(number, steps):
    """The same, without a loop."""
    name = f"layer{number}"
    yield f"%a{number} = train.apply @{name}::@inputs(%x{number})"
    h, c, outputs = "%zeros", "%zeros", []
    for t in range(steps):
        at = f"{number}_{t}"
        yield f"%r{at} = train.slice %a{number} from [{t}, 0, 0] sizes [1, batch, 4 * width] strides [1, 1, 1]"
        yield f"%s{at} = train.reshape %r{at} to [batch, 4 * width]"
        yield f"%h{at}, %c{at} = train.apply @{name}::@step(%s{at}, {h}, {c})"
        yield f"%y{at} = train.reshape %h{at} to [1, batch, width]"
        h, c = f"%h{at}", f"%c{at}"
        outputs.append(f"%y{at}")
    yield f"%x{number + 1} = " + (f"train.concat {', '.join(outputs)} along 0" if steps > 1 else f"train.reshape {h} to [1, batch, width]")


def main():
    layer = {"scan": scan, "written": written}[sys.argv[1]]
    steps, batch, width, vocabulary, layers = (int(text) for text in sys.argv[2:] + ["20", "650", "10000", "2"][len(sys.argv) - 3:])
    body = "\n".join("    " + line for number in range(layers) for line in layer(number, steps))
    uses = "\n".join(f"  train.use @layer as @layer{number}" for number in range(layers))
    print(MODEL.format(**locals()), end="")


main()
