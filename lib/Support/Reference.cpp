// Pages of docs/reference on the dialects, embedded because the compiler cannot query its TableGen
// definitions for parameter names or descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Reference.h"
#include "ampc/Support/Embedded.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

AMPC_EMBEDDED(trainReference)
AMPC_EMBEDDED(ampReference)
using namespace ampc;

static StringRef pageOf(StringRef dialect) {
  if (dialect == "train")
    return trainReferenceText();
  if (dialect == "amp")
    return ampReferenceText();
  return {};
}

StringRef ampc::documentationOf(StringRef op) {
  StringRef page = pageOf(op.split('.').first);
  size_t start = page.find(("\n### `" + op + "` (").str());
  if (start == StringRef::npos)
    return {};
  StringRef section = page.drop_front(start + 1).split('\n').second;
  // A section ends at the next op or heading, or at the comment that begins the next page.
  return section
      .take_front(
          std::min({section.find("\n### "), section.find("\n## "), section.find("\n<!-- ")}))
      .trim();
}

std::vector<std::string> ampc::attributesOf(StringRef dialect) {
  std::vector<std::string> names;
  std::string start = ("#" + dialect + ".").str();
  SmallVector<StringRef> lines;
  pageOf(dialect).split(lines, '\n');
  // A syntax with parameters is a block that begins with #train.sgd<, a syntax without is a line.
  // Examples and wrapped text may begin with an attribute, too, but have its parameters in the same
  // line.
  for (StringRef line : lines) {
    bool isWhole = line.consume_front("Syntax: `" + start);
    if (!isWhole && !line.consume_front(start))
      continue;
    StringRef name = line.take_while([](char c) { return isAlnum(c) || c == '_'; });
    if (isWhole || line.drop_front(name.size()) == "<")
      names.push_back(name.str());
  }
  return names;
}

std::vector<Parameter> ampc::parametersOf(StringRef attribute) {
  std::vector<Parameter> parameters;
  StringRef page = pageOf(attribute.split('.').first);
  size_t start = page.find(("\n#" + attribute + "<\n").str());
  if (start == StringRef::npos)
    return parameters;
  StringRef rest = page.drop_front(start + 1).split('\n').second;
  SmallVector<StringRef> lines;
  rest.take_front(rest.find("\n>")).split(lines, '\n');
  for (StringRef line : lines) {
    auto [type, name] = line.rsplit("# ");
    parameters.push_back({name.trim().str(), type.trim(" ,").str()});
  }
  return parameters;
}
