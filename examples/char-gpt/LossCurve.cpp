// Two lines, a level and axes, as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LossCurve.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace {
/// Places data in the drawing; y grows downwards there.
struct Frame {
  double left = 60, top = 40, right = 740, bottom = 400, lastStep, highest;
  double x(double step) const { return left + (right - left) * step / lastStep; }
  double y(double loss) const {
    return bottom - (bottom - top) * std::min(loss, highest) / highest;
  }
};

void line(std::ostream &os, const Frame &frame,
          const std::vector<std::pair<double, double>> &points, const char *style) {
  os << "<polyline fill='none' " << style << " points='";
  for (auto [step, loss] : points)
    if (std::isfinite(loss))
      os << frame.x(step) << "," << frame.y(loss) << " ";
  os << "'/>\n";
}

void text(std::ostream &os, double x, double y, const char *anchor, const std::string &words,
          const char *colour = "#333") {
  os << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "' fill='" << colour
     << "'>" << words << "</text>\n";
}

void axes(std::ostream &os, const Frame &frame) {
  for (double loss = 0; loss <= frame.highest; loss += 0.5) {
    os << "<line x1='" << frame.left << "' x2='" << frame.right << "' y1='" << frame.y(loss)
       << "' y2='" << frame.y(loss) << "' stroke='#ddd'/>\n";
    std::ostringstream label;
    label << loss;
    text(os, frame.left - 8, frame.y(loss) + 4, "end", label.str());
  }
  for (int i = 0; i <= 4; ++i) {
    double step = std::round(frame.lastStep * i / 4);
    text(os, frame.x(step), frame.bottom + 18, "middle", std::to_string(int(step)));
  }
  text(os, (frame.left + frame.right) / 2, frame.bottom + 38, "middle", "training step");
  text(os, frame.left - 40, frame.top - 16, "start", "loss, nats per character");
}
} // namespace

bool LossCurve::write(const std::string &path) const {
  Frame frame;
  frame.lastStep = 1;
  frame.highest = 1;
  for (const auto *points : {&training, &validation})
    for (auto [step, loss] : *points) {
      frame.lastStep = std::max(frame.lastStep, step);
      if (std::isfinite(loss))
        frame.highest = std::max(frame.highest, std::ceil(loss));
    }
  std::ofstream os(path);
  os << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 780 450' font-family='sans-serif' "
        "font-size='12'>\n"
     << "<rect width='780' height='450' fill='white'/>\n";
  axes(os, frame);
  line(os, frame, training, "stroke='#9bbfe0' stroke-width='1'");
  line(os, frame, validation, "stroke='#c0392b' stroke-width='2'");
  line(os, frame, {{0, reference}, {frame.lastStep, reference}},
       "stroke='#555' stroke-dasharray='6 4'");
  text(os, frame.right, frame.y(reference) - 6, "end", referenceName, "#555");
  text(os, frame.right, frame.top + 4, "end", "training", "#5b93c7");
  text(os, frame.right, frame.top + 20, "end", "validation", "#c0392b");
  os << "</svg>\n";
  os.close();
  return os.good();
}
