// The report page: a single HTML file with styles, scripts and data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Escape.h"
#include "lib/Report/Facts.h"
#include "lib/Report/StepLayout.h"
#include "llvm/Support/FormatVariadic.h"

AMPC_EMBEDDED(reportHtml)
AMPC_EMBEDDED(reportStyle)
AMPC_EMBEDDED(reportScript)
AMPC_EMBEDDED(graphScript)
AMPC_EMBEDDED(detailsScript)
AMPC_EMBEDDED(tablesScript)

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;
namespace json = llvm::json;

/// Writes JSON into a script element; "<" is escaped, because "</script" would end the element.
static void writeData(llvm::raw_ostream &os, const json::Value &value) {
  std::string data = llvm::formatv("{0}", value).str();
  for (char c : data)
    if (c == '<')
      os << "\\u003c";
    else
      os << c;
}

/// Source lines that ops refer to. Long lines hold data and are cut.
static json::Object linesOf(const Compilation &compilation, llvm::ArrayRef<StringRef> lines) {
  static constexpr size_t longest = 240;
  json::Object object;
  auto add = [&](const SourceLocation &place) {
    if (place.line > 0 && size_t(place.line) <= lines.size()) {
      StringRef line = lines[place.line - 1].trim();
      std::string shown = line.take_front(longest).str() + (line.size() > longest ? " ..." : "");
      object[std::to_string(place.line)] = json::fixUTF8(shown);
    }
  };
  for (const Step &step : compilation.steps) {
    for (const Op &op : step.operations)
      add(op.place);
    for (const Cast &cast : step.casts)
      add(cast.place);
  }
  return object;
}

void report::writePage(llvm::raw_ostream &os, const json::Value &report, const Compilation &mixed,
                       llvm::ArrayRef<StringRef> sourceLines) {
  json::Array layouts;
  for (const Step &step : mixed.steps)
    layouts.push_back(toJson(layOut(step)));
  StringRef page = reportHtmlText();
  while (!page.empty()) {
    auto [before, rest] = page.split("{{");
    auto [key, after] = rest.split("}}");
    os << before;
    if (key == "title")
      os << ampc::inMarkup(mixed.model);
    else if (key == "style")
      os << reportStyleText();
    else if (key == "script")
      os << reportScriptText();
    else if (key == "graph")
      os << graphScriptText();
    else if (key == "details")
      os << detailsScriptText();
    else if (key == "tables")
      os << tablesScriptText();
    else if (key == "report")
      writeData(os, report);
    else if (key == "layouts")
      writeData(os, std::move(layouts));
    else if (key == "lines")
      writeData(os, linesOf(mixed, sourceLines));
    page = after;
  }
}
