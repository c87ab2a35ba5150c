// Names, types and batches that are hard for languages other than C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @_Hard {
  train.param @"a.b" : tensor<4x3xf32> = #train.ones
  train.param @narrow : tensor<3xbf16> = #train.ones {frozen}

  train.func @scores(%x: tensor<8x4xf32>, %X: tensor<3xf32>, %lambda: tensor<f32>, %status: tensor<8x3xbf16>)
      -> (tensor<8x3xbf16>, tensor<8x3xf32> {train.is = #train.output<named, name = "scores">}) {
    %w = train.read @"a.b" : tensor<4x3xf32>
    %n = train.read @narrow : tensor<3xbf16>
    %y = train.linear %x, %w, %X : tensor<8x4xf32>, tensor<4x3xf32>, tensor<3xf32>
    %s = train.mul %y, %lambda : tensor<8x3xf32>, tensor<f32>
    %m = train.mul %n, %status : tensor<3xbf16>, tensor<8x3xbf16>
    train.return %m, %s : tensor<8x3xbf16>, tensor<8x3xf32>
  }
  // Keywords of the languages, and names in the generated code around.
  train.func @words(
      %alignas: tensor<1xf32>, %alignof: tensor<1xf32>, %and_eq: tensor<1xf32>, %bitand: tensor<1xf32>,
      %bitor: tensor<1xf32>, %char8_t: tensor<1xf32>, %char16_t: tensor<1xf32>, %char32_t: tensor<1xf32>,
      %co_await: tensor<1xf32>, %co_return: tensor<1xf32>, %co_yield: tensor<1xf32>, %compl: tensor<1xf32>,
      %const_cast: tensor<1xf32>, %consteval: tensor<1xf32>, %constexpr: tensor<1xf32>, %constinit: tensor<1xf32>,
      %decltype: tensor<1xf32>, %dynamic_cast: tensor<1xf32>, %noexcept: tensor<1xf32>, %not_eq: tensor<1xf32>,
      %or_eq: tensor<1xf32>, %reinterpret_cast: tensor<1xf32>, %static_assert: tensor<1xf32>,
      %static_cast: tensor<1xf32>, %thread_local: tensor<1xf32>, %typeid: tensor<1xf32>, %typeof: tensor<1xf32>,
      %wchar_t: tensor<1xf32>, %xor_eq: tensor<1xf32>, %_Bool: tensor<1xf32>, %NULL: tensor<1xf32>,
      %linux: tensor<1xf32>, %uint16_t: tensor<1xf32>, %Span: tensor<1xf32>, %std: tensor<1xf32>,
      %merge: tensor<1xf32>, %trim: tensor<1xf32>, %huge: tensor<1xf32>, %ampc_e_shape: tensor<1xf32>,
      %tensor6: tensor<1xf32>, %__x: tensor<1xf32>, %__init__: tensor<1xf32>, %_fields_: tensor<1xf32>,
      %print: tensor<1xf32>)
      -> (tensor<44xf32> {train.is = #train.output<named, name = "Span">}) {
    %all = train.concat
        %alignas, %alignof, %and_eq, %bitand, %bitor, %char8_t, %char16_t, %char32_t, %co_await, %co_return,
        %co_yield, %compl, %const_cast, %consteval, %constexpr, %constinit, %decltype, %dynamic_cast, %noexcept,
        %not_eq, %or_eq, %reinterpret_cast, %static_assert, %static_cast, %thread_local, %typeid, %typeof, %wchar_t,
        %xor_eq, %_Bool, %NULL, %linux, %uint16_t, %Span, %std, %merge, %trim, %huge, %ampc_e_shape, %tensor6, %__x,
        %__init__, %_fields_, %print along 0
      : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
        tensor<1xf32>, tensor<1xf32>
    train.return %all : tensor<44xf32>
  }
  train.func @size() -> tensor<4x3xf32> {
    %w = train.read @"a.b" : tensor<4x3xf32>
    train.return %w : tensor<4x3xf32>
  }
  train.func @loss(%x: tensor<16x4xf32>, %label: tensor<16xi32>) -> tensor<f32> {
    %w = train.read @"a.b" : tensor<4x3xf32>
    %y = train.matmul %x, %w : (tensor<16x4xf32>, tensor<4x3xf32>) -> tensor<16x3xf32>
    %l = train.softmax_cross_entropy %y, %label : tensor<16x3xf32>, tensor<16xi32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@"a.b"] with #train.sgd<lr = 0.1>
  train.export @scores as "Model"
  train.export @words as "Status"
  train.export @size as "_run"
  train.export @size as "_lock"
  train.export @size as "_state"
  train.export @size as "_find"
  train.export @size as "__init__"
  train.export @size as "__del__"
  train.export @size as "__dict"
  train.export @size as "Options"
  train.export @size as "ampc_status"
}
