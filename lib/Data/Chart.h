// Axes, grid and legend of line charts and histograms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DATA_CHART_H
#define LIB_DATA_CHART_H

#include <cstddef>
#include <string>

namespace ampc::chart {
constexpr double kWidth = 720, kHeight = 420, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;

/// Colours by Okabe and Ito, distinct to colour-blind readers.
const char *colour(size_t series);
std::string number(double value, const char *format = "%.2f");
std::string text(double x, double y, const char *anchor, const std::string &content,
                 const char *more = "");

/// A linear axis: maps data to pixels, with ticks at 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1, step = 0.2, from, to;

  Axis(double dataLow, double dataHigh, double from, double to);
  double place(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

std::string begin(const std::string &title, const std::string &xLabel, const std::string &yLabel);
std::string drawGrid(const Axis &x, const Axis &y);
std::string legend(size_t series, const std::string &name);
/// Writes a file. False with a message in `error`.
bool write(const std::string &path, const std::string &content, std::string &error);
} // namespace ampc::chart
#endif
