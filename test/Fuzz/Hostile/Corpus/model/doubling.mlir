train.model @m {
 train.param @w : tensor<4xf32> = #train.ones
 train.func @f0(%x: tensor<4xf32>) -> tensor<4xf32> {
 %y = train.tanh %x : tensor<4xf32>
 train.return %y : tensor<4xf32>
 }
 train.func @f1(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f0(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f2(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f1(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f1(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f3(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f2(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f2(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f4(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f3(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f3(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f5(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f4(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f4(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f6(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f5(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f5(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f7(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f6(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f6(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f8(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f7(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f7(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f9(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f8(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f8(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f10(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f9(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f9(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f11(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f10(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f10(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f12(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f11(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f11(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f13(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f12(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f12(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f14(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f13(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f13(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f15(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f14(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f14(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f16(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f15(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f15(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f17(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f16(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f16(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f18(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f17(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f17(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f19(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f18(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f18(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f20(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f19(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f19(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f21(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f20(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f20(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f22(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f21(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f21(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f23(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f22(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f22(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f24(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f23(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f23(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f25(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f24(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f24(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f26(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f25(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f25(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f27(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f26(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f26(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f28(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f27(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f27(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f29(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f28(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f28(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f30(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f29(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f29(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f31(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f30(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f30(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f32(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f31(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f31(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f33(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f32(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f32(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f34(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f33(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f33(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f35(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f34(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f34(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f36(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f35(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f35(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f37(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f36(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f36(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f38(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f37(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f37(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f39(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f38(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f38(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @f40(%x: tensor<4xf32>) -> tensor<4xf32> {
 %a = train.call @f39(%x) : (tensor<4xf32>) -> tensor<4xf32>
 %b = train.call @f39(%a) : (tensor<4xf32>) -> tensor<4xf32>
 train.return %b : tensor<4xf32>
 }
 train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
 %w = train.read @w : tensor<4xf32>
 %v = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
 %y = train.call @f40(%v) : (tensor<4xf32>) -> tensor<4xf32>
 %l = train.reduce_sum %y over [0] : tensor<4xf32>
 train.return %l : tensor<f32>
 }
 train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
