// Tables of numbers in text: CSV, and TSV with tabs.
// Numbers go to an unnamed temporary file as f64, because a table may be larger than memory.
#include "ampc/Data/Mapping.h"
#include "lib/Data/Text.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <unistd.h>

using namespace ampc;

namespace {
/// Content of a cell, without blanks and quotes around.
std::string_view trim(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

/// A cell as a number. `isOutside`: a number beyond the range of f64, e.g. 1e400 or 1e-400, which
/// is no text for a head.
struct Number {
  std::optional<double> value; ///< nothing for text, an empty cell, or outside
  bool isOutside = false;

  bool isText() const { return !value && !isOutside; }
};

Number numberOf(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-')
    cell.remove_prefix(1); // from_chars rejects a leading plus sign
  double value;
  auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || problem == std::errc::invalid_argument)
    return {};
  if (problem == std::errc::result_out_of_range)
    return {std::nullopt, true};
  return {value};
}

std::string quoted(std::string_view text) {
  bool isLong = text.size() > 40;
  return "'" + std::string(text.substr(0, 40)) + (isLong ? "...'" : "'");
}

/// Reader of the selected columns of a file.
class Reader {
public:
  Reader(const std::string &path, bool fillsEmpty, std::string &error)
      : path(path), fillsEmpty(fillsEmpty), error(error) {}
  std::optional<Array> read(const std::string &columns);

private:
  bool fail(const std::string &message) {
    error = path + ": " + message;
    return false;
  }
  bool nextLine(std::string_view &text);
  void split(std::string_view text);
  std::string nameOfColumn(size_t column) const;
  bool isHead();
  bool readHead();
  bool select(const std::string &columns);
  bool selectPart(const std::string &part);
  bool addRow();
  bool finish(Array &array);

  std::string path;
  bool fillsEmpty;
  std::string &error;
  Mapping input;
  int64_t place = 0, line = 0, rows = 0;
  char separator = ',';
  std::vector<std::string_view> cells;
  std::vector<std::string> names; ///< column names; empty without a head
  size_t width = 0;
  std::vector<size_t> selected;
  std::vector<double> buffer;
  File output;
};

bool Reader::nextLine(std::string_view &text) {
  if (place >= input.bytes)
    return false;
  const char *begin = input.data + place;
  auto *end = static_cast<const char *>(std::memchr(begin, '\n', size_t(input.bytes - place)));
  size_t length = end ? size_t(end - begin) : size_t(input.bytes - place);
  text = std::string_view(begin, length);
  place += int64_t(length) + 1;
  ++line;
  return true;
}

/// Splits a line into cells. Separators between quotes belong to the cell.
void Reader::split(std::string_view text) {
  cells.clear();
  bool inQuotes = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      inQuotes = !inQuotes;
    else if (text[i] == separator && !inQuotes) {
      cells.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  cells.push_back(text.substr(begin));
}

std::string Reader::nameOfColumn(size_t column) const {
  return names.empty() ? "column " + std::to_string(column + 1) : "column " + quoted(names[column]);
}

/// Whether the first line holds column names: text above a number. Text above text is an error,
/// which the row reports.
bool Reader::isHead() {
  std::vector<std::string_view> first = cells;
  std::string_view text;
  int64_t behind = place;
  bool alone = !nextLine(text);
  if (!alone)
    split(text);
  bool found = false;
  for (size_t i = 0; i < first.size(); ++i)
    found |= numberOf(first[i]).isText() &&
             (alone || (i < cells.size() && !numberOf(cells[i]).isText()));
  place = behind;
  line = 1;
  cells = first;
  return found;
}

/// Reads column names and stops at the first row of numbers.
bool Reader::readHead() {
  if (input.bytes >= 3 && !std::memcmp(input.data, "\xef\xbb\xbf", 3))
    place = 3; // byte order mark of UTF-8
  int64_t start = place;
  std::string_view text;
  if (!nextLine(text))
    return fail("expected rows of numbers, but the file is empty");
  if (path.size() >= 4 && path.compare(path.size() - 4, 4, ".tsv") == 0)
    separator = '\t';
  else if (text.find(',') == std::string_view::npos && text.find(';') != std::string_view::npos)
    separator = ';';
  split(text);
  width = cells.size();
  if (isHead())
    for (std::string_view cell : cells)
      names.push_back(std::string(trim(cell)));
  else
    place = start, line = 0;
  return true;
}

bool Reader::selectPart(const std::string &part) {
  auto named = std::find(names.begin(), names.end(), part);
  if (named != names.end()) {
    selected.push_back(size_t(named - names.begin()));
    return true;
  }
  size_t first = 0, last = 0;
  const char *end = part.data() + part.size();
  auto [next, problem] = std::from_chars(part.data(), end, first);
  bool good = problem == std::errc();
  last = first;
  if (good && next != end)
    good = *next == '-' && std::from_chars(next + 1, end, last).ptr == end && next + 1 != end;
  if (good && first >= 1 && first <= last && last <= width) {
    for (size_t column = first; column <= last; ++column)
      selected.push_back(column - 1);
    return true;
  }
  std::string known = nameList(names, /*most=*/20);
  return fail("expected a column of 1 to " + std::to_string(width) +
              (known.empty() ? "" : " or one of " + known) + ", but got " + quoted(part));
}

bool Reader::select(const std::string &columns) {
  if (columns.empty()) {
    for (size_t column = 0; column < width; ++column)
      selected.push_back(column);
    return true;
  }
  for (size_t begin = 0; begin <= columns.size();) {
    size_t end = std::min(columns.find(',', begin), columns.size());
    if (!selectPart(columns.substr(begin, end - begin)))
      return false;
    begin = end + 1;
  }
  return true;
}

bool Reader::addRow() {
  std::string where = " in line " + std::to_string(line);
  if (cells.size() != width)
    return fail("expected " + std::to_string(width) + " cells, but got " +
                std::to_string(cells.size()) + where);
  buffer.clear();
  for (size_t column : selected) {
    std::string_view cell = trim(cells[column]);
    auto [value, isOutside] = numberOf(cell);
    if (cell.empty() && fillsEmpty)
      value = std::numeric_limits<double>::quiet_NaN();
    if (!value)
      return fail("expected a number" + std::string(isOutside ? " that f64 holds" : "") +
                  ", but got " + (cell.empty() ? "an empty cell" : quoted(cell)) + where + ", " +
                  nameOfColumn(column));
    buffer.push_back(*value);
  }
  ++rows;
  if (std::fwrite(buffer.data(), sizeof(double), buffer.size(), output.get()) == buffer.size())
    return true;
  return fail(std::string("temporary file: ") + std::strerror(errno));
}

bool Reader::finish(Array &array) {
  if (std::fflush(output.get()))
    return fail(std::string("temporary file: ") + std::strerror(errno));
  std::string problem;
  std::optional<Mapping> mapped = mapFile(fileno(output.get()), problem);
  if (!mapped)
    return fail("temporary file: " + problem);
  array.element = Element::F64;
  array.dims = {rows, int64_t(selected.size())};
  array.data = mapped->data;
  array.mapping = mapped->owner;
  array.firstLine = names.empty() ? 1 : 2;
  return true;
}

/// Temporary file in the user's folder for large files (TMPDIR), unlinked, so that the file ends
/// with the process.
File temporaryFile() {
  const char *folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/ampc-table-XXXXXX";
  int file = mkstemp(name.data());
  if (file < 0)
    return nullptr;
  unlink(name.c_str());
  return File(fdopen(file, "w+"));
}

std::optional<Array> Reader::read(const std::string &columns) {
  std::optional<Mapping> mapped = mapFile(path, error);
  if (!mapped)
    return std::nullopt;
  input = *mapped;
  output = temporaryFile();
  if (!output) {
    fail(std::string("temporary file: ") + std::strerror(errno));
    return std::nullopt;
  }
  if (!readHead() || !select(columns))
    return std::nullopt;
  std::string_view text;
  for (int64_t blank = 0; nextLine(text);) {
    if (trim(text).empty()) {
      blank = blank ? blank : line;
      continue;
    }
    if (blank) {
      fail("expected a row, but got an empty line: line " + std::to_string(blank));
      return std::nullopt;
    }
    split(text);
    if (!addRow())
      return std::nullopt;
  }
  Array array;
  if (!finish(array))
    return std::nullopt;
  return array;
}
} // namespace

std::optional<Array> ampc::readTable(const std::string &path, const std::string &columns,
                                     bool fillsEmpty, std::string &error) {
  return Reader(path, fillsEmpty, error).read(columns);
}
