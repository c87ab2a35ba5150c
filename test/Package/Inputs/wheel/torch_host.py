# A network of two layers: loss, gradients and steps by ampc in a program of PyTorch, beside eager PyTorch in the same weights.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ampc
import ampc.torch
import torch

MODEL = """train.model @net(batch = 16) {
  train.param @w1 : f32[8, 32] = #train.normal<std = 0.3>
  train.param @b1 : f32[32] = #train.zeros
  train.param @w2 : f32[32, 3] = #train.normal<std = 0.3>
  train.func @loss(%x: f32[batch, 8], %y: f32[batch, 3]) {
    %h = train.linear %x, %w1, %b1
    %r = train.relu %h
    %p = train.linear %r, %w2
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.01, weight_decay = 0.01>
}
"""


def eager(weights, x, y):
    return torch.nn.functional.mse_loss(torch.relu(x @ weights["w1"] + weights["b1"]) @ weights["w2"], y)


def expect(name, ours, theirs, bound=2e-6):
    """The largest difference, relative to the largest value."""
    error = (ours - theirs).abs().max() / theirs.abs().max()
    assert error <= bound, f"{name}: {error} beyond {bound}"


torch.manual_seed(1)
compiled = ampc.compile(MODEL)
net = ampc.torch.Loss(compiled, seed=3)
weights = {name: parameter.detach().clone().requires_grad_() for name, parameter in net.named_parameters()}
x, y = torch.randn(16, 8), torch.randn(16, 3)

assert list(weights) == ["w1", "b1", "w2"], list(weights)
ours, theirs = 3 * net(x, y), 3 * eager(weights, x, y)
ours.backward()
theirs.backward()
expect("loss", ours.detach(), theirs.detach())
for name, parameter in net.named_parameters():
    expect(name, parameter.grad, weights[name].grad)
print("loss and gradients agree")

optimizers = [torch.optim.AdamW(parameters, lr=0.01, weight_decay=0.01) for parameters in (net.parameters(), weights.values())]
first = {name: value.detach().clone() for name, value in weights.items()}
for _ in range(20):
    batch = torch.randn(16, 8), torch.randn(16, 3)
    for loss, optimizer in zip((lambda: net(*batch), lambda: eager(weights, *batch)), optimizers):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
for name, parameter in net.named_parameters():
    expect(name, parameter.detach(), weights[name].detach(), 1e-4)
    assert (weights[name] - first[name]).abs().max() > 0.01
print("20 steps of torch.optim.AdamW agree")

model = compiled.Model(seed=4)
weights = {name: torch.tensor(model[name]).requires_grad_() for name in weights}
optimizer = torch.optim.AdamW(weights.values(), lr=0.01, weight_decay=0.01)
for _ in range(20):
    batch = torch.randn(16, 8), torch.randn(16, 3)
    report = ampc.torch.train_step(model, *batch)
    optimizer.zero_grad()
    loss = eager(weights, *batch)
    loss.backward()
    optimizer.step()
    expect("loss", torch.tensor(report.loss), loss.detach(), 1e-5)
for name, value in weights.items():
    expect(name, torch.tensor(model[name]), value.detach(), 1e-4)
print("20 compiled steps agree")

half = ampc.compile(MODEL.replace("%x: f32", "%x: bf16").replace("train.linear %x", "train.linear %c").replace(
    "    %h", "    %c = train.cast %x to f32\n    %h", 1))
net = ampc.torch.Loss(half, seed=3)
expect("bf16", net(x.bfloat16(), y).detach(), eager(dict(net.named_parameters()), x.bfloat16().float(), y).detach())
print("bf16 inputs agree")
try:
    net(x.clone().requires_grad_(), y)
except ValueError as error:
    print(f"ValueError: {error}")
