// Logs as comma-separated values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include <cerrno>
#include <cmath>
#include <cstring>

using namespace ampc;

bool CsvWriter::open(const std::string &name, const std::vector<std::string> &columns, bool append,
                     std::string &error) {
  path = name;
  file.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  if (append && std::fseek(file.get(), 0, SEEK_END) == 0 && std::ftell(file.get()) > 0)
    return true;
  for (size_t i = 0; i < columns.size(); ++i)
    std::fprintf(file.get(), i ? ",%s" : "%s", columns[i].c_str());
  std::fputc('\n', file.get());
  if (!std::fflush(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}

/// Nine digits give every float back; whole numbers, such as steps, keep all of theirs.
bool CsvWriter::row(const std::vector<double> &values, std::string &error) {
  for (size_t i = 0; i < values.size(); ++i) {
    bool whole = std::fabs(values[i]) < 9e15 && values[i] == std::floor(values[i]);
    std::fprintf(file.get(), whole ? "%s%.0f" : "%s%.9g", i ? "," : "", values[i]);
  }
  std::fputc('\n', file.get());
  if (!std::fflush(file.get()) && !std::ferror(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}
