// The text to learn: licences that every Debian machine has, split by place, never at random.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CHAR_GPT_TEXT_H
#define CHAR_GPT_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

/// Newline is 0, the printable ASCII characters follow. A tab counts as a space; other bytes are
/// left out.
constexpr int vocabulary = 96;
std::vector<int32_t> encode(const std::string &text);
char decode(int32_t token);

/// Tokens of a file; the last tenth, from `split` on, is for validation.
struct Document {
  std::string name;
  std::vector<int32_t> tokens;
  size_t split;
};

/// Regular files of a folder by name; empty if the folder cannot be read. Links are left out, since
/// the text behind a link would count twice.
std::vector<Document> readFolder(const std::string &folder);

/// A full 64-bit generator (SplitMix64, Steele et al. 2014), so that a run can be repeated on any
/// machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  uint64_t below(uint64_t bound) { return next() % bound; }
  double uniform() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

/// A batch: `context` tokens per row, and the target of every token, [rows, context]: the token
/// that follows, or -1 for no target.
struct Batch {
  Batch(int rows, int context)
      : rows(rows), context(context), token(rows * context), next(rows * context) {}
  int rows, context;
  std::vector<int32_t> token, next;

  /// Sets row `row` to the tokens of `document` from `begin` on; targets are the tokens [from, to)
  /// of the document.
  void setRow(int row, const Document &document, size_t begin, size_t from, size_t to);
};

/// Fills a batch with windows of the training parts, every place equally likely.
void drawTraining(const std::vector<Document> &documents, Random &random, Batch &batch);

/// Windows over all validation parts: every character is a target once, behind at least half a
/// context of preceding text.
class Validation {
public:
  Validation(const std::vector<Document> &documents, int context);
  size_t windows() const { return places.size(); }
  /// Fills a batch with windows from number `first` on; returns the number of targets.
  int64_t fill(size_t first, Batch &batch) const;

private:
  struct TextWindow {
    const Document *document;
    size_t begin, from, to;
  };
  std::vector<TextWindow> places;
};
#endif
