// Mutations of text by its words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flipped bytes rarely pass a parser, so code behind the parser would see few inputs.
#include "test/Fuzz/Hostile/TextMutator.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <sstream>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {
using Random = std::minstd_rand;
using Words = std::vector<std::string>;

size_t below(Random &random, size_t limit) { return limit ? random() % limit : 0; }

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_.%@#!$", c);
}

/// End of the word that starts at `at`. In 2x3xf32 every size, every x and the type are separate
/// words.
size_t endOfWord(const std::string &text, size_t at) {
  bool number = std::isdigit(static_cast<unsigned char>(text[at]));
  if (text[at] == 'x' && at && std::isdigit(static_cast<unsigned char>(text[at - 1])))
    return at + 1;
  size_t end = at;
  while (end < text.size() && text[end] && isWordLetter(text[end]) && !(number && text[end] == 'x'))
    ++end;
  return std::max(end, at + 1);
}

/// Splits into names, numbers and single characters; the concatenation equals the text.
Words split(const std::string &text) {
  Words words;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = endOfWord(text, at);
    words.push_back(text.substr(at, end - at));
  }
  return words;
}

bool isNumber(const std::string &word) { return std::isdigit(static_cast<unsigned char>(word[0])); }
bool isName(const std::string &word) { return isWordLetter(word[0]) && !isNumber(word); }

/// The number of a random word of the kind, or of any if there is none.
size_t pick(const Words &words, bool (*isKind)(const std::string &), Random &random) {
  size_t start = below(random, words.size());
  for (size_t i = 0; i < words.size(); ++i)
    if (size_t at = (start + i) % words.size(); isKind(words[at]))
      return at;
  return start;
}

/// Limits of types, signs, zeros, and numbers in other notations.
std::string unusualNumber(Random &random) {
  static const Words numbers = [] {
    std::istringstream all(
        "0 1 2 3 7 16 255 127 128 65535 65536 -1 -2 -100 1.0 -0.5 0.0 1e-30 1e300 nan inf ? "
        "2147483647 2147483648 -2147483648 4294967295 4294967296 1099511627776 0x7FC00000 "
        "9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551615");
    return Words(std::istream_iterator<std::string>(all), {});
  }();
  return numbers[below(random, numbers.size())];
}

void replaceAll(Words &words, size_t at, const std::string &by) {
  std::string old = words[at], made = by;
  std::replace(words.begin(), words.end(), old, made);
}

void mutateWords(Words &words, Random &random) {
  if (words.empty())
    words.emplace_back(" ");
  size_t at = below(random, words.size());
  size_t length = std::min(words.size() - at, 1 + below(random, 12));
  switch (below(random, 9)) {
  case 0:
    words[pick(words, isNumber, random)] = unusualNumber(random);
    break;
  case 1: { // replaces a name by another name
    size_t from = pick(words, isName, random);
    words[pick(words, isName, random)] = words[from];
    break;
  }
  case 2: { // replaces a number by another number
    size_t from = pick(words, isNumber, random);
    words[pick(words, isNumber, random)] = words[from];
    break;
  }
  case 3:
    if (!vocabulary().empty())
      words[pick(words, isName, random)] = vocabulary()[below(random, vocabulary().size())];
    break;
  case 4:
    words.erase(words.begin() + at, words.begin() + at + length);
    break;
  case 5: { // the same words somewhere else
    Words copy(words.begin() + at, words.begin() + at + length);
    words.insert(words.begin() + below(random, words.size() + 1), copy.begin(), copy.end());
    break;
  }
  case 6: // everywhere, so that types agree
    replaceAll(words, pick(words, isNumber, random), unusualNumber(random));
    break;
  case 7:
    replaceAll(words, pick(words, isName, random), words[pick(words, isName, random)]);
    break;
  default:
    std::swap(words[at], words[below(random, words.size())]);
  }
}

size_t put(const std::string &text, uint8_t *data, size_t capacity) {
  size_t size = std::min(text.size(), capacity);
  std::memcpy(data, text.data(), size);
  return size;
}

size_t lineAt(const std::string &text, size_t at) { return at ? text.rfind('\n', at - 1) + 1 : 0; }
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  Random random(seed);
  if (below(random, 4) == 0)
    return LLVMFuzzerMutate(data, size, capacity);
  Words words = split(std::string(data, data + size));
  for (size_t count = 1 + below(random, 3); count; --count)
    mutateWords(words, random);
  std::string text;
  for (const std::string &word : words)
    text += word;
  return put(text, data, capacity);
}

/// Some lines of the second text between two of the first.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t capacity, unsigned seed) {
  Random random(seed);
  std::string text(first, first + firstSize), other(second, second + secondSize);
  size_t begin = lineAt(other, below(random, other.size() + 1)), end = begin;
  for (size_t lines = 1 + below(random, 6); lines && end != std::string::npos; --lines)
    end = other.find('\n', end + (end > begin));
  std::string lines =
      end == std::string::npos ? other.substr(begin) : other.substr(begin, end + 1 - begin);
  text.insert(lineAt(text, below(random, text.size() + 1)), lines);
  return put(text, out, capacity);
}
