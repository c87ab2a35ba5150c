// A count-based model of text to compare with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CHAR_GPT_TRIGRAM_H
#define CHAR_GPT_TRIGRAM_H

#include "Text.h"

/// The loss of a smoothed 3-gram model on the validation parts, in nats per character. Counts come
/// from the training parts; orders are interpolated as by Witten and Bell (1991).
double trigramLoss(const std::vector<Document> &documents);
#endif
