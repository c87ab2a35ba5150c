// Limits and attributes of chips, by compute capability.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/Chips.h"
#include <map>

namespace ptxsim {
namespace driver {

const std::vector<Chip> &chips() {
  // Limits per block and multiprocessor: "Technical Specifications per Compute Capability" of the
  // CUDA programming guide. Counts, clocks and sizes: data sheet of the named board.
  static const std::vector<Chip> table = {
      {75, "T4", 40, 64 << 10, 64 << 10, 1024, 16, 4 << 20, 1590000, 5001000, 256, 15},
      {80, "A100", 108, 164 << 10, 163 << 10, 2048, 32, 40 << 20, 1410000, 1593000, 5120, 79},
      {86, "RTX 3090", 82, 100 << 10, 99 << 10, 1536, 16, 6 << 20, 1695000, 9751000, 384, 23},
      {89, "RTX 4090", 128, 100 << 10, 99 << 10, 1536, 24, 72 << 20, 2520000, 10501000, 384, 23},
      {90, "H100", 132, 228 << 10, 227 << 10, 2048, 32, 50 << 20, 1980000, 2619000, 5120, 79},
      {100, "B200", 148, 228 << 10, 227 << 10, 2048, 32, 126 << 20, 1965000, 3996000, 8192, 178},
      {120, "RTX 5090", 170, 100 << 10, 99 << 10, 1536, 24, 96 << 20, 2407000, 14001000, 512, 31},
  };
  return table;
}

namespace {

/// Attributes with one value on all chips. 0 means absent; textures and surfaces (21 to 30, 42 to
/// 49, 51 to 74, 77) are absent.
const std::map<int, int> &commonAttributes() {
  static const std::map<int, int> table = [] {
    std::map<int, int> t = {
        {1, 1024},  {2, 1024},  {3, 1024},  {4, 64},  {5, 2147483647},  {6, 65535},
        {7, 65535}, {8, 49152}, {9, 65536}, {10, 32}, {11, 2147483647}, {12, 65536},
        {14, 512},  {15, 1},    {17, 0},    {18, 0},  {19, 1},          {20, 0},
        {31, 1},    {32, 0},    {34, 0},    {35, 0},  {40, 1},          {41, 1},
        {50, 0},    {78, 1},    {79, 1},    {80, 1},  {82, 65536},      {83, 1},
        {84, 0},    {86, 0},    {88, 0},    {89, 0},  {90, 1},          {91, 1},
        {92, 0},    {93, 0},    {94, 0},    {95, 0},  {96, 0},          {98, 0},
        {99, 1},    {100, 0},   {101, 0},   {102, 0}, {103, 0},         {104, 0},
        {105, 0},   {107, 0},   {108, 0},   {109, 0}, {110, 0},         {112, 0},
        {113, 0},   {114, 0},   {115, 1},   {116, 0}, {117, 0},         {118, 0},
        {119, 0},   {121, 0},   {122, 0},   {123, 0}, {124, 0},         {125, 0},
        {126, 1},   {128, 0},   {129, 0},   {130, 0}, {131, -1},        {132, 0},
        {133, 0},   {134, -1},  {135, 0},   {136, 0}, {137, 0},         {138, 0},
        {139, 0},   {140, 0},   {141, 0},   {142, 0}, {143, 0},         {144, 0},
        {145, 0},   {146, 0},   {147, 0}};
    for (auto range : {std::pair<int, int>{21, 30}, {42, 49}, {51, 74}, {77, 77}})
      for (int k = range.first; k <= range.second; k++)
        t[k] = 0;
    return t;
  }();
  return table;
}

} // namespace

bool attributeOf(const Chip &chip, int ordinal, int attribute, int &value) {
  unsigned doubleRatio = chip.capability == 80 || chip.capability == 90 || chip.capability == 100
                             ? 2
                         : chip.capability == 75 ? 32
                                                 : 64;
  const std::map<int, unsigned> own = {{13, chip.clockKHz},
                                       {16, chip.multiprocessors},
                                       {33, unsigned(ordinal + 1)},
                                       {36, chip.memoryClockKHz},
                                       {37, chip.busBits},
                                       {38, chip.l2Bytes},
                                       {39, chip.threadsPerMultiprocessor},
                                       {75, chip.capability / 10},
                                       {76, chip.capability % 10},
                                       {81, chip.sharedPerMultiprocessor},
                                       {85, unsigned(ordinal)},
                                       {87, doubleRatio},
                                       {97, chip.sharedPerBlock},
                                       {106, chip.blocksPerMultiprocessor},
                                       {111, chip.reservedShared()},
                                       {120, chip.hasClusters()},
                                       {127, chip.hasClusters()}};
  auto mine = own.find(attribute);
  if (mine != own.end()) {
    value = int(mine->second);
    return true;
  }
  auto common = commonAttributes().find(attribute);
  if (common == commonAttributes().end())
    return false;
  value = common->second;
  return true;
}

} // namespace driver
} // namespace ptxsim
