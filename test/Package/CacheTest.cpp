// The cache of compiled models and machine code: damage, planted files, bounds, and several
// processes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Cache.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ampc;
namespace files = std::filesystem;

namespace {
std::string nameOf(int number, const std::string &kind = "model") {
  return CacheKey().addNumber(uint64_t(number)).digits() + "." + kind;
}

struct CacheFolder : testing::Test {
  std::string folder = std::string(AMPC_TEST_OUTPUT) + "/cache";
  std::string name = nameOf(1);
  Cache cache{folder};

  CacheFolder() {
    files::remove_all(folder);
    files::create_directories(AMPC_TEST_OUTPUT);
  }
  std::string read() const {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string &content) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << content;
  }
};

TEST_F(CacheFolder, ReturnsContent) {
  EXPECT_FALSE(cache.find(name));
  EXPECT_FALSE(files::exists(folder)) << "a search makes no folder";
  std::string content("a\0b", 3);
  cache.store(name, content);
  EXPECT_EQ(cache.find(name), content);
  cache.store(name, "");
  EXPECT_EQ(cache.find(name), "");
  EXPECT_FALSE(cache.find(nameOf(2)));
  EXPECT_EQ(cache.usage().files, 1);
}

TEST_F(CacheFolder, RefusesEveryFlippedBitAndLength) {
  cache.store(name, "content");
  std::string whole = read();
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string flipped = whole;
    flipped[i / 8] = char(flipped[i / 8] ^ (1 << i % 8));
    write(flipped);
    EXPECT_FALSE(cache.find(name)) << "bit " << i;
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    EXPECT_FALSE(cache.find(name)) << "length " << length;
  }
  write(whole + "x");
  EXPECT_FALSE(cache.find(name));
  write(whole);
  EXPECT_EQ(cache.find(name), "content");
  files::rename(folder + "/" + name, folder + "/" + nameOf(2));
  EXPECT_FALSE(cache.find(nameOf(2))) << "the content of another entry";
}

/// A cache holds code: one that others can write to would run theirs.
TEST_F(CacheFolder, RefusesWhatOthersCanWrite) {
  mode_t before = umask(0);
  cache.store(name, "content");
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((folder + "/" + name).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (mode_t mode : {0722u, 0720u, 0777u, 01777u}) {
    chmod(folder.c_str(), mode);
    EXPECT_FALSE(cache.find(name)) << mode;
    cache.store(nameOf(2), "more");
    EXPECT_FALSE(files::exists(folder + "/" + nameOf(2))) << mode;
    EXPECT_NE(cache.findProblem(), "");
  }
  chmod(folder.c_str(), 0755);
  EXPECT_EQ(cache.findProblem(), "");
  EXPECT_EQ(cache.find(name), "content");
  chmod((folder + "/" + name).c_str(), 0666);
  EXPECT_FALSE(cache.find(name));
  chmod((folder + "/" + name).c_str(), 0600);
  files::rename(folder + "/" + name, folder + "/elsewhere");
  files::create_symlink("elsewhere", folder + "/" + name);
  EXPECT_FALSE(cache.find(name)) << "a symbolic link";
  files::remove(folder + "/" + name);
  ASSERT_EQ(mkfifo((folder + "/" + name).c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(name)) << "a FIFO, which nobody writes to";
}

TEST_F(CacheFolder, RefusesFilesOfOtherUsers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to give a file away";
  cache.store(name, "content");
  ASSERT_EQ(chown((folder + "/" + name).c_str(), 12345, -1), 0);
  EXPECT_FALSE(cache.find(name));
  ASSERT_EQ(chown((folder + "/" + name).c_str(), 0, -1), 0);
  EXPECT_TRUE(cache.find(name));
  ASSERT_EQ(chown(folder.c_str(), 12345, -1), 0);
  EXPECT_FALSE(cache.find(name));
  EXPECT_EQ(cache.findProblem(), "the folder belongs to another user");
}

TEST_F(CacheFolder, RemovesTheLeastRecentlyUsed) {
  Cache small(folder, 8 * 1040); // entries of 1000 bytes, each with a hash of 40
  std::string content(1000, 'x');
  auto age = [&](int number, int seconds) {
    files::last_write_time(folder + "/" + nameOf(number),
                           files::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  std::ofstream(folder + ".txt") << "not of the cache";
  for (int i = 0; i < 8; ++i) {
    small.store(nameOf(i), content);
    age(i, 100 - i);
  }
  std::ofstream(folder + "/notes.txt") << std::string(100000, 'y'); // of somebody else
  EXPECT_EQ(small.usage().files, 8);
  EXPECT_TRUE(small.find(nameOf(0))); // now the most recent one
  small.store(nameOf(8), content);
  EXPECT_TRUE(small.find(nameOf(0)));
  EXPECT_FALSE(small.find(nameOf(1)));
  EXPECT_TRUE(small.find(nameOf(2)));
  EXPECT_LE(small.usage().bytes, 8 * 1040u);
  small.store(nameOf(9), std::string(1041, 'x'));
  EXPECT_FALSE(small.find(nameOf(9))) << "more than an eighth of the bound";
  Cache::Usage removed = small.clear();
  EXPECT_EQ(removed.files, 8);
  EXPECT_EQ(removed.bytes, 8 * 1040u);
  EXPECT_EQ(small.usage().files, 0);
  EXPECT_TRUE(files::exists(folder + "/notes.txt"));
}

TEST_F(CacheFolder, IsNoneWhereItCannotBe) {
  std::string file = std::string(AMPC_TEST_OUTPUT) + "/file";
  std::ofstream(file) << "x";
  for (const std::string &place :
       {std::string(), file, file + "/below", std::string("/proc/ampc")}) {
    Cache none(place);
    none.store(name, "content");
    EXPECT_FALSE(none.find(name)) << place;
    if (place != "/proc/ampc") // root passes every check of rights but the one of making it
      EXPECT_NE(none.findProblem(), "") << place;
    EXPECT_EQ(none.clear().files, 0);
  }
}

TEST_F(CacheFolder, IsSharedByProcesses) {
  std::string content(100000, 'x');
  std::vector<pid_t> writers;
  for (int w = 0; w < 8; ++w)
    if (pid_t child = fork())
      writers.push_back(child);
    else {
      Cache mine(folder, 8 * 100040 * 2); // room for 16 of 20 entries, so that some are removed
      bool good = true;
      for (int i = 0; i < 200; ++i) {
        std::string entry = nameOf((i * 7 + w) % 20);
        mine.store(entry, content);
        std::optional<std::string> found = mine.find(entry);
        good &= !found || *found == content;
      }
      _exit(good ? 0 : 1);
    }
  for (pid_t writer : writers) {
    int status = 1;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Cache::Usage usage = Cache(folder).usage();
  EXPECT_LE(usage.bytes, 16 * 100040u);
  EXPECT_GE(usage.files, 8);
  for (const auto &file : files::directory_iterator(folder))
    EXPECT_EQ(file.path().extension(), ".model") << "no writer leaves other files";
}

TEST(CacheKey, HasTheLengthOfEachValue) {
  EXPECT_NE(CacheKey().add("ab").add("c").digits(), CacheKey().add("a").add("bc").digits());
  EXPECT_NE(CacheKey().add("").digits(), CacheKey().digits());
  EXPECT_NE(CacheKey().addNumber(1).digits(), CacheKey().addNumber(2).digits());
  EXPECT_EQ(CacheKey().add("ab").digits(), CacheKey().add("ab").digits());
  EXPECT_EQ(CacheKey().digits().size(), 40u);
}
} // namespace
