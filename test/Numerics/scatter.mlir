// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several updates of the same element, and elements without updates.
train.model @check {
  train.param @x : f32[3, 7] = #train.normal<mean = 0.0, std = 1.0>
  train.param @u : f32[3, 9] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: i32[3, 9], %a: f32[3, 7], %b: f32[3, 7], %c: f32[3, 7], %d: f32[3, 7], %e: f32[3, 7]) {
    %x = train.read @x
    %u = train.read @u
    %set = train.scatter set %u at %i into %x along 1
    %sset = train.sin %set
    %wset = train.mul %sset, %a
    %add = train.scatter add %u at %i into %x along 1
    %sadd = train.sin %add
    %wadd = train.mul %sadd, %b
    %mul = train.scatter mul %u at %i into %x along 1
    %smul = train.sin %mul
    %wmul = train.mul %smul, %c
    %max = train.scatter max %u at %i into %x along 1
    %smax = train.sin %max
    %wmax = train.mul %smax, %d
    %min = train.scatter min %u at %i into %x along 1
    %smin = train.sin %min
    %wmin = train.mul %smin, %e
    %0 = train.add %wset, %wadd
    %1 = train.add %wmul, %wmax
    %2 = train.add %0, %1
    %3 = train.add %2, %wmin
    %total = train.reduce_sum %3 over [0, 1]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @over_u minimize @loss over [@u] with #train.sgd<lr = 0.1>
}
