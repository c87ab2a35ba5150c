// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every module uses the one before it twice: 2^40 of the first.
train.model @m {
  train.model @m0 {
    train.func @apply(%x: f32[4]) {
      %y = train.relu %x
      train.return %y
    }
  }
  train.model @m1 {
    train.use @m0 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m2 {
    train.use @m1 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m3 {
    train.use @m2 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m4 {
    train.use @m3 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m5 {
    train.use @m4 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m6 {
    train.use @m5 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m7 {
    train.use @m6 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m8 {
    train.use @m7 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m9 {
    train.use @m8 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m10 {
    train.use @m9 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m11 {
    train.use @m10 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m12 {
    train.use @m11 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m13 {
    train.use @m12 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m14 {
    train.use @m13 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m15 {
    train.use @m14 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m16 {
    train.use @m15 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m17 {
    train.use @m16 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m18 {
    train.use @m17 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m19 {
    train.use @m18 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m20 {
    train.use @m19 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m21 {
    train.use @m20 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m22 {
    train.use @m21 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m23 {
    train.use @m22 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m24 {
    train.use @m23 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m25 {
    train.use @m24 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m26 {
    train.use @m25 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m27 {
    train.use @m26 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m28 {
    train.use @m27 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m29 {
    train.use @m28 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m30 {
    train.use @m29 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m31 {
    train.use @m30 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m32 {
    train.use @m31 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m33 {
    train.use @m32 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m34 {
    train.use @m33 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m35 {
    train.use @m34 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m36 {
    train.use @m35 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m37 {
    train.use @m36 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m38 {
    train.use @m37 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m39 {
    train.use @m38 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
  train.model @m40 {
    train.use @m39 as @a times 2
    train.func @apply(%x: f32[4]) {
      %y = train.apply @a(%x)
      train.return %y
    }
  }
}
