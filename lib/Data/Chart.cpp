// Axes, grid and legend of line charts and histograms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Data/Chart.h"
#include "ampc/Data/Log.h"
#include "ampc/Data/OutputFile.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace ampc;

const char *chart::colour(size_t series) {
  static constexpr const char *colours[] = {"#0072b2", "#d55e00", "#009e73",
                                            "#cc79a7", "#e69f00", "#56b4e9"};
  return colours[series % std::size(colours)];
}

std::string chart::number(double value, const char *format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

static std::string escape(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

chart::Axis::Axis(double dataLow, double dataHigh, double from, double to) : from(from), to(to) {
  if (!(dataLow <= dataHigh))
    return;
  double span = std::max({dataHigh - dataLow, std::fabs(dataHigh) * 1e-9, 1e-12}), rough = span / 6;
  double power = std::pow(10, std::floor(std::log10(rough)));
  step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
  low = std::floor(dataLow / step) * step;
  high = std::ceil(dataHigh / step) * step;
  if (low == high)
    high += step;
}

std::string chart::text(double x, double y, const char *anchor, const std::string &content,
                        const char *more) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" +
         more + ">" + escape(content) + "</text>\n";
}

std::string chart::drawGrid(const Axis &x, const Axis &y) {
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

std::string chart::begin(const std::string &title, const std::string &xLabel,
                         const std::string &yLabel) {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) +
                    " " + number(kHeight) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
                    "height=\"100%\" fill=\"#fff\"/>\n";
  double middle = (kTop + kHeight - kBottom) / 2;
  return out + text(kWidth / 2, 22, "middle", title, " font-size=\"15\"") +
         text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", xLabel) +
         text(16, middle, "middle", yLabel,
              (" transform=\"rotate(-90 16 " + number(middle) + ")\"").c_str());
}

std::string chart::legend(size_t series, const std::string &name) {
  double row = kTop + 16 + 18 * double(series);
  return "<path d=\"M" + number(kWidth - 150) + " " + number(row - 4) + "h20\" stroke=\"" +
         colour(series) + "\" stroke-width=\"2\"/>\n" + text(kWidth - 124, row, "start", name);
}

bool chart::write(const std::string &path, const std::string &content, std::string &error) {
  OutputFile file;
  int failure = file.open(path);
  if (!failure)
    failure = file.write(content.data(), content.size());
  if (!failure)
    failure = file.close();
  if (failure)
    error = path + ": " + std::strerror(failure);
  return !failure;
}
