# Attention of ATen.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from ampc_export.aten import op
from ampc_export.aten.converter import array_of
from ampc_export.sizes import broadcast, hint


def _is_causal(mask, queries, keys):
    """Whether a mask that is known lets a query see the keys up to its own position, and no others."""
    seen = mask if mask.dtype == np.bool_ else mask == 0
    if mask.dtype != np.bool_ and not np.all(seen | (mask < -1e30)):
        return False
    return mask.shape[-2:] == (queries, keys) and queries == keys and bool((seen == np.tril(np.ones((queries, keys), bool))).all())


def _bias(c):
    """What is added to the scores: a mask of truth values becomes 0 and minus infinity."""
    g = c.graph
    if c.is_known("attn_mask"):
        mask = array_of(c.known("attn_mask"))
        return g.constant(np.where(mask, np.float32(0), np.float32(-np.inf)) if mask.dtype == np.bool_ else mask)
    mask = c.value("attn_mask")
    if mask.kind == "f32":
        return mask
    return g.select(g.cast(mask, "i1"), g.scalar(0.0), g.scalar(-math.inf))


@op("scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu")
def attention(c):
    g = c.graph
    q, k, v = (c.value(name, "f32") for name in ("query", "key", "value"))
    causal, masked = bool(c["is_causal"]), c.arguments.get("attn_mask") is not None
    batch = broadcast(q.shape[:-2], v.shape[:-2]) if not c.arguments.get("enable_gqa") else q.shape[:-2]
    if c.arguments.get("enable_gqa"):
        k, v = (_for_all_queries(g, x, q) for x in (k, v))
    q, k, v = (g.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (q, k, v))
    queries, keys = hint(q.shape[-2]), hint(k.shape[-2])
    if masked and c.is_known("attn_mask") and _is_causal(array_of(c.known("attn_mask")), queries, keys):
        causal, masked = True, False
    scale = c.arguments.get("scale")
    if causal and queries != keys:  # PyTorch counts positions from the first of both
        bias = g.constant(np.where(np.tril(np.ones((queries, keys), bool)), np.float32(0), np.float32(-np.inf)))
    else:
        bias = _bias(c) if masked else None
    plain = not c["dropout_p"] and q.shape[-1] == v.shape[-1]
    if not plain or causal and masked:
        return c.give(_written_out(c, q, k, v, bias, causal, scale))
    form = "train.attention {0}, {1}, {2}"
    if bias is not None:
        form += " bias {3}"
    elif causal:
        form += " causal"
    if scale is not None and not math.isclose(scale, 1 / math.sqrt(hint(q.shape[-1])), rel_tol=1e-7):
        form += f" scale {float(scale)}"
    return c.give(g.emit(form, [q, k, v] + [bias] * (bias is not None), (*q.shape[:-1], v.shape[-1]), "f32"))


def _for_all_queries(g, x, q):
    """Heads of keys and values that several heads of queries share."""
    times = hint(q.shape[-3]) // hint(x.shape[-3])
    apart = g.reshape(x, (*x.shape[:-2], 1, *x.shape[-2:]))
    wide = g.broadcast_to(apart, (*x.shape[:-2], times, *x.shape[-2:]))
    return g.reshape(wide, (*x.shape[:-3], x.shape[-3] * times, *x.shape[-2:]))


def _written_out(c, q, k, v, bias, causal, scale):
    """With dropout of the weights, or values of another width than the queries."""
    g = c.graph
    scores = g.matmul(q, k, transpose_rhs=True)
    scores = g.binary("mul", scores, g.scalar(scale if scale is not None else 1 / math.sqrt(hint(q.shape[-1]))))
    if bias is not None:
        scores = g.binary("add", scores, bias)
    if causal and hint(q.shape[-2]) == hint(k.shape[-2]):
        size = hint(q.shape[-2])
        seen = g.constant(np.tril(np.ones((size, size), bool)))
        scores = g.select(seen, scores, g.scalar(-math.inf))
    weights = g.unary("softmax", scores)
    if c["dropout_p"]:
        weights = g.unary("dropout", weights, f" rate {float(c['dropout_p'])}")
    return g.matmul(weights, v)
