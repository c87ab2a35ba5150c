# Acoustic model in the manner of Deep Speech 2 (Amodei et al. 2016): bidirectional GRU layers over frames, sequences of several lengths, a class per frame.
#   gru.py STEPS [BATCH WIDTH LAYERS IN CLASSES]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

MODEL = """\
train.model @gru(batch = {batch}, steps = {steps}, width = {width}, in = {given}, classes = {classes}) {{
  train.model @layer(columns = in) {{
    train.param @fx : f32[columns, 3 * width] = #train.xavier_uniform
    train.param @fh : f32[width, 3 * width] = #train.xavier_uniform
    train.param @fb : f32[3 * width] = #train.zeros
    train.param @rx : f32[columns, 3 * width] = #train.xavier_uniform
    train.param @rh : f32[width, 3 * width] = #train.xavier_uniform
    train.param @rb : f32[3 * width] = #train.zeros
    train.func @apply(%x: f32[steps, batch, columns], %n: i32[batch]) {{
      %f, %fl = train.gru %x, %fx, %fh, %fb lengths %n reset_after
      %r, %rl = train.gru %x, %rx, %rh, %rb lengths %n reset_after reverse
      %y = train.add %f, %r
      train.return %y
    }}
  }}
{uses}
  train.param @output : f32[width, classes] = #train.xavier_uniform
  train.param @output_bias : f32[classes] = #train.zeros
  train.func @loss(%x0: f32[steps, batch, in], %n: i32[batch], %label: i32[steps, batch]) {{
{body}
    %scores = train.linear %x{layers}, %output, %output_bias
    %loss = train.softmax_cross_entropy %scores, %label ignore -1
    train.return %loss
  }}
  train.step @fit minimize @loss over all with #train.adam<lr = 0.001> {{clip_norm = 5.0}}
}}
"""


def main():
    default = ["32", "800", "5", "161", "29"]
    steps, batch, width, layers, given, classes = (int(text) for text in sys.argv[1:] + default[len(sys.argv) - 2:])
    uses = "\n".join(f"  train.use @layer as @layer{n}" + ("" if n == 0 else " (columns = width)") for n in range(layers))
    body = "\n".join(f"    %x{n + 1} = train.apply @layer{n}(%x{n}, %n)" for n in range(layers))
    print(MODEL.format(**locals()), end="")


main()
