// Prints the choice of a build with other tables: form and tile of the class of 8192^3 by rows of
// both sides, and the speed of that tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/TileChoice.h"
#include <cstdio>

using namespace ampc::nvptx;

int main() {
  const Chip &chip = *findChip("sm_80");
  ProductSize size{1, 8192, 8192, 8192, 2, "NT"};
  const TilePick *pick = findPick(tileRows(), size, chip.name);
  TileShape tile = chooseTile(size, chip, 0, pick).shape;
  std::printf("tile %dx%d, of speed %.2f\n", int(tile.m), int(tile.n),
              speedOf(chip, pick->kind, tile.m, tile.n, -1));
}
