// Line charts as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

using namespace ampc;

namespace {
constexpr double kWidth = 720, kHeight = 420, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
/// Okabe and Ito's colours, which colour-blind readers can tell apart.
constexpr const char *kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#e69f00", "#56b4e9"};

std::string number(double value, const char *format = "%.2f") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string escape(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

/// One axis: from data to pixels, with ticks at 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1, step = 0.2, from, to;

  Axis(double dataLow, double dataHigh, double from, double to) : from(from), to(to) {
    if (!(dataLow <= dataHigh))
      return;
    double span = std::max({dataHigh - dataLow, std::fabs(dataHigh) * 1e-9, 1e-12}),
           rough = span / 6;
    double power = std::pow(10, std::floor(std::log10(rough)));
    step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    low = std::floor(dataLow / step) * step;
    high = std::ceil(dataHigh / step) * step;
    if (low == high)
      high += step;
  }
  double place(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

Axis makeAxis(const std::vector<Series> &series, std::vector<double> Series::*values, double from,
              double to) {
  double low = INFINITY, high = -INFINITY;
  for (const Series &s : series)
    for (size_t i = 0; i < s.y.size() && i < s.x.size(); ++i)
      if (std::isfinite(s.y[i])) {
        low = std::min(low, (s.*values)[i]);
        high = std::max(high, (s.*values)[i]);
      }
  return Axis(low, high, from, to);
}

std::string text(double x, double y, const char *anchor, const std::string &content,
                 const char *more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" +
         more + ">" + escape(content) + "</text>\n";
}

std::string drawGrid(const Axis &x, const Axis &y) {
  std::string out = "<g stroke=\"#ddd\">\n", labels;
  for (int i = 0; x.low + i * x.step <= x.high + x.step / 2; ++i) {
    double at = x.place(x.low + i * x.step);
    out += "<path d=\"M" + number(at) + " " + number(y.from) + "V" + number(y.to) + "\"/>\n";
    labels += text(at, y.from + 18, "middle", number(x.low + i * x.step, "%.6g"));
  }
  for (int i = 0; y.low + i * y.step <= y.high + y.step / 2; ++i) {
    double at = y.place(y.low + i * y.step);
    out += "<path d=\"M" + number(x.from) + " " + number(at) + "H" + number(x.to) + "\"/>\n";
    double value = y.low + i * y.step;
    labels += text(x.from - 8, at + 4, "end",
                   number(std::fabs(value) < y.step / 1e6 ? 0 : value, "%.6g"));
  }
  return out + "</g>\n" + labels;
}

std::string drawLine(const Series &series, const Axis &x, const Axis &y, const char *colour) {
  std::string points;
  size_t count = std::min(series.x.size(), series.y.size());
  for (size_t i = 0; i < count; ++i)
    if (std::isfinite(series.y[i]))
      points += number(x.place(series.x[i])) + "," + number(y.place(series.y[i])) + " ";
  return "<polyline fill=\"none\" stroke=\"" + std::string(colour) +
         "\" stroke-width=\"1.5\" points=\"" + points + "\"/>\n";
}
} // namespace

bool ampc::writeLineChart(const std::string &path, const std::string &title,
                          const std::string &xLabel, const std::string &yLabel,
                          const std::vector<Series> &series, std::string &error) {
  Axis x = makeAxis(series, &Series::x, kLeft, kWidth - kRight),
       y = makeAxis(series, &Series::y, kHeight - kBottom, kTop);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) +
                    " " + number(kHeight) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
                    "height=\"100%\" fill=\"#fff\"/>\n";
  out += text(kWidth / 2, 22, "middle", title, " font-size=\"15\"") + drawGrid(x, y);
  out += text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", xLabel);
  out += text(
      16, (kTop + kHeight - kBottom) / 2, "middle", yLabel,
      (" transform=\"rotate(-90 16 " + number((kTop + kHeight - kBottom) / 2) + ")\"").c_str());
  for (size_t i = 0; i < series.size(); ++i) {
    const char *colour = kColours[i % std::size(kColours)];
    out += drawLine(series[i], x, y, colour);
    double row = kTop + 16 + 18 * double(i);
    out += "<path d=\"M" + number(kWidth - 150) + " " + number(row - 4) + "h20\" stroke=\"" +
           colour + "\" stroke-width=\"2\"/>\n" + text(kWidth - 124, row, "start", series[i].name);
  }
  out += "</svg>\n";
  File file(std::fopen(path.c_str(), "w"));
  if (file && std::fwrite(out.data(), 1, out.size(), file.get()) == out.size() &&
      !std::fflush(file.get()))
    return true;
  error = path + ": " + std::strerror(errno);
  return false;
}
