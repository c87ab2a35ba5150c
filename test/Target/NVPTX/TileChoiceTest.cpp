// The model of tiles, and the table that goes before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/TileChoice.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace ampc::nvptx;

static const Chip &a100() { return *findChip("sm_80"); }

TEST(TileChoice, LargeProductsTakeTheLargestTileInOnePart) {
  TileChoice choice = chooseTile({1, 8192, 8192, 8192, 2}, a100());
  EXPECT_EQ(choice.shape.m, 128);
  EXPECT_EQ(choice.shape.n, 128);
  EXPECT_EQ(choice.parts, 1);
}

TEST(TileChoice, FewTilesWithLongSumsTakeParts) {
  TileChoice choice = chooseTile({1, 64, 64, 65536, 2}, a100());
  EXPECT_GT(choice.parts, 16);
  // A batch that fills the chip takes none, and neither do short sums.
  EXPECT_EQ(chooseTile({1080, 64, 64, 65536, 2}, a100()).parts, 1);
  EXPECT_EQ(chooseTile({1, 64, 64, 128, 2}, a100()).parts, 1);
}

TEST(TileChoice, GivenPartsStay) {
  for (int64_t parts : {1, 3, 16})
    EXPECT_EQ(chooseTile({1, 64, 64, 65536, 2}, a100(), parts).parts, parts);
}

TEST(TileChoice, NarrowResultsTakeNarrowTiles) {
  EXPECT_EQ(chooseTile({1, 65536, 16, 576, 2}, a100()).shape.n, 32);
}

TEST(TileChoice, TheModelGrowsWithTheWork) {
  TileSpeed tile = tileShapes(a100()).front();
  EXPECT_LT(estimateCycles({1, 4096, 4096, 1024, 2}, tile, 1, a100()),
            estimateCycles({1, 4096, 4096, 2048, 2}, tile, 1, a100()));
  EXPECT_LT(estimateCycles({1, 4096, 4096, 1024, 2}, tile, 1, a100()),
            estimateCycles({1, 4096, 4096, 1024, 4}, tile, 1, a100()));
}

TEST(TileChoice, RowsGoBeforeTheModel) {
  ProductSize size{1, 8192, 8192, 8192, 2};
  TileRow rows[] = {{"sm_80", 2, 0, 13, 13, 13, 64, 128, 5}};
  EXPECT_EQ(findRow(rows, size, "sm_80"), rows);
  EXPECT_EQ(findRow(rows, {1, 5000, 8192, 8192, 2}, "sm_80"), rows);
  EXPECT_EQ(findRow(rows, {1, 4096, 8192, 8192, 2}, "sm_80"), nullptr);
  EXPECT_EQ(findRow(rows, {2, 8192, 8192, 8192, 2}, "sm_80"), nullptr);
  EXPECT_EQ(findRow(rows, {1, 8192, 8192, 8192, 4}, "sm_80"), nullptr);
  EXPECT_EQ(findRow(rows, size, "sm_86"), nullptr);
  TileChoice choice = chooseTile(size, a100(), 0, rows);
  EXPECT_EQ(choice.shape.m, 64);
  EXPECT_EQ(choice.shape.n, 128);
  EXPECT_EQ(choice.parts, 5);
  EXPECT_EQ(chooseTile(size, a100(), 2, rows).parts, 2);
}

TEST(TileChoice, TheTableIsUsed) {
  EXPECT_EQ(chooseTile({1, 8192, 768, 50257, 2}, a100()).parts, 3);
  EXPECT_NE(chooseTile({1, 8192, 768, 50257, 2}, a100(), 0, {}).parts, 3);
}

TEST(TileChoice, RowsNameTilesThatThereAre) {
  for (const TileRow &row : tileRows()) {
    const Chip *chip = findChip(row.chip);
    ASSERT_TRUE(chip);
    EXPECT_TRUE(llvm::any_of(tileShapes(*chip), [&](const TileSpeed &tile) {
      return tile.shape.m == row.m && tile.shape.n == row.n;
    }));
    EXPECT_GE(row.parts, 1);
  }
}

TEST(TileChoice, StagesFitTwiceIntoAMultiprocessor) {
  for (const Chip &chip : chips())
    for (const TileSpeed &tile : tileShapes(chip)) {
      const TileShape &shape = tile.shape;
      EXPECT_LE(2 * shape.stages * (shape.m + shape.n) * shape.lineBytes, chip.sharedBytes);
    }
}
