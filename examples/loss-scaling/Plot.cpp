// Lines over steps, losses on a logarithmic axis, as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plot.h"
#include <algorithm>
#include <cmath>
#include <fstream>

// Grey for the reference, then Okabe and Ito's colours, which colour-blind readers can tell apart.
static const char *const colours[] = {"#bbbbbb", "#d55e00", "#0072b2"};
static constexpr double left = 70, right = 640, top = 50, bottom = 330;

static void text(std::ostream &os, double x, double y, const char *anchor, const std::string &words,
                 const char *colour = "#333") {
  os << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "' fill='" << colour
     << "'>" << words << "</text>\n";
}

bool Plot::write(const std::string &path) const {
  double low = 0, high = -10;
  size_t points = 2;
  for (const Line &line : lines) {
    points = std::max(points, line.losses.size());
    for (double loss : line.losses)
      if (loss > 0 && std::isfinite(loss)) {
        low = std::min(low, std::floor(std::log10(loss)));
        high = std::max(high, std::ceil(std::log10(loss)));
      }
  }
  high = std::max(high, low + 1);
  auto x = [&](double point) { return left + (right - left) * point / double(points); };
  auto y = [&](double power) { return bottom - (bottom - top) * (power - low) / (high - low); };

  std::ofstream os(path);
  os << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 680 380' font-family='sans-serif' "
        "font-size='12'>\n<rect width='680' height='380' fill='white'/>\n";
  text(os, (left + right) / 2, 24, "middle", title);
  for (double power = low; power <= high; ++power) {
    os << "<path d='M" << left << " " << y(power) << "H" << right << "' stroke='#ddd'/>\n";
    char label[32];
    std::snprintf(label, sizeof label, "%g", std::pow(10, power));
    text(os, left - 8, y(power) + 4, "end", label);
  }
  for (int i = 0; i <= 4; ++i) {
    double point = double(points) * i / 4;
    text(os, x(point), bottom + 18, "middle", std::to_string(int(point * every)));
  }
  text(os, (left + right) / 2, bottom + 38, "middle", "training step");
  text(os, left, top - 10, "start", "mean squared error");
  for (size_t i = 0; i < lines.size(); ++i) {
    const char *colour = colours[i % 3];
    // The first line is the reference of the comparison, wide enough to show below the other lines.
    os << "<polyline fill='none' stroke='" << colour << "' stroke-width='" << (i == 0 ? 6 : 2)
       << "' points='";
    for (size_t at = 0; at < lines[i].losses.size(); ++at)
      if (double loss = lines[i].losses[at]; loss > 0 && std::isfinite(loss))
        os << x(double(at + 1)) << "," << y(std::log10(loss)) << " ";
    os << "'/>\n";
    text(os, right, top + 4 + 16 * double(i), "end", lines[i].name, i == 0 ? "#777777" : colour);
  }
  os << "</svg>\n";
  os.close();
  return os.good();
}
