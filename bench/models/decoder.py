# Translation with attention (Bahdanau et al. 2015), trained with teacher forcing: an LSTM over the source, and an LSTM whose rounds read all states of the source.
#   decoder.py STEPS [BATCH WIDTH VOCABULARY SOURCE]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

MODEL = """\
train.model @decoder(batch = {batch}, steps = {steps}, width = {width}, vocabulary = {vocabulary}, source = {source}) {{
  train.param @source_embedding : f32[vocabulary, width] = #train.normal<std = 0.05>
  train.param @embedding : f32[vocabulary, width] = #train.normal<std = 0.05>
  train.param @encoder.input : f32[width, 4 * width] = #train.xavier_uniform
  train.param @encoder.recurrent : f32[width, 4 * width] = #train.xavier_uniform
  train.param @decoder.input : f32[2 * width, 4 * width] = #train.xavier_uniform
  train.param @decoder.recurrent : f32[width, 4 * width] = #train.xavier_uniform
  train.param @keys : f32[width, width] = #train.xavier_uniform
  train.param @query : f32[width, width] = #train.xavier_uniform
  train.param @energy : f32[width] = #train.normal<std = 0.05>
  train.param @output : f32[2 * width, vocabulary] = #train.xavier_uniform
  train.func @loss(%words: i32[source, batch], %lengths: i32[batch], %given: i32[steps, batch], %next: i32[steps, batch]) {{
    %e = train.embedding %source_embedding at %words
    %memory, %h0, %c0 = train.lstm %e, %encoder.input, %encoder.recurrent lengths %lengths
    %keys0 = train.linear %memory, %keys
    %g = train.embedding %embedding at %given
    %zero = train.constant dense<0.0> : tensor<f32>
    %context0 = train.broadcast_to %zero to [batch, width]
    %h, %c, %context, %hs, %contexts = train.scan carry %hb = %h0, %cb = %c0, %cx = %context0 over %x = %g {{
      %in = train.concat %x, %cx along 1
      %h1, %c1 = train.lstm_cell %in, %decoder.input, %decoder.recurrent from %hb, %cb
      %q = train.linear %h1, %query
      %a = train.add %keys0, %q
      %t = train.tanh %a
      %scores = train.einsum "tbd,d->bt" %t, %energy
      %p = train.softmax %scores
      %new = train.einsum "bt,tbd->bd" %p, %memory
      train.next %h1, %c1, %new each %h1, %new
    }}
    %y = train.concat %hs, %contexts along 2
    %logits = train.linear %y, %output
    %loss = train.softmax_cross_entropy %logits, %next ignore -1
    train.return %loss
  }}
  train.step @fit minimize @loss over all with #train.adam<lr = 0.001> {{clip_norm = 5.0}}
}}
"""


def main():
    default = ["32", "512", "10000", "30"]
    steps, batch, width, vocabulary, source = (int(text) for text in sys.argv[1:] + default[len(sys.argv) - 2:])
    print(MODEL.format(**locals()), end="")


main()
