// Packages a planned model, then uses the library like users: from C, from C++, next to another
// model, under sanitizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Package.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Package/Loader.h"
#include "ampc/Runtime/Runtime.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

using namespace mlir;
using namespace ampc;

namespace {
std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
std::string readText(const std::string &path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
std::string input(const std::string &name) { return std::string(AMPC_TEST_INPUTS) + "/" + name; }

struct Package : testing::Test {
  std::string folder = AMPC_TEST_OUTPUT, errors;
  MLIRContext context;

  Package() : context(registry()) {
    context.getDiagEngine().registerHandler([this](Diagnostic &d) { errors += d.str() + "\n"; });
    mkdir(folder.c_str(), 0777);
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<train::TrainDialect, kernel::KernelDialect>();
    registerTargets(registry);
    registerPackageDialects(registry);
    return registry;
  }
  OwningOpRef<ModuleOp> emit(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return module;
    PassManager pm(&context);
    addEmission(pm, *allTargets().front(), {});
    if (failed(pm.run(*module)))
      return nullptr;
    return module;
  }
  FailureOr<PackagedModel> package(const std::string &text, PackageOptions options = {}) {
    OwningOpRef<ModuleOp> module = emit(text);
    if (!module)
      return failure();
    return packageModel(*module, options);
  }
  void write(const std::string &name, const std::string &into, PackageOptions options = {}) {
    OwningOpRef<ModuleOp> module =
        emit(replaceAll(readText(input("line.mlir")), "@line", "@" + name));
    ASSERT_TRUE(module) << errors;
    FailureOr<PackagedModel> model = packageModel(*module, options);
    ASSERT_TRUE(succeeded(model)) << errors;
    ASSERT_TRUE(succeeded(writePackage(*module, *model, into))) << errors;
  }
  /// Runs a shell command; the output goes into `errors`.
  int shell(const std::string &command) {
    int status = std::system(("cd " + folder + " && (" + command + ") > log 2>&1").c_str());
    errors = readText(folder + "/log");
    return status;
  }
  void expectError(const std::string &from, const std::string &to, const std::string &message) {
    errors.clear();
    std::string text = readText(input("line.mlir")), changed = replaceAll(text, from, to);
    EXPECT_NE(text, changed) << from;
    EXPECT_TRUE(failed(package(changed)));
    EXPECT_NE(errors.find(message), std::string::npos) << errors << "expected: " << message;
  }
};
const std::string cc = AMPC_TEST_CC, strict = " -std=c99 -pedantic -Wall -Wextra -Werror -I. ";
} // namespace

TEST_F(Package, RunsFromCBesideAnotherModel) {
  write("line", folder);
  write("curve", folder);
  ASSERT_EQ(0, shell(cc + strict + input("use.c") +
                     " libline.a libcurve.a -pthread -o use && ./use state.safetensors"))
      << errors;
  std::string best = errors;
  for (const char *tier : {"plain", "avx2"}) {
    if (std::string(tier) == "avx2" && !__builtin_cpu_supports("avx2"))
      continue;
    ASSERT_EQ(0, shell(std::string("AMPC_ISA=") + tier + " ./use state.safetensors")) << errors;
    EXPECT_EQ(errors.substr(0, errors.find(' ')), tier);
  }
}

TEST_F(Package, HeaderServesCpp) {
  write("line", folder);
  write("curve", folder);
  std::ofstream(folder + "/twice.cpp")
      << "#include \"line.h\"\n#include \"curve.h\"\n#include \"line.h\"\n"
         "int main() { return line_abi_version() - curve_abi_version(); }\n";
  EXPECT_EQ(0,
            shell(std::string(AMPC_TEST_CXX) + " -std=c++11 -Wall -Wextra -Werror -I. twice.cpp "
                                               "libline.a libcurve.a -pthread -o twice && ./twice"))
      << errors;
}

// No hidden dependencies: external symbols are exactly this list, and exported names start with the
// model's name.
TEST_F(Package, SymbolsAreAFixedList) {
  write("line", folder);
  ASSERT_EQ(
      0,
      shell("nm -u libline.a | awk '/ U /{print $2}' | grep -vE '^line_.*_(k[0-9]+|model)' | sort "
            "-u | tr '\\n' ' '"));
  std::string expected;
#define AMPC_EXTERNAL(name) expected += #name " ";
#include "ampc/Package/Externals.def"
  EXPECT_EQ(errors, expected);
  auto manifest = llvm::json::parse(readText(folder + "/line.json"));
  ASSERT_TRUE(bool(manifest));
  std::string listed;
  for (const llvm::json::Value &symbol : *manifest->getAsObject()->getArray("external_symbols"))
    listed += symbol.getAsString()->str() + " ";
  EXPECT_EQ(errors, listed);
  ASSERT_EQ(0, shell("nm -g --defined-only libline.a | awk 'NF==3{print $3}' | grep -v '^line_' | "
                     "tr '\\n' ' '; "
                     "nm libline.a | awk 'NF == 3 && $2 ~ /[dDbBC]/ && $3 !~ "
                     "/^(line_[0-9a-f]+_model|ampc.table)/{print $3}'"));
  EXPECT_EQ(errors, ""); // neither foreign names nor mutable globals
}

// A call to an unknown function is an error when the library is made, not at link time.
TEST_F(Package, UnknownFunctionIsRefused) {
  OwningOpRef<ModuleOp> module = emit(readText(input("line.mlir")));
  ASSERT_TRUE(module) << errors;
  auto tier = *module->getOps<ModuleOp>().begin();
  OpBuilder builder = OpBuilder::atBlockBegin(tier.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context), {});
  auto callee = LLVM::LLVMFuncOp::create(builder, tier.getLoc(), "nowhere", type);
  auto kernel = llvm::find_if(tier.getOps<LLVM::LLVMFuncOp>(),
                              [](LLVM::LLVMFuncOp function) { return !function.isExternal(); });
  builder.setInsertionPointToStart(&(*kernel).getBody().front());
  LLVM::CallOp::create(builder, tier.getLoc(), callee, ValueRange());
  EXPECT_TRUE(failed(packageModel(*module, {})));
  EXPECT_NE(errors.find("internal error: the code of @line calls 'nowhere', which no library "
                        "defines"),
            std::string::npos)
      << errors;
}

TEST_F(Package, ManifestSaysWhatIsInside) {
  write("line", folder);
  auto parsed = llvm::json::parse(readText(folder + "/line.json"));
  ASSERT_TRUE(bool(parsed));
  llvm::json::Object &manifest = *parsed->getAsObject();
  EXPECT_EQ(manifest.getString("name"), "line");
  EXPECT_EQ(manifest.getArray("tensors")->size(), 5u);
  EXPECT_EQ((*manifest.getArray("tensors"))[1].getAsObject()->getString("role"), "moment");
  EXPECT_EQ((*manifest.getArray("tensors"))[1].getAsObject()->getInteger("offset"), 64);
  EXPECT_EQ(manifest.getInteger("peak_arena_bytes"), 64);
  EXPECT_EQ(manifest.getString("state_hash")->size(), 16u);
  std::string hash = manifest.getString("plan_hash")->str();
  write("line", folder); // the same input gives the same bytes
  EXPECT_EQ(
      llvm::json::parse(readText(folder + "/line.json"))->getAsObject()->getString("plan_hash"),
      hash);
}

/// Bits of the first weight after 50 steps of line.mlir in this process.
static uint32_t trainInProcess(const PackagedModel &packaged) {
  llvm::Expected<std::unique_ptr<LoadedModel>> loaded = LoadedModel::load(packaged);
  if (!loaded) {
    ADD_FAILURE() << llvm::toString(loaded.takeError());
    return 0;
  }
  ampc_options options = {};
  options.size = sizeof options;
  options.seed = 7;
  ampc_state *state = nullptr;
  EXPECT_EQ(ampc_rt_create(&(*loaded)->model(), &options, &state), AMPC_OK);
  const float x[8] = {1, -0.5f, 2, 0.25f, 1, 1.5f, -1, 0.5f};
  const int32_t label[8] = {0, 1, 2, 3, 4, 5, 6, 9};
  struct {
    uint32_t size, valid;
    float factor;
    uint32_t flags;
    void *workspace;
    const void *x, *label;
  } in = {sizeof in, 0, 0, 0, nullptr, x, label};
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(ampc_rt_run(state, 0, reinterpret_cast<const ampc_run_in *>(&in), nullptr), AMPC_OK);
  uint32_t bits = *static_cast<uint32_t *>(ampc_rt_tensor_data(state, 0));
  ampc_rt_destroy(state);
  return bits;
}

TEST_F(Package, RunsInProcessWithEqualBits) {
  write("line", folder);
  write("curve", folder);
  ASSERT_EQ(0, shell(cc + strict + input("use.c") +
                     " libline.a libcurve.a -pthread -o use && ./use state.safetensors"))
      << errors;
  unsigned expected = std::stoul(errors.substr(errors.find(' ') + 1), nullptr, 16);
  FailureOr<PackagedModel> packaged = package(readText(input("line.mlir")));
  ASSERT_TRUE(succeeded(packaged)) << errors;
  EXPECT_EQ(trainInProcess(*packaged), expected);
  llvm::Expected<std::unique_ptr<LoadedModel>> loaded = LoadedModel::load(*packaged);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_FALSE(llvm::errorToBool((*loaded)->lookup("line_train_step").takeError()));
  EXPECT_FALSE(llvm::errorToBool((*loaded)->lookup("line_save").takeError()));
  EXPECT_TRUE(llvm::errorToBool((*loaded)->lookup("line_sing").takeError()));
}

static std::string planHash(const PackagedModel &model) {
  return llvm::cantFail(llvm::json::parse(model.manifest))
      .getAsObject()
      ->getString("plan_hash")
      ->str();
}

TEST_F(Package, OneTierOfALibraryHasItsHash) {
  FailureOr<PackagedModel> all = package(readText(input("line.mlir")));
  ASSERT_TRUE(succeeded(all)) << errors;
  for (int32_t tier : {AMPC_TIER_PLAIN, AMPC_TIER_AVX2}) {
    PackageOptions options;
    options.pickTier = [&](llvm::StringRef, llvm::ArrayRef<uint32_t> tiers) {
      return tiers[0] >> tier & 1 ? std::optional(PickedTier{0, tier}) : std::nullopt;
    };
    FailureOr<PackagedModel> one = package(readText(input("line.mlir")), options);
    ASSERT_TRUE(succeeded(one)) << errors;
    EXPECT_EQ(planHash(*one), planHash(*all));
    EXPECT_LT(one->archive->getBufferSize(), all->archive->getBufferSize() / 2);
    llvm::Expected<std::unique_ptr<LoadedModel>> loaded = LoadedModel::load(*one);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    const ampc_model &model = (*loaded)->model();
    EXPECT_EQ(model.tiers, 1u << tier);
    for (int32_t k = 0; k < model.kernel_count; ++k)
      for (int32_t t = 0; t < model.tier_count; ++t)
        EXPECT_EQ(model.kernels[k].code[t].run != nullptr, model.first_tier + t == tier);
  }
  FailureOr<PackagedModel> other =
      package(replaceAll(readText(input("line.mlir")), "arith.addf", "arith.subf"));
  ASSERT_TRUE(succeeded(other)) << errors;
  EXPECT_NE(planHash(*other), planHash(*all));
}

// Code in the cache is neither compiled again nor other code.
TEST_F(Package, KernelsOfSeveralModelsAreCompiledOnce) {
  KernelObjects kernels;
  PackageOptions options;
  options.pickTier = [](llvm::StringRef, llvm::ArrayRef<uint32_t>) {
    return PickedTier{0, AMPC_TIER_PLAIN};
  };
  std::string text = readText(input("line.mlir")),
              changed = replaceAll(text, "arith.addf", "arith.subf");
  FailureOr<PackagedModel> plain = package(text, options), other = package(changed, options);
  ASSERT_TRUE(succeeded(plain) && succeeded(other)) << errors;
  options.kernels = &kernels;
  std::vector<size_t> sizes;
  for (const std::string &model : {text, text, changed, changed}) {
    FailureOr<PackagedModel> packaged = package(model, options);
    ASSERT_TRUE(succeeded(packaged)) << errors;
    EXPECT_EQ(trainInProcess(*packaged), trainInProcess(model == text ? *plain : *other));
    sizes.push_back(kernels.size());
  }
  EXPECT_EQ(sizes[0], sizes[1]);
  EXPECT_LT(sizes[1], sizes[2]);
  EXPECT_LT(sizes[2], 2 * sizes[0]); // kernels without a sum are the same
  EXPECT_EQ(sizes[2], sizes[3]);
}

TEST_F(Package, AddressSanitizerSeesAnOverflow) {
  write("line", folder + "/asan", {Sanitizer::Address});
  ASSERT_EQ(0, shell(cc + " -g -fsanitize=address -Iasan " + input("overflow.c") +
                     " asan/libline.a -pthread -o overflow"))
      << errors;
  EXPECT_NE(0, shell("ASAN_OPTIONS=detect_leaks=0 ./overflow"));
  EXPECT_NE(errors.find("heap-buffer-overflow"), std::string::npos) << errors;
  EXPECT_NE(errors.find("line_k"), std::string::npos) << errors; // in the emitted code
}

TEST_F(Package, ThreadSanitizerSeesARace) {
  write("line", folder + "/tsan", {Sanitizer::Thread});
  ASSERT_EQ(0, shell(cc + " -g -fsanitize=thread -Itsan " + input("race.c") +
                     " tsan/libline.a -pthread -o race"))
      << errors;
  EXPECT_EQ(0, shell("./race in-order")) << errors;
  EXPECT_EQ(0, shell("./race dynamic")) << errors;
  EXPECT_NE(0, shell("./race"));
  EXPECT_NE(errors.find("data race"), std::string::npos) << errors;
  EXPECT_NE(errors.find("line_k"), std::string::npos) << errors;
}

TEST_F(Package, RefusesWhatItCannotPackage) {
  expectError("@line", "@\"my line\"",
              "expected a model name that is a C identifier, but got 'my line'");
  expectError("\"predict\"", "\"save\"", "expected another name for 'save'");
  expectError("\"predict\"", "\"7up\"",
              "expected an export name that is a C identifier, but got '7up'");
  expectError("role = #train.role<export>, ", "", "expected the role of a program of a library");
  expectError("#train.role<export>", "#train.role<loss>",
              "expected the role of a program of a library");
  expectError("#train.input<\"x\", batch = 0>", "#train.input<\"x\", batch = 0, part = 2>",
              "expected part 2 of input 'x' behind all earlier parts");
  expectError("#kernel.place<arena, 0, 0>", "#kernel.place<state, 0, 64>",
              "expected the loss to be computed before any state is written");
  expectError("#kernel.place<constant, 0, 0>", "#kernel.place<constant, 7, 0>",
              "expected a planned constant");
  expectError("[#kernel.place<constant, 0, 0>]", "[3 : i64]",
              "expected kernel.places to be one place per result, but got [3]");
  expectError(" {kernel.places = [#kernel.place<constant, 0, 0>]}", "",
              "expected a planned constant");
  expectError("        attributes {kernel.places = [#kernel.place<output, 0, 0>]} {", "        {",
              "expected every operand and result to have a place");
  expectError(
      "    kernel.return %y :", "    %z = train.neg %y : tensor<8xf32>\n    kernel.return %y :",
      "expected a kernel, a view or a constant in a program, but got train.neg");
  EXPECT_TRUE(succeeded(package(replaceAll(
      readText(input("line.mlir")), "    kernel.return %y :",
      "    %z = kernel.view %y : tensor<8xf32> to tensor<2x4xf32>\n    kernel.return %y :"))))
      << errors;
}

TEST_F(Package, ReportsAFolderThatCannotBeWritten) {
  OwningOpRef<ModuleOp> module = emit(readText(input("line.mlir")));
  ASSERT_TRUE(module) << errors;
  FailureOr<PackagedModel> model = packageModel(*module, {});
  ASSERT_TRUE(succeeded(model)) << errors;
  EXPECT_TRUE(failed(writePackage(*module, *model, "/proc/none")));
  EXPECT_NE(errors.find("/proc/none"), std::string::npos) << errors;
}
