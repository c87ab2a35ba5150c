# Recurrent layers on sequences of several lengths, without packed sequences, which torch.export cannot trace.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.errors import ExportError

NAME = "ampc::padded"  # op in the graph of torch.export
SCHEMA = ("padded(Tensor x, Tensor lengths, Tensor[] states, Tensor[] params, str kind, bool has_biases, int layers, float dropout, "
          "bool bidirectional, bool batch_first) -> Tensor[]")
_library = []


def _shapes(x, lengths, states, params, kind, has_biases, layers, dropout, bidirectional, batch_first):
    """Results without values: all states of the last layer, then the last states."""
    width = states[0].shape[2] * (2 if bidirectional else 1)
    return [x.new_empty((*x.shape[:2], width)), *(state.new_empty(state.shape) for state in states)]


def _op():
    """The op, defined on first use."""
    import torch
    if not _library:
        library = torch.library.Library("ampc", "DEF")
        library.define(SCHEMA)
        library._register_fake("padded", _shapes)
        _library.append(library)
    return torch.ops.ampc.padded


def _packed(module, x, lengths, states):
    """What PyTorch computes: packed, and padded with zeros again."""
    from torch.nn.utils import rnn
    packed = rnn.pack_padded_sequence(x, lengths.cpu(), module.batch_first, enforce_sorted=False)
    y, last = module(packed, states)
    y, _ = rnn.pad_packed_sequence(y, module.batch_first, total_length=x.shape[1 if module.batch_first else 0])
    return y, last


def padded(module, x, lengths, states=None):
    """`module` (nn.LSTM, nn.GRU or nn.RNN) on padded sequences: the result of pack_padded_sequence, the module and pad_packed_sequence.

    x: [time, batch, in], or [batch, time, in] with batch_first.
    lengths: rows of each sequence, [batch], an integer tensor; from 1 in PyTorch, from 0 in ampc.
    states: first states as the module takes them; None: 0.
    Returns the states of all rounds, 0 behind each sequence, as long as x, and the last states as the module returns them.
    In torch.export it is one op with `lengths`, which ampc_export.torch writes."""
    import torch
    if not isinstance(module, torch.nn.RNNBase) or x.dim() != 3:
        raise ExportError(f"padded: expected an nn.LSTM, nn.GRU or nn.RNN and sequences of 3 dimensions, but got {type(module).__name__}")
    if not torch.compiler.is_exporting():
        return _packed(module, x, lengths, states)
    is_lstm = isinstance(module, torch.nn.LSTM)
    if states is None:
        rows = x.shape[0 if module.batch_first else 1]
        number = module.num_layers * (2 if module.bidirectional else 1)
        widths = [module.proj_size or module.hidden_size] + [module.hidden_size] * is_lstm
        states = [x.new_zeros((number, rows, width)) for width in widths]
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    dropout = module.dropout if module.training else 0.0
    params = [getattr(module, name) for name in module._flat_weights_names]
    y, *last = _op()(x, lengths, states, params, module.mode.lower(), module.bias, module.num_layers, float(dropout), module.bidirectional,
                     module.batch_first)
    return y, tuple(last) if is_lstm else last[0]
