// The cost model of tiles, and the table with priority over the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
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
  ProductSize size{1, 8192, 8192, 8192, 2, "NT"};
  TileRow rows[] = {{"sm_80", "NT", 2, 0, 13, 13, 13, {PlanKind::mma, 64, 128, 5, 1}}};
  auto finds = [&](const ProductSize &size, llvm::StringRef chip = "sm_80") {
    return findPick(rows, size, chip) == &rows->pick;
  };
  EXPECT_TRUE(finds(size));
  EXPECT_TRUE(finds({1, 5000, 8192, 8192, 2, "NT"}));
  EXPECT_FALSE(finds({1, 4096, 8192, 8192, 2, "NT"}));
  EXPECT_FALSE(finds({2, 8192, 8192, 8192, 2, "NT"}));
  EXPECT_FALSE(finds({1, 8192, 8192, 8192, 4, "NT"}));
  EXPECT_FALSE(finds({1, 8192, 8192, 8192, 2, "TN"}));
  EXPECT_FALSE(finds({1, 8192, 8192, 8192, 2, "NT", /*onMatrixUnits=*/false}));
  EXPECT_FALSE(finds(size, "sm_86"));
  TileChoice choice = chooseTile(size, a100(), 0, &rows->pick);
  EXPECT_EQ(choice.shape.m, 64);
  EXPECT_EQ(choice.shape.n, 128);
  EXPECT_EQ(choice.parts, 5);
  EXPECT_EQ(chooseTile(size, a100(), 2, &rows->pick).parts, 2);
}

TEST(TileChoice, OtherPicksAreLeftToTheModel) {
  ProductSize size{1, 8192, 8192, 8192, 2};
  for (TilePick pick :
       {TilePick{PlanKind::mma, 32, 32, 1, 1}, TilePick{PlanKind::wgmma, 64, 64, 1, 1}})
    EXPECT_EQ(chooseTile(size, a100(), 0, &pick).shape.m, 128);
  ProductSize numbers{1, 64, 64, 64, 4, "NN", /*onMatrixUnits=*/false};
  TilePick large{PlanKind::simt, 128, 128, 1, 1};
  EXPECT_EQ(chooseNumberTile(numbers, a100()).m, 64);
  EXPECT_EQ(chooseNumberTile(numbers, a100(), &large).m, 128);
}

TEST(TileChoice, TheTableIsUsed) {
  ProductSize size{1, 8192, 768, 50257, 2};
  EXPECT_EQ(chooseTile(size, a100(), 0, findPick(tileRows(), size, "sm_80")).parts, 3);
  EXPECT_NE(chooseTile(size, a100()).parts, 3);
}

TEST(TileChoice, RowsNameTilesThatThereAre) {
  for (const TileRow &row : tileRows()) {
    const Chip *chip = findChip(row.chip);
    ASSERT_TRUE(chip);
    ProductSize size{1, 1, 1, 1, row.elementBytes};
    auto tiles = row.pick.kind == PlanKind::simt ? numberTiles(size, *chip) : tileShapes(*chip);
    bool isThere = llvm::any_of(tiles, [&](const TileSpeed &tile) {
      return tile.shape.m == row.pick.m && tile.shape.n == row.pick.n;
    });
    if (row.pick.kind == PlanKind::wgmma)
      isThere = llvm::any_of(warpgroupShapes(), [&](const WarpgroupShape &shape) {
        return 64 * shape.groups == row.pick.m && shape.n == row.pick.n;
      });
    EXPECT_TRUE(isThere);
    EXPECT_GE(row.pick.parts, 1);
    EXPECT_GE(row.pick.clusterSplitK, 1);
  }
}

TEST(TileChoice, StagesFitTwiceIntoAMultiprocessor) {
  for (const Chip &chip : chips())
    for (const TileSpeed &tile : tileShapes(chip)) {
      const TileShape &shape = tile.shape;
      EXPECT_LE(2 * shape.stages * (shape.m + shape.n) * shape.lineBytes, chip.sharedBytes);
    }
}
