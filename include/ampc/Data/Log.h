// What a training run leaves behind: CSV, TensorBoard events, a chart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_LOG_H
#define AMPC_DATA_LOG_H

#include "ampc/Data/File.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
/// One line per row, on disk when `row` returns, so that a crash loses nothing.
class CsvWriter {
public:
  /// With `last`, goes on in an existing file behind the rows whose first value is at most `last`:
  /// those after it are removed.
  bool open(const std::string &path, const std::vector<std::string> &columns,
            std::optional<int64_t> last, std::string &error);
  /// What has no value stays empty.
  bool row(const std::vector<std::optional<double>> &values, std::string &error);

private:
  File file;
  std::string path;
};

/// Scalars in a new events file in a folder, which is made if missing.
class TensorBoardWriter {
public:
  bool open(const std::string &folder, std::string &error);
  /// Readers forget what older files of the folder say of `step` and of those after it.
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
/// A line chart as a self-contained SVG; false with a message in `error`.
bool writeLineChart(const std::string &path, const std::string &title, const std::string &xLabel,
                    const std::string &yLabel, const std::vector<Series> &series,
                    std::string &error);

/// Bars over the whole numbers from `first` on.
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
/// A histogram as a self-contained SVG; false with a message in `error`.
bool writeBarChart(const std::string &path, const std::string &title, const std::string &xLabel,
                   const std::string &yLabel, const std::vector<Bars> &bars,
                   const std::vector<Mark> &marks, std::string &error);
} // namespace ampc
#endif
