// Training logs as comma-separated values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace ampc;

/// Leading number of a line; nothing for a line without a number.
static std::optional<int64_t> firstNumber(const std::string &line) {
  char *end = nullptr;
  long long number = std::strtoll(line.c_str(), &end, 10);
  if (end == line.c_str() || (*end != ',' && *end != 0))
    return std::nullopt;
  return number;
}

/// Truncates an older log behind row `last`. A last line without a newline was cut by a crash and
/// goes, too.
static bool cut(const std::string &path, const std::string &head, int64_t last,
                std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  int64_t place = 0;
  for (bool first = true; std::getline(file, line); first = false) {
    bool isHead = file.eof() ? head.compare(0, line.size(), line) == 0 : line == head;
    if (first && !isHead) {
      error = path + ": expected a log with the columns " + head + ", but got " + line +
              "; give this run another file";
      return false;
    }
    if (file.eof())
      break;
    std::optional<int64_t> number = firstNumber(line);
    if (!first && (!number || *number > last))
      break;
    place += int64_t(line.size()) + 1;
  }
  if (truncate(path.c_str(), place) == 0)
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}

bool CsvWriter::open(const std::string &name, const std::vector<std::string> &columns,
                     std::optional<int64_t> last, std::string &error) {
  path = name;
  std::string head;
  for (const std::string &column : columns)
    head += (head.empty() ? "" : ",") + column;
  bool append = last && access(path.c_str(), F_OK) == 0;
  if (append && !cut(path, head, *last, error))
    return false;
  file.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  if (append && std::fseek(file.get(), 0, SEEK_END) == 0 && std::ftell(file.get()) > 0)
    return true;
  std::fprintf(file.get(), "%s\n", head.c_str());
  if (!std::fflush(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}

/// Nine digits restore every f32; integers, such as step numbers, keep all digits.
bool CsvWriter::row(const std::vector<std::optional<double>> &values, std::string &error) {
  for (size_t i = 0; i < values.size(); ++i) {
    std::fputs(i ? "," : "", file.get());
    if (!values[i])
      continue;
    double value = *values[i];
    bool whole = std::fabs(value) < 9e15 && value == std::floor(value);
    std::fprintf(file.get(), whole ? "%.0f" : "%.9g", value);
  }
  std::fputc('\n', file.get());
  if (!std::fflush(file.get()) && !std::ferror(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}
