// Initial values of parameters and buffers, from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/InitialData.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Data/Convert.h"
#include "ampc/Data/Formats.h"
#include "ampc/Data/Paths.h"
#include "ampc/Import/ONNX.h"
#include "ampc/Support/Nearest.h"
#include "lib/Package/Mirrors.h"
#include "lib/Package/TensorFiles.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace ampc;

void ampc::resolveInitialData(ModuleOp module, StringRef modelFile) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](train::DataAttr data) -> std::optional<Attribute> {
    SmallString<128> path(llvm::sys::path::parent_path(modelFile));
    if (llvm::sys::path::is_absolute(data.getFile().getValue()))
      return std::nullopt;
    llvm::sys::path::append(path, data.getFile().getValue());
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/false);
    return train::DataAttr::get(data.getContext(), StringAttr::get(data.getContext(), path),
                                data.getName());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/false);
}

const TensorFiles::File &TensorFiles::open(const std::string &path) {
  auto [place, isNew] = files.try_emplace(path);
  File &file = place->second;
  if (!isNew)
    return file;
  std::vector<std::string> skipped;
  auto arrays = isOnnx(path) ? readOnnxTensors(path, skipped, file.error)
                             : readSafetensors(path, skipped, file.error);
  if (arrays)
    file.arrays = std::move(*arrays);
  for (auto [number, each] : llvm::enumerate(file.arrays))
    file.numbers.try_emplace(each.name, number);
  return file;
}

/// Copy of the array in another type, in newly allocated memory.
static Array convert(const Converter &converter, const Array &from, ampc_dtype dtype) {
  Array array{elementOf(dtype), from.dims, nullptr, nullptr, 0};
  auto bytes = std::make_shared<std::vector<char>>(array.bytes());
  converter.convert(from.data, bytes->data(), from.count());
  array.data = bytes->data();
  array.mapping = std::move(bytes);
  return array;
}

/// Array of a .npy, .npz or raw file; `part` selects as behind the colon of `--data x=FILE:PART`.
static std::optional<Array> readOther(FileFormat format, const std::string &path,
                                      const std::string &part, StringRef state,
                                      std::string &error) {
  if (format == FileFormat::Npz)
    return readNpz(path, part, state.str(), error);
  if (format == FileFormat::Raw)
    return readRaw(path, part, error);
  if (part.empty())
    return readNpy(path, error);
  error = path + ": expected no name, since a .npy file has one array, but got '" + part + "'";
  return std::nullopt;
}

std::optional<Array> TensorFiles::find(StateOpInterface state, const std::string &path,
                                       const std::string &part) {
  // By the end of the path: a part in a foreign model opens no file beside the checked file.
  std::optional<FileFormat> format = formatOf(path);
  if (format == FileFormat::Npy || format == FileFormat::Npz || format == FileFormat::Raw) {
    std::string error;
    std::optional<Array> array = readOther(*format, path, part, state.getSymName(), error);
    if (!array)
      state->emitError() << error;
    return array;
  }
  const File &file = open(path);
  StringRef name = part.empty() ? state.getSymName() : StringRef(part);
  auto found = file.numbers.find(name);
  if (found != file.numbers.end())
    return file.arrays[found->second].array;
  auto names = llvm::map_to_vector(file.arrays, [](const NamedArray &each) { return each.name; });
  if (file.error.empty())
    state->emitError() << path << ": expected a tensor '" << name << "', but the file has none"
                       << didYouMean(name, names);
  else
    state->emitError() << file.error;
  return std::nullopt;
}

FailureOr<Array> TensorFiles::read(StateOpInterface state, ampc_dtype dtype) {
  auto data = cast<train::DataAttr>(state.getInit());
  std::string path = data.getFile().str(), part = data.getName() ? data.getName().str() : "";
  std::optional<Array> found = find(state, path, part);
  if (!found)
    return failure();
  const Array &array = *found;
  bool isNamed = !part.empty() && formatOf(path) != FileFormat::Raw;
  StringRef name = isNamed ? StringRef(part) : state.getSymName();
  auto mistake = [&] { return state->emitError() << path << ": tensor '" << name << "': "; };
  LogicalLayout outside = logicalLayoutOf(state, symbols);
  if (ArrayRef(outside.shape) != ArrayRef(array.dims)) {
    InFlightDiagnostic error = mistake()
                               << "expected shape [" << ArrayRef(outside.shape) << "], but got [";
    llvm::interleaveComma(array.dims, error);
    error << "]";
    return failure();
  }
  if (isReal(array.element) != isReal(elementOf(dtype))) {
    mistake() << "expected elements that are " << nameOf(dtype) << ", but got "
              << nameOf(array.element);
    return failure();
  }
  Converter converter(array.element, dtype);
  int64_t misfit = converter.findMisfit(array.data, array.count(), {});
  if (misfit >= 0) {
    mistake() << "expected " << describe(dtype, Limits()) << ", but got "
              << converter.text(array.data, misfit) << " at element " << misfit;
    return failure();
  }
  return array.element == elementOf(dtype) ? array : convert(converter, array, dtype);
}

template <typename Visit> static void forEachState(ModuleOp module, Visit visit) {
  for (auto model : targetModules(module).front().getOps<train::ModelOp>())
    for (auto state : model.getOps<StateOpInterface>())
      if (auto data = dyn_cast<train::DataAttr>(Attribute(state.getInit())))
        visit(state, data);
}

/// Real path; for a missing file the real path of the folder plus the name, so that paths outside
/// of the root are rejected whether or not the file exists.
static std::string realPathOf(StringRef path) {
  std::string real = realPath(path.str());
  if (!real.empty())
    return real;
  SmallString<128> named(path);
  llvm::sys::path::remove_dots(named, /*remove_dot_dot=*/true);
  std::string folder = realPath(llvm::sys::path::parent_path(named).str());
  return folder.empty() ? named.str().str() : folder + "/" + llvm::sys::path::filename(named).str();
}

LogicalResult ampc::confineInitialData(ModuleOp module, StringRef modelFile, StringRef root) {
  SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::real_path(root, folder))
    return module.emitError() << "--data-root=" << root << ": " << code.message();
  std::string model = realPathOf(modelFile);
  bool good = true;
  forEachState(module, [&](StateOpInterface state, train::DataAttr data) {
    StringRef named = data.getFile().getValue();
    std::string path = realPathOf(named);
    if (path == model || isInside(path, folder.str().str()))
      return;
    InFlightDiagnostic error = state->emitError() << "expected a file in " << root
                                                  << " (--data-root), but got " << named;
    if (path != named)
      error << ", which is " << path;
    good = false;
  });
  return success(good);
}

LogicalResult ampc::checkInitialData(ModuleOp module) {
  TensorFiles files;
  bool good = true;
  forEachState(module, [&](StateOpInterface state, train::DataAttr) {
    // Other types are rejected with the interface.
    auto dtype = dtypeOf(cast<RankedTensorType>(state.getType()).getElementType());
    good &= !dtype || succeeded(files.read(state, ampc_dtype(*dtype)));
  });
  return success(good);
}

std::vector<std::string> ampc::filesOfInitialData(ModuleOp module) {
  std::set<std::string> files;
  forEachState(module,
               [&](StateOpInterface, train::DataAttr data) { files.insert(data.getFile().str()); });
  return {files.begin(), files.end()};
}

/// Array of `dims` with all elements equal to `number`.
static Array filled(ampc_dtype dtype, ArrayRef<int64_t> dims, double number) {
  Array one{Element::F64, {dims.begin(), dims.end()}, nullptr, nullptr, 0};
  std::vector<double> numbers(one.count(), number);
  one.data = numbers.data();
  return convert(Converter(Element::F64, dtype), one, dtype);
}

std::optional<std::vector<NamedArray>> ampc::trainedInitialData(ModuleOp module) {
  TensorFiles files;
  SymbolTableCollection symbols;
  std::vector<NamedArray> values;
  bool hasParameters = false, hasData = false;
  for (auto model : targetModules(module).front().getOps<train::ModelOp>())
    for (auto state : model.getOps<StateOpInterface>()) {
      auto type = cast<RankedTensorType>(state.getType());
      auto dtype = dtypeOf(type.getElementType());
      Initializer init = state.getInit().getInitializer();
      bool isData = init.kind == Initializer::Data;
      if (!dtype || (!isData && init.kind != Initializer::Constant))
        return std::nullopt;
      FailureOr<Array> value =
          isData ? files.read(state, ampc_dtype(*dtype))
                 : filled(ampc_dtype(*dtype), logicalLayoutOf(state, symbols).shape, init.a);
      if (failed(value))
        return std::nullopt;
      bool isParameter = isa<train::ParamOp>(state.getOperation());
      hasParameters |= isParameter;
      hasData |= isParameter && isData;
      values.push_back({state.getSymName().str(), std::move(*value)});
    }
  return hasData || !hasParameters ? std::optional(std::move(values)) : std::nullopt;
}
