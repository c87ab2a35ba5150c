

class Error(RuntimeError):
    """A call that failed; `status` is one of AMPC_E_*."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Tensor(typing.NamedTuple):
    """A tensor of the state."""

    name: str
    dtype: str
    shape: tuple
    role: int  # AMPC_ROLE_*


class _Operand(typing.NamedTuple):
    """A tensor of a call: name in Python, field in C."""

    name: str
    field: str
    dtype: str
    shape: tuple
    batched: bool


class _DLManagedTensor(ctypes.Structure):
    """DLPack's struct without a version number."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


class _View:
    """Memory of a state for NumPy, which keeps this object, and with it the state, as long as an array needs the memory."""

    def __init__(self, model, interface):
        self.model, self.__array_interface__ = model, interface


class _Call(typing.NamedTuple):
    batch: int
    trains: bool
    arguments: type
    results: type
    inputs: tuple
    outputs: tuple
    numbers: tuple  # names of the numbers that a step reports next to the loss


_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _load():
    path = os.path.join(_FOLDER, f"lib{_NAME}.so")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"expected the library of ampc compile --bindings=python in the folder of {__file__}: {error}") from None
    functions = types.SimpleNamespace()
    for name, (result, parameters) in _FUNCTIONS.items():
        try:
            function = library[f"{_NAME}_{name}_of_header_{_HASH}"]
        except AttributeError:
            raise ImportError(f"expected the library that was written with {__file__}, but got another {path}") from None
        function.restype, function.argtypes = result, parameters
        setattr(functions, name, function)
    return functions


def _empty(shape, dtype):
    """An array with data at a multiple of 64 bytes, which JAX takes without a copy."""
    bytes_of = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    memory = np.empty(bytes_of + 63, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + bytes_of].view(dtype).reshape(shape)


def _narrow(values):
    """float32 to the bits of bf16, to nearest even."""
    bits = values.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def _to_elements(where, dtype, value):
    """The value as an array of the type in memory; bf16 may come as numbers, or as bits in uint16."""
    value = np.asarray(value)
    wanted = np.dtype("float32" if dtype == "bf16" else _NUMPY[dtype])
    if value.dtype == (np.uint16 if dtype == "bf16" else wanted):
        return np.asarray(value, order="C")
    widens = value.dtype.name == "bfloat16" and wanted.kind == "f"  # unknown kind in NumPy
    if not (np.can_cast(value.dtype, wanted, "same_kind") or widens):
        raise TypeError(f"{where}: expected values that are {dtype}, but got {value.dtype}")
    if wanted.kind in "iu" and value.size:
        limits = np.iinfo(wanted)
        if value.min() < limits.min or value.max() > limits.max:
            raise ValueError(f"{where}: expected values in [{limits.min}, {limits.max}], but got [{value.min()}, {value.max()}]")
    with np.errstate(over="ignore"):  # np.ascontiguousarray would turn a scalar into an array [1]
        result = np.asarray(value, dtype=wanted, order="C")
    if dtype == "bf16":
        result = _narrow(result)
    lost = np.isfinite(value) & ((result & 0x7FFF) == 0x7F80 if dtype == "bf16" else np.isinf(result))
    if lost.any():
        raise ValueError(f"{where}: expected values in the range of {dtype}, but got {value[lost].flat[0]}")
    return result


def _from_elements(dtype, array):
    """bf16 becomes float32; a tensor of rank 0 becomes a number."""
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array if array.ndim else array[()]


def _fit(name, call, given):
    """Inputs as arrays, and number of rows of the batch."""
    arrays, rows, first = [], 0, None
    for operand, value in zip(call.inputs, given):
        where = f"{name}: `{operand.name}`"
        array = _to_elements(where, operand.dtype, value)
        shape = list(operand.shape)
        if operand.batched:
            per = shape[0] // call.batch
            if first is None and array.ndim and array.shape[0] % per == 0 and 1 <= array.shape[0] // per <= call.batch:
                first, rows = operand.name, array.shape[0] // per
            shape[0] = (rows or call.batch) * per
        if list(array.shape) != shape:
            if first not in (None, operand.name):
                why = f", as `{first}` has {rows} rows"
            else:
                why = ", or fewer rows" if operand.batched else ""
            raise ValueError(f"{where}: expected shape {shape}{why}, but got {list(array.shape)}")
        arrays.append(array)
    return arrays, rows


class _Model:
    """Common parts of all calls. Calls of one state wait for each other."""

    def __init__(self, *, seed=0, threads=0, shares=AMPC_SHARES_FIXED, pin_threads=False, device=None, want_split=False,
                 initial_data=None, denormals=AMPC_DENORMALS_KEEP, skip_limit=0):
        """A new state, with first values from `seed`. `threads`: 0 for as many threads as the process may use. `shares`:
        distribution of a kernel's tasks to threads; AMPC_SHARES_DYNAMIC for processors shared with other programs.
        `pin_threads`: pin each thread but the first to a processor. `device`: "cpu", "cuda" or "cuda:1"; None for the first
        target of the model with an available device. `want_split`: keep room for gradients, for calls of grad and apply.
        `initial_data`: the file of first values that ampc compile --initial-data=beside has written; None for the file of
        the same folder. `denormals`: AMPC_DENORMALS_KEEP, or AMPC_DENORMALS_FLUSH: kernels on the host flush numbers below
        1.2e-38 to zero, which is faster on some processors. `skip_limit`: number of skipped steps in a row from which a call
        of a step raises Error with the status AMPC_E_STALLED; 0 for never."""
        self._lock, self._state, self._views = threading.Lock(), ctypes.c_void_p(), weakref.WeakSet()
        message = ctypes.create_string_buffer(512)
        options = ampc_options(size=ctypes.sizeof(ampc_options), seed=seed, threads=threads, shares=shares,
                               pin_threads=pin_threads, want_split=want_split, denormals=denormals, skip_limit=skip_limit,
                               device=device.encode() if device else None,
                               error=ctypes.addressof(message), error_bytes=len(message),
                               initial_data=os.fsencode(initial_data or os.path.join(_FOLDER, f"{_NAME}.data.safetensors")))
        status = _library.create(ctypes.byref(options), ctypes.byref(self._state))
        if status < 0:
            raise Error(status, message.value.decode(errors="replace"))

    def close(self):
        """Ends the state, after calls of other threads in progress; later calls raise Error. A BufferError while arrays of view() are in use."""
        if not hasattr(self, "_state"):  # invalid options: no state was created
            return
        with self._lock:
            if self._views:
                raise BufferError(f"expected no arrays on the state's memory, but there are {len(self._views)} of view()")
            state, self._state = self._state, ctypes.c_void_p()
            if state:
                _library.destroy(state)

    __del__ = close

    def __reduce_ex__(self, protocol):
        raise TypeError("expected a model in the process that made the model, but got a copy (copy, pickle or another process): the state is "
                        "memory of the library, which save() and load() copy")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _finish(self, status):
        if status < 0:
            raise Error(status, _library.last_error(self._state).decode(errors="replace"))

    def _run(self, name, given, lr_factor=1.0, seed=0):
        call = _CALLS[name]
        if not 0 <= seed < 2**64:
            raise ValueError(f"{name}: expected seed in [0, 2^64), but got {seed}")
        # 0 stands for 1 in C, as does a number that rounds to 0 in 32 bits.
        if not 0 < ctypes.c_float(lr_factor).value < float("inf"):
            raise ValueError(f"{name}: expected lr_factor to be positive and finite, but got {lr_factor}")
        arrays, rows = _fit(name, call, given)
        arguments = call.arguments(size=ctypes.sizeof(call.arguments), valid=rows, lr_factor=lr_factor)
        if seed:
            arguments.seed = int(seed)
        for operand, array in zip(call.inputs, arrays):
            setattr(arguments, operand.field, array.ctypes.data)
        results, outputs = call.results(size=ctypes.sizeof(call.results)), {}
        for operand in call.outputs:
            shape = list(operand.shape)
            if operand.batched and rows:
                shape[0] = shape[0] // call.batch * rows
            outputs[operand.name] = _empty(shape, _NUMPY[operand.dtype])
            setattr(results, operand.field, outputs[operand.name].ctypes.data)
        with self._lock:
            self._finish(getattr(_library, name)(self._state, ctypes.byref(arguments), ctypes.byref(results)))
            if call.trains:  # the next call overwrites the numbers
                results.named = {number: results.numbers[place] for place, number in enumerate(call.numbers)}
                return results
        values = [_from_elements(operand.dtype, outputs[operand.name]) for operand in call.outputs]
        return values[0] if len(values) == 1 else dict(zip(outputs, values))

    def save(self, path):
        """Writes a checkpoint (safetensors), which takes the place of the file at once when it is complete."""
        with self._lock:
            self._finish(_library.save(self._state, os.fsencode(path)))

    def load(self, path, weights_only=False, averages=False):
        """Reads a checkpoint; `weights_only`: parameters and buffers, whatever else is in the file; `averages`: the same, parameters from averages of ema_decay."""
        flags = AMPC_LOAD_AVERAGES if averages else AMPC_LOAD_WEIGHTS if weights_only else AMPC_LOAD_ALL
        with self._lock:
            self._finish(_library.load(self._state, os.fsencode(path), flags))

    @property
    def tier(self):
        """The instructions of the kernels, such as "avx512"; empty after close()."""
        with self._lock:
            return _library.tier(self._state).decode()

    @property
    def tensors(self):
        """The tensors of the state, for model[name]."""
        numbers = range(_library.tensor_count())
        return {tensor.name: tensor for tensor in map(_tensor, numbers)}

    def _find(self, name):
        number = _library.find_tensor(name.encode(errors="surrogateescape"))
        if number < 0:
            raise KeyError(f"expected one of {', '.join(self.tensors)}, but got {name}")
        return number, _tensor(number)

    def __getitem__(self, name):
        """A copy of a tensor of the state."""
        number, tensor = self._find(name)
        array = np.empty(tensor.shape, _NUMPY[tensor.dtype])
        with self._lock:
            self._finish(_library.get(self._state, number, array.ctypes.data, array.nbytes))
        return _from_elements(tensor.dtype, array)

    def __setitem__(self, name, value):
        """Copies an array into a tensor of the state."""
        number, tensor = self._find(name)
        array = _to_elements(name, tensor.dtype, value)
        if array.shape != tensor.shape:
            raise ValueError(f"{name}: expected shape {list(tensor.shape)}, but got {list(array.shape)}")
        with self._lock:
            self._finish(_library.set(self._state, number, array.ctypes.data, array.nbytes))


    def view(self, name):
        """A tensor of the state as an array on the state's own memory, which shows what later steps write. NumPy's arrays have
        DLPack: torch.from_dlpack(model.view("w")) makes no copy either. The memory stays as long as such an array or tensor.
        bf16 is bits in uint16. After writing parameters call refresh()."""
        number, tensor = self._find(name)
        managed = ctypes.POINTER(_DLManagedTensor)()
        with self._lock:
            self._finish(_library.dlpack(self._state, number, ctypes.byref(managed)))
            given, dtype = managed.contents, np.dtype(_NUMPY[tensor.dtype])
            interface = {"version": 3, "typestr": dtype.str, "shape": tuple(given.shape[:given.rank]),
                         "strides": tuple(stride * dtype.itemsize for stride in given.strides[:given.rank]) if given.strides else None,
                         "data": ((given.data or 0) + given.byte_offset, False)}
            device = given.device
            given.deleter(ctypes.cast(managed, ctypes.c_void_p))
            if device != 1:
                raise ValueError(f"view: expected a state on the CPU, but {name} is in memory of a device")
            view = _View(self, interface)
            self._views.add(view)
        return np.asarray(view)

    def refresh(self):
        """Has the next call see parameters that were written through view()."""
        with self._lock:
            self._finish(_library.refresh(self._state))


def _tensor(number):
    tensor = _library.tensor(number).contents
    return Tensor(tensor.name.decode(errors="surrogateescape"), _DTYPES[tensor.dtype], tuple(tensor.dims[i] for i in range(tensor.rank)),
                  _library.tensor_role(number))


def _show(struct):
    return f"{type(struct).__name__}({', '.join(f'{name}={getattr(struct, name)}' for name, _ in struct._fields_)})"


ampc_train_out.__repr__ = _show
_library = _load()
