# Errors of models, ops and sizes that cannot be exported.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


class ExportError(Exception):
    """A model that cannot be written; the message lists everything that stands in the way."""


class Unsupported(Exception):
    """What an op has that cannot be written."""


class NotAFormula(Exception):
    """A size that is no multiple of the batch plus a number: the model is written with numbers instead."""
