// Losses of several runs in a single picture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LOSS_SCALING_PLOT_H
#define LOSS_SCALING_PLOT_H

#include <string>
#include <vector>

class Plot {
public:
  /// A point of a line stands for `every` steps.
  Plot(std::string title, int every) : title(std::move(title)), every(every) {}
  void add(std::string name, std::vector<double> losses) {
    lines.push_back({std::move(name), std::move(losses)});
  }
  /// Writes an SVG with a logarithmic axis of losses; false if the file cannot be written.
  bool write(const std::string &path) const;

private:
  struct Line {
    std::string name;
    std::vector<double> losses;
  };
  std::string title;
  int every;
  std::vector<Line> lines;
};
#endif
