// Reading, splitting and windowing of the text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Text.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

std::vector<int32_t> encode(const std::string &text) {
  std::vector<int32_t> tokens;
  tokens.reserve(text.size());
  for (char c : text) {
    if (c == '\n')
      tokens.push_back(0);
    else if (c >= ' ' && c <= '~')
      tokens.push_back(c - ' ' + 1);
    else if (c == '\t')
      tokens.push_back(1);
  }
  return tokens;
}

char decode(int32_t token) { return token == 0 ? '\n' : char(' ' + token - 1); }

std::vector<Document> readFolder(const std::string &folder) {
  std::map<std::string, std::string> texts;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_symlink() || !entry.is_regular_file())
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts[entry.path().filename().string()].assign(std::istreambuf_iterator<char>(file), {});
  }
  std::vector<Document> documents;
  for (const auto &[name, text] : texts) {
    Document document{name, encode(text), 0};
    document.split = document.tokens.size() - document.tokens.size() / 10;
    if (document.split > 1)
      documents.push_back(std::move(document));
  }
  return documents;
}

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Batch::setRow(int row, const Document &document, size_t begin, size_t from, size_t to) {
  for (int i = 0; i < context; ++i) {
    size_t place = begin + i;
    bool asked = place + 1 >= from && place + 1 < to;
    token[row * context + i] = place < document.tokens.size() ? document.tokens[place] : 0;
    next[row * context + i] = asked ? document.tokens[place + 1] : -1;
  }
}

void drawTraining(const std::vector<Document> &documents, Random &random, Batch &batch) {
  // A window has `context` tokens and the token behind; windows of shorter documents start at 0.
  size_t length = batch.context + 1, starts = 0;
  for (const Document &document : documents)
    starts += document.split > length ? document.split - length + 1 : 1;
  for (int row = 0; row < batch.rows; ++row) {
    size_t start = random.below(starts);
    for (const Document &document : documents) {
      size_t own = document.split > length ? document.split - length + 1 : 1;
      if (start < own) {
        batch.setRow(row, document, start, 0, document.split);
        break;
      }
      start -= own;
    }
  }
}

Validation::Validation(const std::vector<Document> &documents, int context) {
  size_t half = context / 2;
  for (const Document &document : documents)
    for (size_t from = document.split; from < document.tokens.size(); from += half) {
      size_t begin = from > half + 1 ? from - half - 1 : 0;
      places.push_back({&document, begin, from, std::min(from + half, document.tokens.size())});
    }
}

int64_t Validation::fill(size_t first, Batch &batch) const {
  std::fill(batch.token.begin(), batch.token.end(), 0);
  std::fill(batch.next.begin(), batch.next.end(), -1);
  for (int row = 0; row < batch.rows && first + row < places.size(); ++row) {
    const TextWindow &place = places[first + row];
    batch.setRow(row, *place.document, place.begin, place.from, place.to);
  }
  return std::count_if(batch.next.begin(), batch.next.end(),
                       [](int32_t token) { return token >= 0; });
}
