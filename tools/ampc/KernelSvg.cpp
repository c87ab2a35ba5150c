// Flame graph of kernel times: each row of rectangles divides the row above.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Escape.h"
#include "tools/ampc/KernelProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace ampc;
using llvm::StringRef;

namespace {
/// Rectangle of the flame graph: a part of the step.
struct Frame {
  std::string name, note;
  int64_t nanoseconds = 0;
  size_t color = 0; ///< color of the stage
  std::vector<Frame> inner;

  /// Part of this name, added if missing. Kernels, which have a note, are never merged.
  Frame &part(StringRef name, size_t color) {
    for (Frame &known : inner)
      if (known.note.empty() && known.name == name)
        return known;
    inner.push_back({name.str(), "", 0, color, {}});
    return inner.back();
  }
  size_t depth() const {
    size_t most = 0;
    for (const Frame &frame : inner)
      most = std::max(most, frame.depth());
    return most + 1;
  }
};

/// Draws frames, inner frames below outer frames.
class Drawing {
public:
  Drawing(llvm::raw_ostream &os, int64_t total) : os(os), total(total) {}
  void draw(const Frame &frame, double left, size_t row);

  static constexpr double width = 1200, height = 20, top = 30;

private:
  llvm::raw_ostream &os;
  int64_t total;
};
} // namespace

/// Colours that are distinct for colour-blind people (Okabe and Ito 2008), lightened.
constexpr const char *colors[] = {"#dddddd", "#9ecfea", "#f3c77a", "#8fd0b5"};

void Drawing::draw(const Frame &frame, double left, size_t row) {
  double wide = width * frame.nanoseconds / total, y = top + height * row;
  if (wide < 0.3)
    return; // too narrow to see
  os << "<g><title>" << ampc::inMarkup(frame.name)
     << llvm::format(": %.3f ms, %.1f %%", 1e-6 * frame.nanoseconds,
                     100.0 * frame.nanoseconds / total)
     << ampc::inMarkup(frame.note) << "</title>"
     << llvm::format("<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\"/>",
                     left, y, wide, height - 1, colors[frame.color]);
  // A letter is about 7 units wide.
  if (size_t letters = wide / 7; letters > 3)
    os << llvm::format("<text x=\"%.2f\" y=\"%.0f\">", left + 3, y + 14)
       << ampc::inMarkup(StringRef(frame.name).take_front(letters)) << "</text>";
  os << "</g>\n";
  for (const Frame &inner : frame.inner) {
    draw(inner, left, row + 1);
    left += width * inner.nanoseconds / total;
  }
}

static Frame frameOf(size_t number, const TimedKernel &time, const KernelCost *cost, size_t color) {
  Frame frame{"#" + std::to_string(number + 1), "; ", time.nanoseconds, color, {}};
  if (!cost)
    return frame;
  frame.name += " " + cost->launch->kind;
  llvm::raw_string_ostream os(frame.note);
  os << cost->launch->form;
  if (time.nanoseconds > 0)
    os << llvm::format("; %.1f GFLOP/s, %.1f GB/s", cost->launch->work.flops() / time.nanoseconds,
                       double(cost->launch->work.bytes(false) + cost->launch->work.bytes(true)) /
                           time.nanoseconds);
  if (cost->predicted)
    os << llvm::format("; predicted %.3f ms", 1e-6 * cost->predicted->total);
  return frame;
}

void KernelProfile::writeSvg(llvm::raw_ostream &os, StringRef title) const {
  Frame root{title.str(), "", measured(), 0, {}};
  for (size_t i = 0; i < times.size(); ++i) {
    const TimedKernel &time = times[i];
    const KernelCost *cost = costOf(i);
    size_t color = cost ? 1 + size_t(cost->launch->stage) : 0;
    Frame *frame = &root;
    auto enter = [&](StringRef name) {
      frame = &frame->part(name, color);
      frame->nanoseconds += time.nanoseconds;
    };
    if (cost)
      enter(stringifyStage(cost->launch->stage));
    llvm::SmallVector<StringRef> words;
    StringRef(time.name).split(words, '/');
    llvm::for_each(words, enter);
    frame->inner.push_back(frameOf(i, time, cost, color));
  }
  double tall = Drawing::top + Drawing::height * root.depth();
  os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                     "font-family=\"monospace\" font-size=\"11\">\n",
                     Drawing::width, tall)
     << "<style>text { pointer-events: none } rect:hover { stroke: black }</style>\n"
     << llvm::format("<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", Drawing::width,
                     tall)
     << "<text x=\"3\" y=\"20\">" << ampc::inMarkup(title)
     << llvm::format(": %.3f ms in %zu kernels", 1e-6 * root.nanoseconds, times.size())
     << "</text>\n";
  Drawing(os, std::max<int64_t>(1, root.nanoseconds)).draw(root, 0, 0);
  os << "</svg>\n";
}
