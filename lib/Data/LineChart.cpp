// Line charts as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include "lib/Data/Chart.h"
#include <algorithm>
#include <cmath>

using namespace ampc;
using namespace ampc::chart;

static Axis makeAxis(const std::vector<Series> &series, std::vector<double> Series::*values,
                     double from, double to) {
  double low = INFINITY, high = -INFINITY;
  for (const Series &s : series)
    for (size_t i = 0; i < s.y.size() && i < s.x.size(); ++i)
      if (std::isfinite(s.y[i])) {
        low = std::min(low, (s.*values)[i]);
        high = std::max(high, (s.*values)[i]);
      }
  return Axis(low, high, from, to);
}

static std::string drawLine(const Series &series, const Axis &x, const Axis &y,
                            const char *colour) {
  std::string points;
  size_t count = std::min(series.x.size(), series.y.size());
  for (size_t i = 0; i < count; ++i)
    if (std::isfinite(series.y[i]))
      points += number(x.place(series.x[i])) + "," + number(y.place(series.y[i])) + " ";
  return "<polyline fill=\"none\" stroke=\"" + std::string(colour) +
         "\" stroke-width=\"1.5\" points=\"" + points + "\"/>\n";
}

bool ampc::writeLineChart(const std::string &path, const std::string &title,
                          const std::string &xLabel, const std::string &yLabel,
                          const std::vector<Series> &series, std::string &error) {
  Axis x = makeAxis(series, &Series::x, kLeft, kWidth - kRight),
       y = makeAxis(series, &Series::y, kHeight - kBottom, kTop);
  std::string out = begin(title, xLabel, yLabel) + drawGrid(x, y);
  for (size_t i = 0; i < series.size(); ++i)
    out += drawLine(series[i], x, y, colour(i)) + legend(i, series[i].name);
  return write(path, out + "</svg>\n", error);
}
