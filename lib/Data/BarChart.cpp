// Histograms as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include "lib/Data/Chart.h"
#include <algorithm>

using namespace ampc;
using namespace ampc::chart;

namespace {
struct Extent {
  int first = 0, last = 0;
  double highest = 0;
};
} // namespace

static Extent extentOf(const std::vector<Bars> &bars, const std::vector<Mark> &marks) {
  Extent extent{bars.front().first, bars.front().first, 0};
  for (const Bars &b : bars) {
    extent.first = std::min(extent.first, b.first);
    extent.last = std::max(extent.last, b.first + int(b.heights.size()));
    for (double height : b.heights)
      extent.highest = std::max(extent.highest, height);
  }
  for (const Mark &mark : marks) {
    extent.first = std::min(extent.first, mark.at - 1);
    extent.last = std::max(extent.last, mark.at + 1);
  }
  return extent;
}

/// Bars of series `number` of `count`. Bars of several series stand side by side within a bin.
static std::string drawBars(const Bars &bars, size_t number, size_t count, const Axis &x,
                            const Axis &y) {
  std::string out = "<g fill=\"" + std::string(colour(number)) + "\">\n";
  for (size_t i = 0; i < bars.heights.size(); ++i) {
    if (!(bars.heights[i] > 0))
      continue;
    double left = bars.first + double(i) + 0.1 + 0.8 * double(number) / double(count);
    double from = x.place(left), to = x.place(left + 0.8 / double(count)),
           top = y.place(bars.heights[i]);
    out += "<rect x=\"" + chart::number(from) + "\" y=\"" + chart::number(top) + "\" width=\"" +
           chart::number(to - from) + "\" height=\"" + chart::number(y.from - top) + "\"/>\n";
  }
  return out + "</g>\n";
}

/// A vertical line with a label, `below` the top, on the side of the line that has room.
static std::string drawMark(const Mark &mark, double below, const Axis &x, const Axis &y) {
  double at = x.place(mark.at);
  bool isLeft = at > (x.from + x.to) / 2;
  return "<path d=\"M" + number(at) + " " + number(y.from) + "V" + number(y.to) +
         "\" stroke=\"#333\" stroke-dasharray=\"4 3\"/>\n" +
         text(at + (isLeft ? -4 : 4), y.to + below, isLeft ? "end" : "start", mark.label,
              " font-size=\"11\" fill=\"#333\"");
}

bool ampc::writeBarChart(const std::string &path, const std::string &title,
                         const std::string &xLabel, const std::string &yLabel,
                         const std::vector<Bars> &bars, const std::vector<Mark> &marks,
                         std::string &error) {
  if (bars.empty()) {
    error = path + ": expected something to draw";
    return false;
  }
  Extent extent = extentOf(bars, marks);
  const double headroom = 1.4; // for legend and labels
  Axis x(extent.first, extent.last, kLeft, kWidth - kRight),
      y(0, headroom * extent.highest, kHeight - kBottom, kTop);
  std::string out = begin(title, xLabel, yLabel) + drawGrid(x, y);
  for (size_t i = 0; i < bars.size(); ++i)
    out += drawBars(bars[i], i, bars.size(), x, y);
  for (size_t i = 0; i < marks.size(); ++i)
    out += drawMark(marks[i], 16 + 20 * double(bars.size()) + 14 * double(i), x, y);
  for (size_t i = 0; i < bars.size(); ++i)
    out += legend(i, bars[i].name);
  return write(path, out + "</svg>\n", error);
}
