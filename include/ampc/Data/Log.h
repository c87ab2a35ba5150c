// Records of a training run: CSV, TensorBoard events, charts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_LOG_H
#define AMPC_DATA_LOG_H

#include "ampc/Data/File.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
/// CSV writer. A row is on disk when `row` returns, so that a crash loses nothing.
class CsvWriter {
public:
  /// With `last`, appends to an existing file: keeps rows whose first value is at most `last` and
  /// removes later rows.
  bool open(const std::string &path, const std::vector<std::string> &columns,
            std::optional<int64_t> last, std::string &error);
  /// Writes a row; missing values stay empty.
  bool row(const std::vector<std::optional<double>> &values, std::string &error);

private:
  File file;
  std::string path;
};

/// Writes scalars to a new TensorBoard events file in a folder, which is created if missing.
class TensorBoardWriter {
public:
  bool open(const std::string &folder, std::string &error);
  /// Session-start event: readers drop records of older files of the folder from `step` on.
  bool restart(int64_t step, std::string &error);
  bool scalar(const std::string &tag, int64_t step, float value, std::string &error);

private:
  bool record(const std::string &event, std::string &error);
  File file;
  std::string path;
};

/// CRC-32C (Castagnoli) of bytes, as in RFC 3720, appendix B.4.
uint32_t crc32c(const void *data, size_t bytes);

struct Series {
  std::string name;
  std::vector<double> x, y; // points with a NaN or infinite y are left out
};
/// Writes a line chart as a self-contained SVG; false with a message in `error`.
bool writeLineChart(const std::string &path, const std::string &title, const std::string &xLabel,
                    const std::string &yLabel, const std::vector<Series> &series,
                    std::string &error);

/// Bar heights over consecutive integers from `first` on.
struct Bars {
  std::string name;
  int first = 0;
  std::vector<double> heights;
};
/// A vertical line with a label.
struct Mark {
  int at;
  std::string label;
};
/// Writes a histogram as a self-contained SVG; false with a message in `error`.
bool writeBarChart(const std::string &path, const std::string &title, const std::string &xLabel,
                   const std::string &yLabel, const std::vector<Bars> &bars,
                   const std::vector<Mark> &marks, std::string &error);
} // namespace ampc
#endif
