// Mutations of text by its words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_HOSTILE_TEXTMUTATOR_H
#define TEST_FUZZ_HOSTILE_TEXTMUTATOR_H

#include <string>
#include <vector>

/// Words in addition to the words of inputs, such as the names of all ops. Every target that links
/// TextMutator.cpp defines a vocabulary; libFuzzer then mutates words as often as bytes.
const std::vector<std::string> &vocabulary();

#endif
