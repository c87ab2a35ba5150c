#!/usr/bin/env python3
# Prints a character-level GPT of the given sizes as a train.model.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The full text of examples/char-gpt/char-gpt.mlir, every type and parameter written, and models of other sizes for tests. What the short text is compared
with.

A decoder with normalisation before each part (Radford et al. 2019), learned positions and an output layer of its own.
"""
import argparse
import math

CHARACTERS = 96


def tensor(*dims, dtype="f32"):
    return f"tensor<{'x'.join([*map(str, dims), dtype])}>"


def first_values(width, layers=0):
    """Normal, narrower in wide models; with `layers` narrower again, for products added to the residual stream that often."""
    return f"#train.normal<std = {0.5 / math.sqrt(2 * layers * width if layers else width)!r}>"


def block_parameters(width, layers):
    """(name, type, first value) of each parameter of a block."""
    normal, small = first_values(width), first_values(width, layers)
    zeros, ones = "#train.zeros", "#train.ones"
    return [
        ("norm1.gamma", tensor(width), ones),
        ("norm1.beta", tensor(width), zeros),
        ("qkv.weight", tensor(width, 3 * width), normal),
        ("qkv.bias", tensor(3 * width), zeros),
        ("project.weight", tensor(width, width), small),
        ("project.bias", tensor(width), zeros),
        ("norm2.gamma", tensor(width), ones),
        ("norm2.beta", tensor(width), zeros),
        ("up.weight", tensor(width, 4 * width), normal),
        ("up.bias", tensor(4 * width), zeros),
        ("down.weight", tensor(4 * width, width), small),
        ("down.bias", tensor(width), zeros),
    ]


def print_block(name, batch, args, parameters):
    """A transformer block as a function of the input and the block's parameters."""
    width, heads, context = args.width, args.heads, args.context
    x, size = tensor(batch, context, width), width // heads
    qkv, parts = tensor(batch, context, 3 * width), tensor(batch, context, heads, size)
    head, hidden = tensor(batch, heads, context, size), tensor(batch, context, 4 * width)
    local = {parameter: "%" + parameter.replace(".", "_") for parameter, _, _ in parameters}
    types = {parameter: kind for parameter, kind, _ in parameters}

    def linear(result, operand, operand_type, layer):
        weight, bias = layer + ".weight", layer + ".bias"
        print(f"    %{result} = train.linear %{operand}, {local[weight]}, {local[bias]}"
              f" : {operand_type}, {types[weight]}, {types[bias]}")

    def norm(result, operand, layer):
        gamma, beta = layer + ".gamma", layer + ".beta"
        print(f"    %{result} = train.layer_norm %{operand}, {local[gamma]}, {local[beta]} eps 1.0e-5"
              f" : {x}, {types[gamma]}, {types[beta]}")

    arguments = [f"%x: {x}"] + [f"{local[p]}: {types[p]}" for p in local]
    print(f"  train.func @{name}({', '.join(arguments)}) -> {x} {{")
    norm("n1", "x", "norm1")
    linear("qkv", "n1", x, "qkv")
    print(f"    %q0, %k0, %v0 = train.split %qkv into [{width}, {width}, {width}] along 2 : {qkv}")
    for part in "qkv":
        print(f"    %{part}1 = train.reshape %{part}0 : {x} to {parts}")
        print(f"    %{part} = train.transpose %{part}1 [0, 2, 1, 3] : {parts}")
    print(f"    %a = train.attention %q, %k, %v causal : {head}, {head}, {head}")
    print(f"    %a1 = train.transpose %a [0, 2, 1, 3] : {head}")
    print(f"    %a2 = train.reshape %a1 : {parts} to {x}")
    linear("a3", "a2", x, "project")
    print(f"    %x1 = train.add %x, %a3 : {x}, {x}")
    norm("n2", "x1", "norm2")
    linear("u", "n2", x, "up")
    print(f"    %h = train.gelu_tanh %u : {hidden}")
    linear("d", "h", hidden, "down")
    print(f"    %y = train.add %x1, %d : {x}, {x}")
    print(f"    train.return %y : {x}")
    print("  }")


def print_logits(name, block, batch, args, parameters):
    """Tokens to the scores of the character after each."""
    width, context = args.width, args.context
    tokens, x = tensor(batch, context, dtype="i32"), tensor(batch, context, width)
    scores = tensor(batch, context, args.vocabulary)
    table, places, vector = tensor(args.vocabulary, width), tensor(context, width), tensor(width)
    print(f"  train.func @{name}(%token: {tokens}) -> {scores} {{")
    print(f"    %te = train.read @token_embedding : {table}")
    print(f"    %pe = train.read @position_embedding : {places}")
    print(f"    %e = train.embedding %te at %token : {table}, {tokens}")
    print(f"    %x0 = train.add %e, %pe : {x}, {places}")
    for i in range(args.layers):
        for parameter, kind, _ in parameters:
            print(f"    %{parameter.replace('.', '_')}{i} = train.read @block.{i}.{parameter} : {kind}")
        operands = [f"%x{i}"] + [f"%{p.replace('.', '_')}{i}" for p, _, _ in parameters]
        types = [x] + [kind for _, kind, _ in parameters]
        print(f"    %x{i + 1} = train.call @{block}({', '.join(operands)}) : ({', '.join(types)}) -> {x}"
              f' loc("block.{i}")')
    print(f"    %gamma = train.read @norm.gamma : {vector}")
    print(f"    %beta = train.read @norm.beta : {vector}")
    print(f"    %n = train.layer_norm %x{args.layers}, %gamma, %beta eps 1.0e-5 : {x}, {vector}, {vector}")
    if args.tied:
        print(f"    %w = train.transpose %te [1, 0] : {table}")
    else:
        print(f"    %w = train.read @output.weight : {tensor(width, args.vocabulary)}")
    print(f"    %scores = train.linear %n, %w : {x}, {tensor(width, args.vocabulary)}")
    print(f"    train.return %scores : {scores}")
    print("  }")


def main():
    parser = argparse.ArgumentParser(description="print a character-level GPT as a train.model")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--context", type=int, default=128)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--vocabulary", type=int, default=CHARACTERS)
    parser.add_argument("--tied", action="store_true", help="the output layer is the embedding, transposed")
    parser.add_argument("--steps", type=int, default=1200, help="length of the learning-rate schedule")
    parser.add_argument("--lr", default="2e-3", help="highest learning rate")
    parser.add_argument("--sgd", action="store_true", help="by a rule that moves parameters in proportion to their gradients")
    args = parser.parse_args()
    if args.width % args.heads:
        parser.error(f"expected a width that {args.heads} heads divide, but got {args.width}")

    width, context = args.width, args.context
    parameters = block_parameters(width, args.layers)
    state = [("token_embedding", tensor(args.vocabulary, width), first_values(width)),
             ("position_embedding", tensor(context, width), first_values(width))]
    for i in range(args.layers):
        state += [(f"block.{i}.{name}", kind, init) for name, kind, init in parameters]
    state += [("norm.gamma", tensor(width), "#train.ones"), ("norm.beta", tensor(width), "#train.zeros")]
    if not args.tied:
        state.append(("output.weight", tensor(width, args.vocabulary), first_values(width)))

    print("// A character-level GPT in full.")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("train.model @char_gpt {")
    for name, kind, init in state:
        print(f"  train.param @{name} : {kind} = {init}")
    # Shapes are static: generating text takes a single row where training takes a batch.
    print_block("block", args.batch, args, parameters)
    print_block("block_of_one", 1, args, parameters)
    print_logits("logits", "block", args.batch, args, parameters)
    print_logits("logits_of_one", "block_of_one", 1, args, parameters)
    tokens, scores = tensor(args.batch, context, dtype="i32"), tensor(args.batch, context, args.vocabulary)
    print(f"  train.func @loss(%token: {tokens}, %next: {tokens}) -> tensor<f32> {{")
    print(f"    %scores = train.call @logits(%token) : ({tokens}) -> {scores}")
    print(f"    %loss = train.softmax_cross_entropy %scores, %next ignore -1 : {scores}, {tokens}")
    print("    train.return %loss : tensor<f32>")
    print("  }")
    print(f"  train.step @fit minimize @loss over [{', '.join('@' + name for name, _, _ in state)}]")
    rule = f"sgd<lr = {float(args.lr):.1e}>" if args.sgd else f"adamw<lr = {float(args.lr):.1e}, beta2 = 0.99, weight_decay = 0.1>"
    print(f"    with #train.{rule}")
    print(f"    schedule #train.cosine<steps = {args.steps}, warmup = {min(100, args.steps)}, floor = 0.05> {{clip_norm = 1.0}}")
    print('  train.export @logits_of_one as "predict"')
    print("}")


if __name__ == "__main__":
    main()
