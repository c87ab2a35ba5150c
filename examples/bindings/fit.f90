! Trains, saves, loads and predicts, in Fortran 2003.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program fit
  use, intrinsic :: iso_c_binding
  use regression
  implicit none
  type(regression_model) :: model, other
  type(ampc_train_out) :: report
  real(c_float) :: x(2, 32), y(1, 32), probe(2, 3), plane(1, 3), b(1)
  integer(c_int) :: status
  integer :: step
  character(len=256) :: path

  call get_command_argument(1, path)
  call model%create(status)
  call check(model, status)
  do step = 1, 200
    call draw(x, y)
    call model%train_step(x, y, status, report=report)
    call check(model, status)
  end do
  print '(a, i0, a, f6.4)', 'step ', report%step, '  loss ', report%loss

  ! A second state continues from the saved state.
  call model%save(path, status)
  call check(model, status)
  call other%create(status)
  call check(other, status)
  call other%load(path, status)
  call check(other, status)
  probe = reshape((/0, 0, 1, 0, 0, 1/), (/2, 3/)) ! three rows of the batch
  call other%predict(probe, plane, status)
  call check(other, status)
  print '(a, f4.2, a, f5.2, a, f4.2)', 'y = ', plane(1, 2) - plane(1, 1), ' x0 + ', &
    plane(1, 3) - plane(1, 1), ' x1 + ', plane(1, 1)
  call other%get('b', b, status)
  call check(other, status)
  print '(a, f4.2)', 'b = ', b
  call model%destroy()
  call other%destroy()

contains
  ! Points of y = 3 x0 - 2 x1 + 0.5, off by at most 0.05.
  subroutine draw(x, y)
    real(c_float), intent(out) :: x(2, 32), y(1, 32)
    real(c_float) :: noise(32)
    call random_number(x)
    call random_number(noise)
    x = 2 * x - 1
    y(1, :) = 3 * x(1, :) - 2 * x(2, :) + 0.5 + 0.1 * (noise - 0.5)
  end subroutine

  subroutine check(model, status)
    type(regression_model), intent(in) :: model
    integer(c_int), intent(in) :: status
    if (status >= 0) return
    print '(2a)', 'fit: ', model%last_error()
    stop 1
  end subroutine
end program
