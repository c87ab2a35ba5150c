// Comparison of two reports, as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Report/Report.h"
#include "ampc/Support/Json.h"
#include "ampc/Support/Mistake.h"
#include "llvm/Support/FormatVariadic.h"

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;
namespace json = llvm::json;

static llvm::Expected<json::Value> parse(ReportText text) {
  llvm::Expected<json::Value> value = parseJson(text.json);
  if (!value)
    return mistake(text.file + ": expected JSON, but got: " + llvm::toString(value.takeError()));
  const json::Object *report = value->getAsObject();
  if (!report || report->getString("schema") != StringRef("ampc-report"))
    return mistake(text.file + ": expected a report of ampc report --json, but got " +
                   (report ? "an object without the schema" : "no object"));
  std::optional<int64_t> version = report->getInteger("version");
  if (version != schemaVersion)
    return mistake(text.file + ": expected version " + llvm::Twine(schemaVersion) + ", but got " +
                   (version ? llvm::Twine(*version).str() : "none"));
  return value;
}

namespace {
using Rows = std::map<std::string, const json::Object *>;

class Comparison {
public:
  explicit Comparison(llvm::raw_ostream &os) : os(os) {}
  void compare(const json::Object &before, const json::Object &after);
  bool foundAny = false;

private:
  void compareNumbers(const std::string &title, const json::Object *before,
                      const json::Object *after);
  void compareRows(StringRef step, StringRef kind, const json::Object &before,
                   const json::Object &after, llvm::ArrayRef<StringRef> fields);
  static Rows rowsOf(const json::Object &object, StringRef list, StringRef key);
  static std::string textOf(const json::Value *value) {
    return value ? llvm::formatv("{0}", *value).str() : "none";
  }
  llvm::raw_ostream &line() {
    foundAny = true;
    return os;
  }

  llvm::raw_ostream &os;
};
} // namespace

Rows Comparison::rowsOf(const json::Object &object, StringRef list, StringRef key) {
  Rows rows;
  if (const json::Array *array = object.getArray(list))
    for (const json::Value &value : *array)
      if (const json::Object *row = value.getAsObject())
        if (std::optional<StringRef> id = row->getString(key))
          rows[id->str()] = row;
  return rows;
}

/// Compares the leaves of two objects by path, e.g. "memory.arena_bytes".
void Comparison::compareNumbers(const std::string &title, const json::Object *before,
                                const json::Object *after) {
  std::map<std::string, std::pair<const json::Value *, const json::Value *>> entries;
  if (before)
    for (const auto &entry : *before)
      entries[entry.first.str()].first = &entry.second;
  if (after)
    for (const auto &entry : *after)
      entries[entry.first.str()].second = &entry.second;
  for (auto &[key, values] : entries) {
    auto [a, b] = values;
    const json::Object *inner = a ? a->getAsObject() : nullptr;
    const json::Object *other = b ? b->getAsObject() : nullptr;
    if (inner || other)
      compareNumbers(title + " " + key, inner, other);
    else if (!a || !b || *a != *b)
      line() << title << " " << key << ": " << textOf(a) << " -> " << textOf(b) << "\n";
  }
}

void Comparison::compareRows(StringRef step, StringRef kind, const json::Object &before,
                             const json::Object &after, llvm::ArrayRef<StringRef> fields) {
  Rows left = rowsOf(before, kind, "id"), right = rowsOf(after, kind, "id");
  for (auto &[id, row] : left) {
    auto found = right.find(id);
    if (found == right.end()) {
      line() << "- " << step << " " << id << "\n";
      continue;
    }
    for (StringRef field : fields) {
      const json::Value *a = row->get(field), *b = found->second->get(field);
      if (!a != !b || (a && *a != *b))
        line() << "  " << step << " " << id << " " << field << ": " << textOf(a) << " -> "
               << textOf(b) << "\n";
    }
  }
  for (auto &[id, row] : right)
    if (!left.count(id))
      line() << "+ " << step << " " << id << "\n";
}

void Comparison::compare(const json::Object &before, const json::Object &after) {
  for (StringRef part : {"options", "state_bytes", "scratch_bytes_per_thread"})
    compareNumbers(part.str(), before.getObject(part), after.getObject(part));
  Rows left = rowsOf(before, "steps", "name"), right = rowsOf(after, "steps", "name");
  for (auto &[name, step] : left) {
    auto found = right.find(name);
    if (found == right.end()) {
      line() << "- step " << name << "\n";
      continue;
    }
    for (StringRef part :
         {"totals", "counts", "policy_costs", "loss_scaling", "nonfinite", "numbers"})
      compareNumbers(name + " " + part.str(), step->getObject(part),
                     found->second->getObject(part));
    compareRows(
        name, "operations", *step, *found->second,
        {"computes", "stored", "rule", "shape", "bytes", "saved_bytes", "rounds", "body_rounds"});
    compareRows(name, "casts", *step, *found->second, {"from", "to", "bytes", "of", "rounds"});
  }
  for (auto &[name, step] : right)
    if (!left.count(name))
      line() << "+ step " << name << "\n";
}

llvm::Expected<bool> report::printDifferences(llvm::raw_ostream &os, ReportText before,
                                              ReportText after) {
  llvm::Expected<json::Value> left = parse(before);
  if (!left)
    return left.takeError();
  llvm::Expected<json::Value> right = parse(after);
  if (!right)
    return right.takeError();
  Comparison comparison(os);
  comparison.compare(*left->getAsObject(), *right->getAsObject());
  return comparison.foundAny;
}
