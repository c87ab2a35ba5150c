// TMA and bulk copies against host slicing, and the rules of tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"

using namespace ptxsim;

namespace {

/// Loads a box into shared memory and copies the box out, or fills shared memory and stores a box.
std::string tensorKernel(unsigned rank, unsigned bytes, const std::string &store) {
  std::string coordinates, dims = std::to_string(rank) + "d";
  for (unsigned d = 0; d < rank; d++)
    coordinates += (d ? ", " : "") + std::string("%r") + std::to_string(20 + d);
  std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 "
      "map[128], .param .u64 data, .param .align 4 .b8 at[20])\n{\n"
      ".reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>;\n.shared .align 1024 .b8 s[" +
      std::to_string(bytes) +
      "]; .shared .align 8 .b64 bar;\n"
      "mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar; ld.param.u64 %rd0, [data]; mov.b64 "
      "%rd1, map; cvta.param.u64 %rd2, %rd1; setp.eq.u32 %p0, %r0, 0;\n";
  for (unsigned d = 0; d < rank; d++)
    text += "ld.param.u32 %r" + std::to_string(20 + d) + ", [at+" + std::to_string(4 * d) + "];\n";
  std::string walk = "shl.b32 %r3, %r0, 2; setp.ge.u32 %p3, %r3, " + std::to_string(bytes) +
                     "; @%p3 bra OVER;\nWALK: cvt.u64.u32 %rd3, %r3; add.u64 %rd4, %rd0, %rd3; "
                     "add.u32 %r4, %r1, %r3;\n";
  std::string next = "add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, " + std::to_string(bytes) +
                     "; @%p1 bra WALK;\nOVER:\n";
  if (store.empty())
    text += "@%p0 mbarrier.init.shared.b64 [%r2], 1; @%p0 fence.mbarrier_init.release.cluster; "
            "bar.sync 0; @%p0 "
            "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " +
            std::to_string(bytes) +
            ";\n"
            "@%p0 cp.async.bulk.tensor." +
            dims + ".shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, {" +
            coordinates +
            "}], [%r2];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;\n" +
            walk + "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd4], %r5;\n" + next;
  else
    text += walk + "ld.global.u32 %r5, [%rd4]; st.shared.u32 [%r4], %r5;\n" + next +
            "fence.proxy.async; bar.sync 0;\n@!%p0 bra END;\n" + store + dims +
            ".global.shared::cta" + (store.find("reduce") != std::string::npos ? ".add" : "") +
            ".bulk_group [%rd2, {" + coordinates +
            "}], [%r1];\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:\n";
  return text + "ret;\n}\n";
}

struct Box {
  unsigned rank;
  std::array<uint64_t, 5> size;
  std::array<uint32_t, 5> box;
  std::array<int32_t, 5> at;
  unsigned row = 0; ///< elements between rows of the tensor, 0: row length
};
const Box boxes[] = {{1, {40}, {16}, {8}},
                     {1, {40}, {16}, {-4}},
                     {1, {40}, {16}, {28}},
                     {2, {24, 10}, {8, 4}, {8, 3}},
                     {2, {24, 10}, {8, 4}, {-4, 8}},
                     {3, {12, 5, 4}, {8, 3, 2}, {8, -1, 3}},
                     {2, {10, 8}, {8, 4}, {4, 3}, 12},
                     {4, {8, 3, 4, 3}, {8, 2, 2, 2}, {4, 2, 3, -1}},
                     {5, {4, 3, 2, 3, 2}, {4, 2, 2, 2, 2}, {0, 2, 1, -1, 1}}};

/// Visits the elements of the box in order: f(position in the box, inside?, index in the tensor).
template <class F> void eachElement(const Box &b, F f) {
  size_t count = 1;
  for (unsigned d = 0; d < b.rank; d++)
    count *= b.box[d];
  for (size_t i = 0; i < count; i++) {
    size_t rest = i, index = 0, stride = 1;
    bool inside = true;
    for (unsigned d = 0; d < b.rank; d++) {
      int64_t x = b.at[d] + int64_t(rest % b.box[d]);
      rest /= b.box[d];
      inside &= x >= 0 && x < int64_t(b.size[d]);
      index += size_t(x) * stride;
      stride *= d == 0 && b.row ? b.row : b.size[d];
    }
    f(i, inside, index);
  }
}

TEST(Tensor, LoadsStoresAndReductions) {
  for (const Box &b : boxes)
    for (const std::string &store : {std::string(), std::string("cp.async.bulk.tensor."),
                                     std::string("cp.reduce.async.bulk.tensor.")}) {
      size_t total = 1, count = 1;
      TensorMapInfo info;
      info.type = TensorType::F32;
      info.rank = b.rank;
      info.size = b.size;
      info.box = b.box;
      for (unsigned d = 0; d < b.rank; d++) {
        info.stride[d] = 4 * total;
        total *= d == 0 && b.row ? b.row : b.size[d];
        count *= b.box[d];
      }
      std::vector<float> tensor(total), data(count);
      for (size_t i = 0; i < total; i++)
        tensor[i] = float(i + 1);
      for (size_t i = 0; i < count; i++)
        data[i] = 1000 + float(i);
      Options options;
      options.race = true;
      Device device(options);
      DeviceAddress t = device.allocate(4 * total, "tensor"),
                    p = device.allocate(4 * count, "data");
      device.write(t, tensor.data(), 4 * total);
      if (!store.empty())
        device.write(p, data.data(), 4 * count);
      info.base = t;
      Program program =
          device.load(Module::parse(tensorKernel(b.rank, unsigned(4 * count), store)));
      LaunchResult r =
          device.launch(program, "k", {{1, 1, 1}, {32, 1, 1}},
                        {argument(encodeTensorMap(info)), argument(p), argument(b.at)});
      for (const Finding &f : r.findings)
        ADD_FAILURE() << f.message;
      std::vector<float> got(store.empty() ? count : total), want = store.empty() ? data : tensor;
      device.read(got.data(), store.empty() ? p : t, 4 * got.size());
      eachElement(b, [&](size_t i, bool inside, size_t index) {
        if (store.empty())
          want[i] = inside ? tensor[index] : 0;
        else if (inside)
          want[index] =
              store.find("reduce") != std::string::npos ? tensor[index] + data[i] : data[i];
      });
      EXPECT_EQ(got, want) << b.rank << "d " << store;
    }
}

/// A box begins at any row, but in a row at a multiple of 16 bytes, for loads and stores.
TEST(Tensor, InnermostCoordinates) {
  for (TensorType type : {TensorType::F32, TensorType::BF16})
    for (const std::string &store : {std::string(), std::string("cp.async.bulk.tensor."),
                                     std::string("cp.reduce.async.bulk.tensor.")})
      for (int32_t at : {0, 1, 2, 4, 8, -3, -4, -8, 12}) {
        int32_t element = type == TensorType::F32 ? 4 : 2;
        TensorMapInfo info;
        info.type = type;
        info.rank = 2;
        info.size = {32, 8};
        info.stride = {0, uint64_t(32 * element)};
        info.box = {uint32_t(64 / element), 2};
        Device device;
        DeviceAddress p = device.allocate(128);
        info.base = device.allocate(1024);
        std::vector<uint8_t> bytes(1024);
        device.write(info.base, bytes.data(), 1024);
        device.write(p, bytes.data(), 128);
        Program program = device.load(Module::parse(tensorKernel(2, 128, store)));
        std::array<int32_t, 5> place = {at, 3};
        std::string message;
        try {
          device.launch(program, "k", {{1, 1, 1}, {32, 1, 1}},
                        {argument(encodeTensorMap(info)), argument(p), argument(place)});
        } catch (const Error &e) {
          message = e.what();
          EXPECT_EQ(e.kind, ErrorKind::Instruction);
        }
        std::string want = "a multiple of " + std::to_string(16 / element) +
                           " (16 bytes), but got " + std::to_string(at);
        EXPECT_EQ(message.find(want) != std::string::npos, at * element % 16 != 0)
            << message << " at " << at;
      }
}

TEST(Tensor, MapsAreChecked) {
  auto message = [](void (*change)(TensorMapInfo &)) -> std::string {
    TensorMapInfo i;
    i.size = {64, 64};
    i.stride = {0, 128};
    i.box = {64, 8};
    change(i);
    try {
      encodeTensorMap(i);
    } catch (const Error &e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](TensorMapInfo &) {}), "");
  EXPECT_NE(message([](TensorMapInfo &i) { i.base = 8; }).find("16 bytes"), std::string::npos);
  EXPECT_NE(message([](TensorMapInfo &i) { i.box[0] = 300; }).find("1 to 256"), std::string::npos);
  EXPECT_NE(message([](TensorMapInfo &i) { i.stride[1] = 100; }).find("multiple of 16"),
            std::string::npos);
  EXPECT_NE(message([](TensorMapInfo &i) { i.swizzle = Swizzle::Bytes64; }).find("at most 64"),
            std::string::npos);
  EXPECT_NE(message([](TensorMapInfo &i) { i.rank = 6; }).find("rank"), std::string::npos);
}

TEST(Tensor, ElementStrides) {
  // Rows 1, 4, 7 and 10 of 10 rows, the last of which is outside.
  TensorMapInfo info;
  info.type = TensorType::F32;
  info.rank = 2;
  info.size = {8, 10};
  info.stride = {0, 32};
  info.box = {8, 12};
  info.elementStride = {2, 3, 1, 1, 1}; // the first stride has no effect
  for (const std::string &store : {std::string(), std::string("cp.async.bulk.tensor.")}) {
    std::vector<float> tensor(80), data(32);
    for (size_t k = 0; k < 80; k++)
      tensor[k] = float(k);
    for (size_t k = 0; k < 32; k++)
      data[k] = 1000 + float(k);
    Options options;
    options.race = true;
    Device device(options);
    DeviceAddress t = device.allocate(320), p = device.allocate(128);
    device.write(t, tensor.data(), 320);
    device.write(p, data.data(), 128);
    info.base = t;
    Program program = device.load(Module::parse(tensorKernel(2, 128, store)));
    std::array<int32_t, 5> at = {0, 1};
    LaunchResult r = device.launch(program, "k", {{1, 1, 1}, {32, 1, 1}},
                                   {argument(encodeTensorMap(info)), argument(p), argument(at)});
    EXPECT_TRUE(r.findings.empty());
    std::vector<float> got(store.empty() ? 32 : 80), want = store.empty() ? data : tensor;
    for (size_t row = 0; row < 4; row++)
      for (size_t k = 0; k < 8; k++) {
        size_t from = (1 + 3 * row) * 8 + k;
        if (store.empty())
          want[row * 8 + k] = row < 3 ? tensor[from] : 0;
        else if (row < 3)
          want[from] = data[row * 8 + k];
      }
    device.read(got.data(), store.empty() ? p : t, 4 * got.size());
    EXPECT_EQ(got, want) << store;
  }
  info.elementStride[1] = 9;
  EXPECT_THROW(encodeTensorMap(info), Error);
}

TEST(Bulk, PlainCopyAndReduction) {
  std::string body =
      ".shared .align 16 .b8 s[128]; .shared .align 8 .b64 bar;\nmov.u32 %r0, %tid.x; mov.u32 %r1, "
      "s; mov.u32 %r2, bar; setp.eq.u32 %p0, %r0, 0;\n"
      "@%p0 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0; @!%p0 bra "
      "W;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 128, "
      "[%r2];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;\n@!%p0 bra E;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128; cp.async.bulk.commit_group; "
      "cp.async.bulk.wait_group 0;\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 128; "
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nE:\n";
  std::vector<uint8_t> in(128);
  for (uint32_t i = 0; i < 32; i++)
    std::memcpy(&in[4 * i], &(const uint32_t &)(i * 77), 4);
  noteTested(body);
  std::vector<uint8_t> out = runKernel(wrap(body, 2), {{1, 1, 1}, {32, 1, 1}}, {in}, 128);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t v;
    std::memcpy(&v, &out[4 * i], 4);
    EXPECT_EQ(v, 2 * i * 77);
  }
}

} // namespace
