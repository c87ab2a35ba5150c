// Checkpoints: exact resume, and files that must not be believed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Proof.h"
#include "test/Runtime/FakeModel.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace fake;

/// Reads of files fail or end after so many more; negative: never.
static int readsLeft = -1;
static bool readsEnd = false;
extern "C" ssize_t pread(int file, void *data, size_t bytes, off_t offset) {
  if (readsLeft == 0) {
    errno = EIO;
    return readsEnd ? 0 : -1;
  }
  readsLeft -= readsLeft > 0;
  return syscall(SYS_pread64, file, data, bytes, offset);
}

namespace {
std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
void writeFile(const std::string &path, const std::string &data) {
  std::ofstream(path, std::ios::binary) << data;
}
std::string withHeader(std::string header, const std::string &data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), 8) + header + data;
}
std::string replace(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A file as written before headers had a version and a hash: an edit is not seen at once.
std::string older(const std::string &file) {
  uint64_t length;
  memcpy(&length, file.data(), 8);
  std::string header = file.substr(8, length);
  size_t begin = header.find("\"version\":"), end = header.find("\"model\":");
  EXPECT_NE(begin, std::string::npos);
  return withHeader(header.erase(begin, end - begin), file.substr(8 + length));
}

struct Checkpoint : testing::Test {
  std::string folder, path;
  ampc_state *a = nullptr, *b = nullptr;
  float x[kRows];
  int32_t labels[kRows] = {};

  static ampc_state *create(int threads, uint64_t seed, const ampc_model &which = model) {
    ampc_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.seed = seed;
    ampc_state *state = nullptr;
    EXPECT_EQ(ampc_rt_create(&which, &options, &state), AMPC_OK);
    return state;
  }
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/ampc-XXXXXX";
    folder = mkdtemp(pattern.data());
    path = folder + "/state.safetensors";
    a = create(1, 1);
    b = create(3, 99);
    for (int i = 0; i < kRows; ++i)
      x[i] = 0.01f * float(i + 1);
  }
  void TearDown() override {
    ampc_rt_destroy(a);
    ampc_rt_destroy(b);
    for (auto &name : files())
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }
  void train(ampc_state *state, int steps) {
    TrainIn in;
    in.x = x;
    in.label = labels;
    for (int i = 0; i < steps; ++i)
      ASSERT_EQ(ampc_rt_run(state, Train, &in, nullptr), AMPC_OK);
  }
  static std::vector<char> bytes(ampc_state *state) {
    auto *begin = static_cast<char *>(ampc_rt_tensor_data(state, W));
    return std::vector<char>(begin, begin + 12256);
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    DIR *dir = opendir(folder.c_str());
    while (dirent *entry = readdir(dir))
      if (entry->d_name[0] != '.')
        names.push_back(entry->d_name);
    closedir(dir);
    return names;
  }
  // The file is refused with a message that says this, and the state stays.
  void expectRefused(const std::string &data, const std::string &message, uint32_t flags = 0) {
    writeFile(path, data);
    auto before = bytes(b);
    EXPECT_EQ(ampc_rt_load(b, path.c_str(), flags), AMPC_E_CKPT_MISMATCH) << message;
    EXPECT_NE(std::string(ampc_rt_last_error(b)).find(message), std::string::npos)
        << ampc_rt_last_error(b) << "\nexpected: " << message;
    EXPECT_TRUE(before == bytes(b)) << message;
  }
};
} // namespace

TEST_F(Checkpoint, ResumesBitForBit) {
  train(a, 3);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK) << ampc_rt_last_error(a);
  EXPECT_EQ(files().size(), 1u); // no temporary file is left
  train(a, 5);
  ASSERT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
  train(b, 5);
  EXPECT_TRUE(bytes(a) == bytes(b)); // with three threads, and the working copy rebuilt
}

TEST_F(Checkpoint, WeightsOnly) {
  train(a, 3);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  writeFile(path, replace(older(readFile(path)), "\"state_hash\":\"0000000000001234\"",
                          "\"state_hash\":\"0000000000009999\""));
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_E_CKPT_MISMATCH);
  EXPECT_NE(std::string(ampc_rt_last_error(b))
                .find("expected state hash 0000000000001234, but got 0000000000009999"),
            std::string::npos);
  ASSERT_EQ(ampc_rt_load(b, path.c_str(), AMPC_LOAD_WEIGHTS), AMPC_OK) << ampc_rt_last_error(b);
  EXPECT_EQ(0, memcmp(ampc_rt_tensor_data(a, W), ampc_rt_tensor_data(b, W), 4000));
  EXPECT_EQ(0, memcmp(ampc_rt_tensor_data(a, W), ampc_rt_tensor_data(b, Working), 4000));
  EXPECT_EQ(*static_cast<int64_t *>(ampc_rt_tensor_data(b, StepSlot)), 0);
  EXPECT_EQ(*static_cast<float *>(ampc_rt_tensor_data(b, M)), 0);
}

// A file of another tool: other order, escapes, no metadata, blanks, an unknown tensor.
TEST_F(Checkpoint, ReadsForeignWeights) {
  std::string header =
      " {\n \"extra\" : {\"shape\":[2],\"data_offsets\":[14,16],\"dtype\":\"U8\"},"
      "\"w\":{\"dtype\":\"F32\",\"shape\":[1000],\"data_offsets\":[16,4016]},"
      "\"b\\\"\\\\\\n\\u00e9\":{\"data_offsets\":[0,14],\"dtype\":\"BF16\",\"shape\":[7]}}  ";
  std::string data(4016, '\1');
  writeFile(path, withHeader(header, data));
  ASSERT_EQ(ampc_rt_load(b, path.c_str(), AMPC_LOAD_WEIGHTS), AMPC_OK) << ampc_rt_last_error(b);
  EXPECT_EQ(0, memcmp(ampc_rt_tensor_data(b, W), data.data(), 4000));
  EXPECT_EQ(0, memcmp(ampc_rt_tensor_data(b, B), data.data(), 14));
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_E_CKPT_MISMATCH);
}

TEST_F(Checkpoint, RefusesDamagedFiles) {
  train(a, 1);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  std::string good = older(readFile(path));
  uint64_t length;
  memcpy(&length, good.data(), 8);
  std::string header = good.substr(8, length), data = good.substr(8 + length);
  for (size_t keep :
       {size_t(0), size_t(7), size_t(8), size_t(100), size_t(8 + length), good.size() - 1})
    expectRefused(good.substr(0, keep), "damaged file");
  expectRefused(good + "x", "the data to end with the file");
  std::string flipped = good;
  flipped[good.size() - 5] = char(flipped[good.size() - 5] ^ 16);
  expectRefused(flipped, "data with the recorded hash");
  auto edit = [&](const char *from, const char *to, const char *message) {
    expectRefused(withHeader(replace(header, from, to), data), message);
  };
  edit("\"w\":", "\"v\":", "the model has no tensor 'v'");
  edit("[1000]", "[500,2]", "tensor 'w': expected shape [1000], but got [500, 2]");
  edit("BF16", "F16", "expected type BF16, but got F16");
  edit("[0,4000]", "[0,3996]", "tensor 'w': expected 4000 bytes, but got 3996");
  edit("[0,4000]", "[4,4004]", "without gap or overlap");
  edit("[0,4000]", "[0,99999999999999999999]", "a whole number");
  edit("[0,4000]", "[-1,3999]", "a whole number");
  edit("\"fit.step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[8014,8022]},", "",
       "tensor 'fit.step' is missing");
  edit("\"fit.m.w\":", "\"w\":", "tensor 'w' occurs twice");
  // Tensors of equal shape with exchanged names, in a file with a hash of the data only.
  std::string exchanged = replace(header, "\"w\":", "\"?\":");
  exchanged = replace(replace(exchanged, "\"fit.m.w\":", "\"w\":"), "\"?\":", "\"fit.m.w\":");
  expectRefused(withHeader(exchanged, data), "tensors in the order of the state");
  edit("\"state_hash\":\"0000000000001234\"", "\"state_hash\":\"1234\"", "expected a state hash");
  // Other metadata of a foreign state gives a clearer message than the hash.
  std::string other = replace(header, "\"0000000000001234\"", "\"0000000000009999\"");
  expectRefused(withHeader(replace(other, "\"sgd\"", "\"adam\""), data),
                "train_step: expected a state of the optimizer sgd, but got a state of adam");
  expectRefused(
      withHeader(replace(replace(header, "\"sgd\"", "\"adam\""), "\"fit.m.w\":", "\"x\":"), data),
      "expected a state of the optimizer sgd, but got a state of adam");
  expectRefused(withHeader(replace(other, "\"fake\"", "\"real\""), data),
                "expected a state of the model fake, but got a state of real");
  edit("\"runs.train_step\":\"0", "\"runs.train_step\":\"f", "a number of runs with 16 digits");
  edit("\"dtype\":\"F32\",", "", "dtype, shape and data_offsets, each once");
  edit("\"dtype\":\"F32\"", "\"dtype\":\"F32\",\"dtype\":\"F32\"",
       "dtype, shape and data_offsets, each once");
  edit("\"format\":\"ampc\"", "\"format\":\"am\\qpc\"", "an escape of JSON");
  // Just before the closing quote, too.
  for (const char *name : {"\"w\\u0000\":", "\"w\\q\":", "\"w\\u12\":", "\"w\\ud800\":"})
    edit("\"w\":", name, "an escape of JSON");
  edit("\"format\":\"ampc\"", "\"format\":3", "a string");
  edit("\"format\":\"ampc\"", "\"format\":\"pt\"",
       "expected a checkpoint of ampc, but got a file of format 'pt'");
  edit("\"format\":\"ampc\"", "\"format\":\"ampc\",\"version\":\"99\"",
       "expected a checkpoint of version 2, but got version 99");
  expectRefused(withHeader(header + "{}", data), "nothing after the header's object");
  expectRefused(withHeader("[]", data), "a header that is a JSON object");
  expectRefused(withHeader("{}", ""), "a string");
  expectRefused(withHeader(std::string(300000, ' ') + header, data),
                "expected a header of at most");
  std::string huge = good;
  memset(huge.data(), 0xff, 8);
  expectRefused(huge, "a header that ends inside the file");
  writeFile(path, good);
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
}

/// Format, version and hashes as written by another program.
static std::string reproven(std::string header, const std::string &data) {
  size_t at = header.find("\"header_hash\":\"") + 15;
  header.replace(at, 16, 16, '0');
  char digits[17];
  snprintf(digits, sizeof digits, "%016llx",
           static_cast<unsigned long long>(ampc_rt_header_hash(header.data(), header.size())));
  return withHeader(header.replace(at, 16, digits), data);
}

// The meaning of a later version is unknown, and a negative counter would make weights NaN.
TEST_F(Checkpoint, RefusesNewerVersionsAndNegativeCounters) {
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  std::string good = readFile(path);
  uint64_t length;
  memcpy(&length, good.data(), 8);
  std::string header = good.substr(8, length), data = good.substr(8 + length);
  for (uint32_t flags : {AMPC_LOAD_ALL, AMPC_LOAD_WEIGHTS})
    expectRefused(reproven(replace(header, "\"version\":\"2\"", "\"version\":\"3\""), data),
                  "expected a checkpoint of version 2, but got version 3, written by a newer ampc",
                  flags);
  // The version of another program's format is not ampc's.
  std::string foreign = replace(replace(header, "\"format\":\"ampc\"", "\"format\":\"pt\""),
                                "\"version\":\"2\"", "\"version\":\"3\"");
  writeFile(path, reproven(foreign, data));
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), AMPC_LOAD_WEIGHTS), AMPC_OK) << ampc_rt_last_error(b);
  for (int64_t count : {int64_t(-5), int64_t(1) << 62, INT64_MAX}) {
    EXPECT_EQ(ampc_rt_set(a, StepSlot, &count, sizeof count), AMPC_E_ARG);
    EXPECT_STREQ(ampc_rt_last_error(a),
                 "set: 'fit.step': expected a number of updates in [0, 2^62)");
    memcpy(ampc_rt_tensor_data(a, StepSlot), &count, sizeof count); // past all checks
    ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
    expectRefused(readFile(path), "tensor 'fit.step': expected a number of updates in [0, 2^62)");
  }
}

// A check covers every bit of a file: names, offsets, counters, and the checks themselves.
TEST_F(Checkpoint, RefusesEveryFlippedBitAndLength) {
  train(a, 1);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  std::string good = readFile(path);
  uint64_t length;
  memcpy(&length, good.data(), 8);
  auto before = bytes(b);
  auto expectRefusal = [&](const char *what, size_t at) {
    for (uint32_t flags : {AMPC_LOAD_ALL, AMPC_LOAD_WEIGHTS})
      EXPECT_NE(ampc_rt_load(b, path.c_str(), flags), AMPC_OK) << what << " " << at;
    ASSERT_TRUE(bytes(b) == before) << what << " " << at;
  };
  int file = open(path.c_str(), O_RDWR);
  // AMPC_TEST_FULL: every bit, else one or two bits of each byte of the header.
  size_t next = getenv("AMPC_TEST_FULL") ? 1 : 7;
  for (size_t bit = 0; bit < 8 * good.size(); bit += bit < 8 * (8 + length) ? next : 599 * next) {
    char bad = char(good[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(pwrite(file, &bad, 1, off_t(bit / 8)), 1);
    expectRefusal("bit", bit);
    ASSERT_EQ(pwrite(file, &good[bit / 8], 1, off_t(bit / 8)), 1);
  }
  for (size_t keep = good.size() - 1; keep > 0; keep -= keep > 9 + length ? 61 : 1) {
    ASSERT_EQ(ftruncate(file, off_t(keep)), 0);
    expectRefusal("length", keep);
  }
  close(file);
  for (const char *key : {"\"version\"", "\"header_hash\"", "\"data_hash\""}) {
    std::string other(strlen(key), 'k');
    other.front() = other.back() = '"';
    writeFile(path, replace(good, key, other));
    expectRefusal(key, 0);
  }
  writeFile(path, older(good));
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
  writeFile(path, good);
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
}

// A lock on a hidden name, of a process that may only read the folder or that is stopped, is in
// nobody's way; where all names are taken a sentence says so after a second.
TEST_F(Checkpoint, WaitsForNoLock) {
  std::vector<int> held;
  auto take = [&](const std::string &suffix) {
    int file =
        open((folder + "/.state.safetensors.ampc-new" + suffix).c_str(), O_CREAT | O_RDONLY, 0444);
    ASSERT_EQ(flock(file, LOCK_SH), 0);
    held.push_back(file);
  };
  take("");
  train(a, 1);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK) << ampc_rt_last_error(a);
  ASSERT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
  std::string good = readFile(path);
  for (char c = '1'; c <= '7'; ++c)
    take(std::string(1, c));
  train(a, 1);
  EXPECT_EQ(ampc_rt_save(a, path.c_str()), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("state.safetensors: the temporary files"),
            std::string::npos)
      << ampc_rt_last_error(a);
  EXPECT_TRUE(readFile(path) == good);
  for (int file : held)
    close(file);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK) << ampc_rt_last_error(a);
  // The next save removes their hidden files.
  for (const char *name : {"", "1", "7"})
    EXPECT_NE(access((folder + "/.state.safetensors.ampc-new" + name).c_str(), F_OK), 0) << name;
}

// Any single byte of the header may change: an error or an equal state, never a crash or a
// half-loaded state. Older files lack a hash of the header.
TEST_F(Checkpoint, SurvivesAnyByteInTheHeader) {
  train(a, 1);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  std::string good = older(readFile(path));
  uint64_t length;
  memcpy(&length, good.data(), 8);
  auto before = bytes(b), loaded = bytes(a);
  for (size_t at = 0; at < 8 + length; ++at) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ (1 << at % 7));
    writeFile(path, bad);
    if (ampc_rt_load(b, path.c_str(), 0) ==
        AMPC_OK) { // a byte that does not matter, such as the model's name
      ASSERT_TRUE(bytes(b) == loaded) << at;
      ampc_rt_destroy(b);
      b = create(3, 99);
    }
    ASSERT_TRUE(bytes(b) == before) << at;
  }
}

// The file that a chain of links names is replaced; the links stay.
TEST_F(Checkpoint, FollowsSymbolicLinks) {
  std::string first = folder + "/first", second = folder + "/second";
  ASSERT_EQ(symlink("second", first.c_str()), 0);
  ASSERT_EQ(symlink(path.c_str(), second.c_str()), 0);
  for (int round = 0; round < 2; ++round) { // to no file, then to an old file
    train(a, 1);
    ASSERT_EQ(ampc_rt_save(a, first.c_str()), AMPC_OK) << ampc_rt_last_error(a);
    struct stat info;
    for (const std::string &link : {first, second})
      EXPECT_TRUE(lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode));
    EXPECT_TRUE(lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode));
    ASSERT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
    EXPECT_TRUE(bytes(a) == bytes(b));
  }
  unlink(second.c_str());
  ASSERT_EQ(symlink("first", second.c_str()), 0);
  EXPECT_EQ(ampc_rt_save(a, first.c_str()), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("too many symbolic links"), std::string::npos);
}

TEST_F(Checkpoint, KeepsRightsOfTheOldFile) {
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  for (mode_t mode : {mode_t(0600), mode_t(0664), mode_t(0440)}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    bool isRoot = geteuid() == 0; // only root can give files away
    if (isRoot) {
      ASSERT_EQ(chown(path.c_str(), 1234, 4321), 0);
    }
    ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK) << ampc_rt_last_error(a);
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode);
    EXPECT_EQ(info.st_uid, isRoot ? 1234 : geteuid());
    EXPECT_EQ(info.st_gid, isRoot ? 4321 : info.st_gid);
  }
}

TEST_F(Checkpoint, ReplacesRegularFilesAlone) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string link = folder + "/link";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  for (const std::string &name : {path, link}) {
    EXPECT_EQ(ampc_rt_save(a, name.c_str()), AMPC_E_IO);
    EXPECT_NE(std::string(ampc_rt_last_error(a)).find("is not a regular file"), std::string::npos)
        << ampc_rt_last_error(a);
    struct stat info;
    EXPECT_TRUE(lstat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode));
  }
  EXPECT_EQ(ampc_rt_save(a, folder.c_str()), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("is a directory"), std::string::npos);
}

TEST_F(Checkpoint, RefusesFifosWithoutWaiting) {
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(b)).find("is not a regular file"), std::string::npos)
      << ampc_rt_last_error(b);
  unlink(path.c_str());
}

// A disk that fails, or a file that somebody cuts, at any moment of the load.
TEST_F(Checkpoint, FailedReadsChangeNothing) {
  train(a, 2);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  auto before = bytes(b);
  for (uint32_t flags : {AMPC_LOAD_ALL, AMPC_LOAD_WEIGHTS})
    for (bool ends : {false, true}) {
      readsEnd = ends;
      int reads = 0;
      for (;; ++reads) {
        ASSERT_LT(reads, 100);
        readsLeft = reads;
        ampc_status status = ampc_rt_load(b, path.c_str(), flags);
        readsLeft = -1;
        if (status == AMPC_OK)
          break;
        EXPECT_EQ(status, ends ? AMPC_E_CKPT_MISMATCH : AMPC_E_IO) << ampc_rt_last_error(b);
        ASSERT_TRUE(bytes(b) == before) << reads;
      }
      EXPECT_GE(reads, 6); // length, header and every tensor
      EXPECT_FALSE(bytes(b) == before);
      ampc_rt_destroy(b);
      b = create(3, 99);
    }
}

// Arenas smaller and larger than the tensors give the same state.
TEST_F(Checkpoint, StagesInAnyArena) {
  train(a, 2);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  for (int64_t arena : {model.arena_bytes, int64_t(1) << 16}) {
    ampc_model other = model;
    other.arena_bytes = arena;
    ampc_state *state = create(1, 5, other);
    ASSERT_EQ(ampc_rt_load(state, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(state);
    EXPECT_TRUE(bytes(state) == bytes(a));
    ampc_rt_destroy(state);
  }
}

// Callers and files see a tensor in logical order, independent of the memory layout.
TEST_F(Checkpoint, HasTheOrderThatIsSeen) {
  // Logical shape 10 x 100; in memory the first dimension is the inner dimension.
  const int64_t dims[] = {kWeights, 10, 100, 1, 10};
  std::vector<ampc_slot> seen(slots, slots + SlotCount);
  seen[W].tensor.dims = dims;
  seen[W].tensor.memory_rank = 2;
  ampc_model other = model;
  other.slots = seen.data();
  ampc_state *state = create(3, 1, other);
  std::vector<float> got(kWeights);
  auto expectSeen = [&](ampc_state *plain) {
    auto *expected = static_cast<float *>(ampc_rt_tensor_data(plain, W));
    auto *memory = static_cast<float *>(ampc_rt_tensor_data(state, W));
    ASSERT_EQ(ampc_rt_get(state, W, got.data(), 4000), AMPC_OK);
    for (int i = 0; i < kWeights; ++i) {
      ASSERT_EQ(got[i], expected[i]) << i;
      ASSERT_EQ(memory[i / 100 + i % 100 * 10], expected[i]) << i;
    }
  };
  expectSeen(a); // initial values of a single seed
  ASSERT_EQ(ampc_rt_save(state, path.c_str()), AMPC_OK);
  ASSERT_EQ(ampc_rt_load(b, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(b);
  expectSeen(b);
  train(a, 2);
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  ASSERT_EQ(ampc_rt_load(state, path.c_str(), 0), AMPC_OK) << ampc_rt_last_error(state);
  expectSeen(a);
  ASSERT_EQ(ampc_rt_get(b, W, got.data(), 4000), AMPC_OK);
  ASSERT_EQ(ampc_rt_set(state, W, got.data(), 4000), AMPC_OK);
  expectSeen(b);
  ampc_rt_destroy(state);
}

TEST_F(Checkpoint, ReportsTheFileSystem) {
  EXPECT_EQ(ampc_rt_load(a, path.c_str(), 0), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("no such file or directory"),
            std::string::npos);
  EXPECT_EQ(ampc_rt_save(a, (folder + "/none/state").c_str()), AMPC_E_IO);
  EXPECT_EQ(ampc_rt_save(a, ""), AMPC_E_ARG);
  EXPECT_EQ(ampc_rt_load(a, path.c_str(), 2), AMPC_E_ARG);
  // A target that cannot be replaced leaves no temporary file.
  ASSERT_EQ(mkdir(path.c_str(), 0777), 0);
  EXPECT_EQ(ampc_rt_save(a, path.c_str()), AMPC_E_IO);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("is a directory"), std::string::npos);
  EXPECT_EQ(files().size(), 1u);
  rmdir(path.c_str());
  ASSERT_EQ(ampc_rt_save(a, path.c_str()), AMPC_OK);
  std::string old = readFile(path);
  train(a, 1);
  // A file that may not grow stands for a full disk: the write fails half-way.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit, small = {4096, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &limit);
  small.rlim_max = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_EQ(ampc_rt_save(a, path.c_str()), AMPC_E_IO);
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_NE(std::string(ampc_rt_last_error(a)).find("file too large"), std::string::npos)
      << ampc_rt_last_error(a);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(readFile(path), old);
}
