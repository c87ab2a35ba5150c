// From SIGILL to the emulator and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include <atomic>
#include <cpuid.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

using namespace ampc::test;

static std::atomic<uint64_t> products, halfProducts;

static std::atomic<uint64_t> &counterOf(TileOperation operation) {
  return operation == TileOperation::ProductF16 ? halfProducts : products;
}

static int64_t registerOf(const ucontext_t *context, int number) {
  static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};
  return context->uc_mcontext.gregs[order[number]];
}

static const char *execute(const TileInstruction &code, const ucontext_t *context) {
  TileState &state = TileState::current();
  int64_t address = code.displacement, index = 0;
  if (code.base >= 0)
    address += registerOf(context, code.base);
  if (code.fromNext)
    address += context->uc_mcontext.gregs[REG_RIP] + code.length;
  if (code.index >= 0)
    index = registerOf(context, code.index) << code.scale;
  auto *memory = reinterpret_cast<uint8_t *>(address);
  switch (code.operation) {
  case TileOperation::LoadConfig:
    return state.loadConfig(memory + index);
  case TileOperation::StoreConfig:
    state.storeConfig(memory + index);
    return nullptr;
  case TileOperation::Release:
    state.release();
    return nullptr;
  case TileOperation::Zero:
    return state.zero(code.tile);
  case TileOperation::Load: // the index is the distance of rows
  case TileOperation::LoadHint:
    return state.load(code.tile, memory, index);
  case TileOperation::Store:
    return state.store(code.tile, memory, index);
  case TileOperation::ProductBF16:
  case TileOperation::ProductF16:
    ++counterOf(code.operation);
    return state.product(code.operation, code.tile, code.left, code.right);
  }
  return "expected a tile instruction";
}

static void onIllegalInstruction(int, siginfo_t *, void *data) {
  auto *context = static_cast<ucontext_t *>(data);
  auto *code = reinterpret_cast<const uint8_t *>(context->uc_mcontext.gregs[REG_RIP]);
  std::optional<TileInstruction> instruction = decodeTileInstruction(code);
  const char *error = instruction ? execute(*instruction, context) : "unknown instruction";
  if (!error) {
    context->uc_mcontext.gregs[REG_RIP] += instruction->length;
    return;
  }
  const char *parts[] = {"AMX emulator: ", error, "\n"};
  for (const char *part : parts)
    if (write(2, part, std::strlen(part)) < 0)
      break;
  std::signal(SIGILL, SIG_DFL); // the instruction runs again, and the process ends
}

bool ampc::test::hasNativeAmx() {
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24;
  constexpr int requestPermission = 0x1023, tileData = 18;
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bf16) && (d & tile) &&
         syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

bool ampc::test::hasNativeAmxF16() {
  constexpr unsigned f16 = 1u << 21;
  unsigned a, b, c, d;
  return hasNativeAmx() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & f16);
}

bool ampc::test::emulateAmx() {
  static const bool emulated = [] {
    if (hasNativeAmx())
      return false;
    struct sigaction action = {};
    action.sa_sigaction = onIllegalInstruction;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGILL, &action, nullptr) == 0;
  }();
  return emulated;
}

uint64_t ampc::test::emulatedProducts(TileOperation operation) { return counterOf(operation); }
