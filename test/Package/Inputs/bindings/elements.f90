! Values of every type through the Fortran interface of elements.mlir, called by a name of 50 letters.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program elements
  use, intrinsic :: iso_c_binding
  use a_model_whose_name_has_as_many_as_fifty_letters_so
  implicit none
  type(a_model_whose_name_has_as_many_as_fifty_letters_so_model) :: model
  logical(c_bool) :: flag(3, 4), flags(3, 4), on(3)
  integer(c_int8_t) :: tiny(2, 4), tinies(2, 4), byte(2, 4)
  integer(c_int16_t) :: small(4), smalls(4), half(3, 4), halves(3, 4), bytes(2, 4)
  integer(c_int32_t) :: word(4), words(4)
  integer(c_int64_t) :: wide(2, 4), wides(8), steps(1)
  real(c_double) :: exact(2, 4), exacts(2, 4), number
  real(c_float) :: deep(16, 4), deeps(16, 4), scale
  integer(c_int) :: status
  integer :: i, rows

  call model%create(status, threads=1)
  flag = reshape((/(logical(mod(i, 2) == 0, c_bool), i = 1, 12)/), (/3, 4/))
  tiny = reshape((/(int(i - 5, c_int8_t), i = 1, 8)/), (/2, 4/))
  small = (/-32767_c_int16_t, 32767_c_int16_t, 1_c_int16_t, 2_c_int16_t/)
  word = (/-huge(word), huge(word), 3_c_int32_t, 4_c_int32_t/)
  wide = huge(wide) - reshape((/(int(i, c_int64_t), i = 1, 8)/), (/2, 4/))
  half = 15360_c_int16_t
  exact = reshape((/(1 / real(i, c_double), i = 1, 8)/), (/2, 4/))
  deep = reshape((/(real(i), i = 1, 64)/), (/16, 4/))
  byte = tiny
  do rows = 4, 3, -1
    call model%echo(flag(:, :rows), tiny(:, :rows), small(:rows), word(:rows), wide(:, :rows), half(:, :rows), &
      exact(:, :rows), 1 / 3.0_c_double, deep(:, :rows), byte(:, :rows), flags(:, :rows), tinies(:, :rows), &
      smalls(:rows), words(:rows), wides(:2*rows), halves(:, :rows), exacts(:, :rows), number, deeps(:, :rows), &
      bytes(:, :rows), status)
    print '(i0, 10l2)', status, all(flags(:, :rows) .eqv. flag(:, :rows)), all(tinies(:, :rows) == tiny(:, :rows)), &
      all(smalls(:rows) == small(:rows)), all(words(:rows) == word(:rows)), &
      all(wides(:2*rows) == reshape(wide(:, :rows), (/2 * rows/))), all(halves(:, :rows) == half(:, :rows)), &
      all(abs(exacts(:, :rows) - exact(:, :rows)) <= 0), abs(number - 1 / 3.0_c_double) <= 0, &
      all(abs(deeps(:, :rows) - deep(:, :rows)) <= 0), &
      all(bytes(:, :rows) == iand(int(byte(:, :rows), c_int16_t), 255_c_int16_t))
  end do
  call model%set('scale', (/2.5/), status)
  call model%an_export_whose_name_has_fifty_letters_and_no_input(scale, status)
  print '(i0, f4.1)', status, scale
  call model%set('count', (/2_c_int64_t**40/), status)
  call model%get('count', steps, status)
  call model%set('on', (/.true._c_bool, .false._c_bool, .true._c_bool/), status)
  call model%get('on', on, status)
  print '(i0, l2, 3l2)', status, steps(1) == 2_c_int64_t**40, on
  call model%echo(flag(:, :2), tiny, small, word, wide, half, exact, 1.0_c_double, deep, byte, flags, tinies, smalls, &
    words, wides, halves, exacts, number, deeps, bytes, status)
  print '(i0, 2a)', status, ' ', model%last_error()
  call model%destroy()
end program
