  ! Creates a state with initial values drawn from `seed`. threads: 0 for all processors of the process. device: 'cpu', 'cuda'
  ! or 'cuda:1'. want_split: reserve memory of gradients, for calls of grad and apply. initial_data: file of initial values
  ! written by ampc compile --initial-data=beside. shares: distribution of a kernel's tasks over threads; AMPC_SHARES_DYNAMIC
  ! if processors have other work, too. pin_threads: bind every thread but the first to a processor. denormals: treatment of
  ! numbers below 1.2e-38 by kernels on the host; AMPC_DENORMALS_FLUSH reads zeros, which some processors handle faster.
  ! skip_limit: number of consecutive skipped steps from which a step returns AMPC_E_STALLED; 0: never.
  subroutine create(self, status, seed, threads, device, want_split, initial_data, shares, pin_threads, denormals, &
                    skip_limit)
    class(@), intent(inout) :: self
    integer(c_int), intent(out) :: status
    integer(c_int64_t), intent(in), optional :: seed
    integer, intent(in), optional :: threads
    character(len=*), intent(in), optional :: device
    logical, intent(in), optional :: want_split
    character(len=*), intent(in), optional :: initial_data
    integer(c_int), intent(in), optional :: shares
    logical, intent(in), optional :: pin_threads
    integer(c_int), intent(in), optional :: denormals
    integer(c_int64_t), intent(in), optional :: skip_limit
    type(ampc_options), target :: options
    character(kind=c_char), target :: message(512), place(64), path(4096)
    call self%destroy()
    message = c_null_char
    options%size = ampc_options_bytes
    options%error = c_loc(message)
    options%error_bytes = 512
    if (present(seed)) options%seed = seed
    if (present(threads)) options%threads = threads
    if (present(want_split)) options%want_split = merge(1, 0, want_split)
    if (present(shares)) options%shares = shares
    if (present(pin_threads)) options%pin_threads = merge(1, 0, pin_threads)
    if (present(denormals)) options%denormals = denormals
    if (present(skip_limit)) options%skip_limit = skip_limit
    if (present(device)) then
      call toC(device, place)
      options%device = c_loc(place)
    end if
    if (present(initial_data)) then
      call toC(initial_data, path)
      options%initial_data = c_loc(path)
    end if
    status = lib_create(c_loc(options), self%state)
    self%message = ''
    if (status < 0) call keep(self, message)
  end subroutine

  ! Copies `text` to a C string, cut to the size of `room`.
  subroutine toC(text, room)
    character(len=*), intent(in) :: text
    character(kind=c_char), intent(out) :: room(:)
    integer :: i
    room = c_null_char
    do i = 1, min(len_trim(text), size(room) - 1)
      room(i) = text(i:i)
    end do
  end subroutine

  subroutine destroy(self)
    class(@), intent(inout) :: self
    if (c_associated(self%state)) call lib_destroy(self%state)
    self%state = c_null_ptr
  end subroutine

  ! Writes a checkpoint (safetensors); the complete file replaces an old file atomically.
  subroutine save(self, path, status)
    class(@), intent(inout) :: self
    character(len=*), intent(in) :: path
    integer(c_int), intent(out) :: status
    status = lib_save(self%state, trim(path) // c_null_char)
    call finish(self, status)
  end subroutine

  ! Reads a checkpoint; weights_only: only parameters and buffers of the file.
  subroutine load(self, path, status, weights_only)
    class(@), intent(inout) :: self
    character(len=*), intent(in) :: path
    integer(c_int), intent(out) :: status
    logical, intent(in), optional :: weights_only
    integer(c_int32_t) :: flags
    flags = AMPC_LOAD_ALL
    if (present(weights_only)) flags = merge(AMPC_LOAD_WEIGHTS, AMPC_LOAD_ALL, weights_only)
    status = lib_load(self%state, trim(path) // c_null_char, flags)
    call finish(self, status)
  end subroutine

  ! Message of the last failed call.
  function last_error(self) result(text)
    class(@), intent(in) :: self
    character(len=:), allocatable :: text
    text = trim(self%message)
  end function

  subroutine keep(self, message)
    class(@), intent(inout) :: self
    character(kind=c_char), intent(in) :: message(:)
    integer :: i
    self%message = ''
    do i = 1, min(size(message), len(self%message))
      if (message(i) == c_null_char) exit
      self%message(i:i) = message(i)
    end do
  end subroutine

  subroutine finish(self, status)
    class(@), intent(inout) :: self
    integer(c_int), intent(in) :: status
    character(kind=c_char), pointer :: message(:)
    self%message = ''
    if (status >= 0) return
    call c_f_pointer(lib_last_error(self%state), message, (/len(self%message)/))
    call keep(self, message)
  end subroutine

  function numberOf(self, name, dtypes, status) result(number)
    class(@), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: dtypes(:)
    integer(c_int), intent(out) :: status
    integer(c_int32_t) :: number
    type(ampc_tensor), pointer :: tensor
    status = AMPC_E_ARG
    number = lib_find_tensor(trim(name) // c_null_char)
    if (number < 0) then
      self%message = 'the model has no tensor ' // name
      return
    end if
    call c_f_pointer(lib_tensor(number), tensor)
    if (any(dtypes == tensor%dtype)) then
      status = AMPC_OK
    else
      self%message = 'expected values of the type of ' // name
    end if
  end function

  function bytesOf(number, elements) result(bytes)
    integer(c_int32_t), intent(in) :: number
    integer, intent(in) :: elements
    integer(c_size_t) :: bytes
    type(ampc_tensor), pointer :: tensor
    integer(c_int64_t), pointer :: dims(:)
    call c_f_pointer(lib_tensor(number), tensor)
    bytes = tensor%bytes
    if (tensor%rank == 0) then
      bytes = bytes * elements
    else
      call c_f_pointer(tensor%dims, dims, (/tensor%rank/))
      bytes = bytes / product(dims) * elements
    end if
  end function
