// NAME.f90: Fortran 2003 module with a type around the C functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays have C's dimensions reversed, since Fortran is column-major: C [8, 10] -> (10, 8). A call
// has two subroutines: the bound subroutine checks shapes; the inner subroutine has explicit-shape
// dummies, for which the compiler makes contiguous copies where needed.
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Escape.h"
#include "lib/Package/Bindings/Bindings.h"
#include "lib/Package/Mirrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

AMPC_EMBEDDED(commonFortran)
using namespace ampc;

/// Names used by the subroutines, which neither dummy arguments nor the module may have.
static constexpr StringLiteral words =
    "self status report numbers reported lr_factor seed factor rows arguments results size shape "
    "any "
    "c_loc present "
    "mod c_float "
    "c_double c_bool c_int c_int8_t c_int16_t c_int32_t c_int64_t c_size_t c_ptr c_funptr "
    "c_associated c_f_pointer len len_trim merge min product trim huge c_null_ptr c_null_funptr "
    "c_char c_null_char finish create destroy save load last_error "
    "keep numberof bytesof toc ampc_options_bytes ampc_tensor ampc_train_out ampc_hooks "
    "ampc_options";
/// Members of the type other than the model's programs.
static constexpr StringLiteral members =
    "state message create destroy save load get set last_error";

/// Fortran name: starts with a letter and has at most 63 characters, of which 8 are reserved for a
/// suffix that makes the name unique.
static std::string toFortran(StringRef name) {
  return ((name.starts_with("_") ? "a" : "") + name).str().substr(0, 55);
}

namespace {
/// Names derived from a program.
struct Names {
  std::string bound, checked, run, function, in, out, numbers;
};

class FortranWriter {
public:
  FortranWriter(const ModelInfo &model, raw_ostream &os);
  void write();

private:
  void writeConstants();
  void writeStruct(StringRef title, ArrayRef<std::pair<std::string, CType>> fields, bool shown);
  void writeStruct(StringRef title, ArrayRef<FieldInfo> fields);
  void writeNumbers(const CallInfo &call, const Names &names);
  void writeType();
  void writeInterfaces();
  void writeInterface(StringRef procedure, StringRef function, CType result,
                      ArrayRef<ParameterInfo> parameters);
  void writeDummies(const CallInfo &call, const Names &names, ArrayRef<OperandInfo> operands,
                    bool checked);
  void writeCheck(const CallInfo &call, ArrayRef<OperandInfo> operands);
  void writeChecked(const CallInfo &call, const Names &names);
  void writeRun(const CallInfo &call, const Names &names);
  void writeCopies(int32_t dtype);

  const ModelInfo &model;
  raw_ostream &os;
  std::vector<CallInfo> calls;
  std::vector<Names> names;
  std::vector<int32_t> kinds; ///< dtypes of the state's tensors, a single dtype per Fortran type
  std::string module, type;
  NameScope scope;
};
} // namespace

FortranWriter::FortranWriter(const ModelInfo &model, raw_ostream &os)
    : model(model), os(os), calls(callsOf(model)), scope(words, /*ignoreCase=*/true) {
  for (const CommonConstant &constant : commonConstants())
    scope.add(constant.name);
  module = scope.add(toFortran(model.name));
  type = scope.add(toFortran(model.name) + "_model");
  for (const FunctionInfo &function :
       concat<const FunctionInfo>(stateFunctions(), tensorFunctions()))
    scope.add("lib_" + function.name.str());
  NameScope bound(members, /*ignoreCase=*/true);
  for (const CallInfo &call : calls) {
    std::string name = toFortran(call.program->name);
    names.push_back({bound.add(name), scope.add("call_" + name), scope.add("run_" + name),
                     scope.add("lib_" + name), scope.add("in_" + name), scope.add("out_" + name),
                     numbersOf(*call.program).empty() ? "" : scope.add(name + "_numbers")});
  }
  StringSet<> seen;
  for (const SlotInfo *slot : shownSlots(model))
    if (seen.insert(fortranTypeOf(slot->tensor.dtype)).second)
      kinds.push_back(slot->tensor.dtype);
}

/// Dimensions in Fortran's order, merged to at most 7, the limit of Fortran 2003.
static std::vector<int64_t> dimsOf(const TensorInfo &tensor) {
  std::vector<int64_t> dims(tensor.dims.rbegin(), tensor.dims.rend());
  if (dims.size() <= 7)
    return dims;
  int64_t others = 1;
  for (int64_t dim : drop_begin(tensor.dims))
    others *= dim;
  return {others, tensor.dims.front()};
}

/// Extents such as "2, 3, rows"; "4*rows" if a tensor has 4 rows per row of the batch.
static std::string extents(const TensorInfo &tensor, const ProgramInfo &program) {
  std::string text;
  std::vector<int64_t> dims = dimsOf(tensor);
  for (auto [i, dim] : enumerate(dims)) {
    bool byRows = tensor.batched && i + 1 == dims.size();
    int64_t per = byRows ? rowsPerBatch(tensor, program) : 0;
    text += (i ? ", " : "") + (!byRows    ? std::to_string(dim)
                               : per == 1 ? std::string("rows")
                                          : std::to_string(per) + "*rows");
  }
  return text;
}

static std::string nameOfKind(int32_t dtype) {
  return StringRef(fortranTypeOf(dtype)).split('(').second.drop_back().str();
}

void FortranWriter::writeConstants() {
  for (const CommonConstant &constant : commonConstants())
    os << "  integer(c_int), parameter, public :: " << constant.name << " = " << constant.value
       << "\n";
  os << "  integer(c_int32_t), parameter :: ampc_options_bytes = " << sizeof(ampc_options) << "\n";
}

/// Fields are initialised to zero.
void FortranWriter::writeStruct(StringRef title, ArrayRef<std::pair<std::string, CType>> fields,
                                bool shown) {
  os << "\n  type, bind(c)" << (shown ? ", public" : "") << " :: " << title << "\n";
  for (auto &[name, type] : fields) {
    StringRef declared = infoOf(type).fortran;
    os << "    " << declared << " :: " << name
       << (declared == "type(c_ptr)"       ? " = c_null_ptr"
           : declared == "type(c_funptr)"  ? " = c_null_funptr"
           : declared.starts_with("type(") ? ""
                                           : " = 0")
       << "\n";
  }
  os << "  end type\n";
}

void FortranWriter::writeStruct(StringRef title, ArrayRef<FieldInfo> fields) {
  std::vector<std::pair<std::string, CType>> typed;
  for (auto [number, field] : enumerate(fields))
    typed.push_back({fieldName(field, number), field.type});
  writeStruct(title, typed, false);
}

static int64_t bytesOf(ArrayRef<FieldInfo> fields) {
  int64_t bytes = 0;
  for (const FieldInfo &field : fields)
    bytes = alignTo(bytes, infoOf(field.type).bytes) + infoOf(field.type).bytes;
  return alignTo(bytes, 8);
}

/// Struct of the named numbers that a step reports next to the loss.
void FortranWriter::writeNumbers(const CallInfo &call, const Names &names) {
  if (names.numbers.empty())
    return;
  NameScope members("", /*ignoreCase=*/true);
  std::vector<std::pair<std::string, CType>> fields;
  for (const TensorInfo &number : numbersOf(*call.program))
    fields.push_back({members.add(toFortran(number.field)), CType::Double});
  writeStruct(names.numbers, fields, true);
}

void FortranWriter::writeType() {
  os << "\n  ! A training state of the model. Calls return a status: AMPC_OK, a positive number "
        "for a warning, or a negative\n  ! number for an error, with the message last_error().\n"
     << "  type, public :: " << type << "\n    private\n"
     << "    type(c_ptr) :: state = c_null_ptr\n    character(len=512) :: message = ''\n"
     << "  contains\n";
  for (StringRef name : {"create", "destroy", "save", "load", "last_error"})
    os << "    procedure :: " << name << "\n";
  for (const Names &name : names)
    os << "    procedure :: " << name.bound << " => " << name.checked << "\n";
  for (StringRef name : {"get", "set"}) {
    for (int32_t kind : kinds)
      os << "    procedure, private :: " << name << "_" << nameOfKind(kind) << "\n";
    if (kinds.empty())
      continue;
    os << "    generic :: " << name << " => ";
    interleaveComma(kinds, os, [&](int32_t kind) { os << name << "_" << nameOfKind(kind); });
    os << "\n";
  }
  os << "  end type\n";
}

/// Text is passed as a character array, all else as pointers or numbers.
void FortranWriter::writeInterface(StringRef procedure, StringRef function, CType result,
                                   ArrayRef<ParameterInfo> parameters) {
  bool returns = result != CType::Void;
  os << "    " << (returns ? "function " : "subroutine ") << procedure << "(";
  interleaveComma(parameters, os, [&](const ParameterInfo &parameter) { os << parameter.name; });
  os << ") &\n        bind(c, name='" << symbolForHeader(model, (model.name + "_" + function).str())
     << "')" << (returns ? " result(returned)" : "") << "\n      import\n";
  for (const ParameterInfo &parameter : parameters) {
    os << "      ";
    if (parameter.type == CType::Text)
      os << "character(kind=c_char), intent(in) :: " << parameter.name << "(*)\n";
    else if (parameter.type == CType::NewState)
      os << "type(c_ptr), intent(out) :: " << parameter.name << "\n";
    else
      os << infoOf(parameter.type).fortran << ", value :: " << parameter.name << "\n";
  }
  if (returns)
    os << "      " << infoOf(result).fortran << " :: returned\n";
  os << "    end " << (returns ? "function" : "subroutine") << "\n";
}

void FortranWriter::writeInterfaces() {
  os << "\n  interface\n";
  for (const FunctionInfo &function :
       concat<const FunctionInfo>(stateFunctions(), tensorFunctions()))
    writeInterface(("lib_" + function.name).str(), function.name, function.result,
                   function.parameters);
  for (auto [call, name] : zip(calls, names))
    writeInterface(name.function, call.program->name, CType::Status, call.parameters);
  os << "  end interface\n";
}

/// `checked`: assumed shape, checked by the caller; else explicit shape.
void FortranWriter::writeDummies(const CallInfo &call, const Names &names,
                                 ArrayRef<OperandInfo> operands, bool checked) {
  os << "    class(" << type << "), intent(inout) :: self\n";
  if (!checked && call.program->batch)
    os << "    integer, intent(in) :: rows\n";
  for (const OperandInfo &operand : operands) {
    size_t rank = dimsOf(*operand.tensor).size();
    os << "    " << fortranTypeOf(operand.tensor->dtype) << ", intent("
       << (operand.output ? "inout" : "in") << ")" << (checked ? "" : ", target")
       << " :: " << operand.name;
    if (rank && checked) {
      os << "(";
      interleave(seq(rank), os, [&](size_t) { os << ":"; }, ",");
      os << ")";
    } else if (rank) {
      os << "(" << extents(*operand.tensor, *call.program) << ")";
    }
    os << "\n";
  }
  os << "    integer(c_int), intent(out) :: status\n";
  if (call.trains)
    os << "    real(c_float), intent(in), optional :: lr_factor\n"
          "    type(ampc_train_out), intent(out), optional :: report\n";
  if (call.draws)
    os << "    integer(c_int64_t), intent(in), optional :: seed\n";
  if (!names.numbers.empty())
    os << "    type(" << names.numbers << "), intent(out), optional :: numbers\n";
}

static void writeArguments(const CallInfo &call, ArrayRef<OperandInfo> operands, bool checked,
                           raw_ostream &os) {
  os << "(self";
  if (!checked && call.program->batch)
    os << ", rows";
  for (const OperandInfo &operand : operands)
    os << ", &\n      " << operand.name;
  os << ", &\n      status"
     << (call.trains  ? ", lr_factor, report"
         : call.draws ? ", seed"
                      : "")
     << (numbersOf(*call.program).empty() ? ")\n" : ", numbers)\n");
}

void FortranWriter::writeCheck(const CallInfo &call, ArrayRef<OperandInfo> operands) {
  const ProgramInfo &program = *call.program;
  auto first =
      find_if(operands, [](const OperandInfo &operand) { return operand.tensor->batched; });
  if (program.batch)
    os << "    integer :: rows\n";
  if (call.trains)
    os << "    real(c_float) :: factor\n";
  if (program.batch) {
    os << "    rows = ";
    if (first == operands.end() || first->output)
      os << program.batch << "\n";
    else
      os << "size(" << first->name << ", " << dimsOf(*first->tensor).size() << ") / "
         << rowsPerBatch(*first->tensor, program) << "\n";
  }
  auto refuse = [&](const std::string &condition, const std::string &expected,
                    StringRef status = "AMPC_E_SHAPE") {
    os << "    if (" << condition << ") then\n      status = " << status
       << "\n      self%message = '" << program.name << ": ' // &\n        'expected " << expected
       << "'\n      return\n    end if\n";
  };
  if (program.batch)
    refuse("rows < 1 .or. rows > " + std::to_string(program.batch),
           "1 to " + std::to_string(program.batch) + " rows");
  for (const OperandInfo &operand : operands) {
    if (operand.tensor->dims.empty())
      continue;
    std::string shape = "(" + extents(*operand.tensor, program) + ")";
    refuse("any(shape(" + operand.name + ") /= (/" +
               StringRef(shape).drop_front().drop_back().str() + "/))",
           operand.name + " of shape " + shape);
  }
  if (call.trains) { // 0 stands for 1 in C, but is an error here
    os << "    factor = 1\n    if (present(lr_factor)) factor = lr_factor\n";
    refuse(".not. (factor > 0 .and. factor <= huge(factor))", "lr_factor to be positive and finite",
           "AMPC_E_ARG");
  }
}

void FortranWriter::writeChecked(const CallInfo &call, const Names &name) {
  std::vector<OperandInfo> operands = operandsOf(call, scope, toFortran);
  os << "\n  ! " << inComment(StringRef(call.doc).split('\n').first.split(" `out`").first) << "\n";
  for (const OperandInfo &operand : operands)
    os << "  !   " << operand.name << "(" << extents(*operand.tensor, *call.program) << "): in C "
       << inComment(operand.field->doc) << "\n";
  if (call.draws)
    os << "  !   seed: of random numbers; 0: numbers of the state, which repeat until the next "
          "step\n";
  os << "  subroutine " << name.checked;
  writeArguments(call, operands, true, os);
  writeDummies(call, name, operands, true);
  writeCheck(call, operands);
  os << "    call " << name.run;
  writeArguments(call, operands, false, os);
  os << "  end subroutine\n";
}

/// Numbers stay zero if the call did not run.
static void writeReading(StringRef type, size_t count, raw_ostream &os) {
  os << "    if (present(numbers) .and. c_associated(results%numbers)) then\n"
     << "      call c_f_pointer(results%numbers, reported, (/" << count << "/))\n"
     << "      numbers = " << type << "(";
  interleaveComma(seq(count), os, [&](size_t place) { os << "reported(" << place + 1 << ")"; });
  os << ")\n    end if\n";
}

void FortranWriter::writeRun(const CallInfo &call, const Names &name) {
  std::vector<OperandInfo> operands = operandsOf(call, scope, toFortran);
  os << "\n  subroutine " << name.run;
  writeArguments(call, operands, false, os);
  writeDummies(call, name, operands, false);
  os << "    type(" << name.in << "), target :: arguments\n    type("
     << (call.trains ? "ampc_train_out" : name.out) << "), target :: results\n"
     << (name.numbers.empty() ? "" : "    real(c_double), pointer :: reported(:)\n")
     << "    arguments%size = " << bytesOf(call.in) << "\n";
  if (call.program->batch)
    os << "    arguments%valid = rows\n";
  if (call.trains)
    os << "    if (present(lr_factor)) arguments%lr_factor = lr_factor\n";
  if (call.draws)
    os << "    if (present(seed)) arguments%seed = seed\n";
  os << "    results%size = " << (call.trains ? int64_t(sizeof(ampc_train_out)) : bytesOf(call.out))
     << "\n";
  for (const OperandInfo &operand : operands) {
    const std::vector<FieldInfo> &fields = operand.output ? call.out : call.in;
    os << "    " << (operand.output ? "results%" : "arguments%")
       << fieldName(*operand.field, operand.field - fields.data()) << " = c_loc(" << operand.name
       << ")\n";
  }
  os << "    status = " << name.function << "(self%state, c_loc(arguments), c_loc(results))\n";
  if (call.trains)
    os << "    if (present(report)) report = results\n";
  if (!name.numbers.empty())
    writeReading(name.numbers, numbersOf(*call.program).size(), os);
  os << "    call finish(self, status)\n  end subroutine\n";
}

/// get and set for the state's tensors of this Fortran type, as arrays of rank 1.
void FortranWriter::writeCopies(int32_t dtype) {
  StringRef declared = fortranTypeOf(dtype);
  std::string kind = nameOfKind(dtype), dtypes;
  for (int32_t other : seq(AMPC_U8 + 1))
    if (declared == fortranTypeOf(other))
      dtypes += (dtypes.empty() ? "" : ", ") + std::to_string(other);
  for (bool sets : {false, true}) {
    StringRef verb = sets ? "set" : "get";
    os << "\n  subroutine " << verb << "_" << kind << "(self, name, values, status)\n    class("
       << type << "), intent(inout) :: self\n    character(len=*), intent(in) :: name\n    "
       << declared << ", intent(" << (sets ? "in" : "out") << ") :: values(:)\n"
       << "    integer(c_int), intent(out) :: status\n    " << declared
       << ", allocatable, target :: copy(:)\n    integer(c_int32_t) :: number\n"
       << "    number = numberOf(self, name, (/" << dtypes << "/), status)\n"
       << "    if (status < 0) return\n    allocate(copy(size(values)))\n";
    if (sets)
      os << "    copy = values\n";
    os << "    status = lib_" << verb
       << "(self%state, number, c_loc(copy), bytesOf(number, size(values)))\n";
    if (!sets)
      os << "    if (status >= 0) values = copy\n";
    os << "    call finish(self, status)\n  end subroutine\n";
  }
}

void FortranWriter::write() {
  os << "! Fortran 2003 interface of the compiled model " << model.name
     << ", written by ampc. Link with lib" << model.name << ".a and -pthread.\n"
     << "! Arrays have the dimensions of C in reverse order: columns come first here. Where the "
        "last dimension is `rows`, all\n! arrays of a call may have fewer rows. Unsigned integers "
        "and 16-bit floats are integers of the same size.\n"
     << "module " << module
     << "\n  use, intrinsic :: iso_c_binding\n  implicit none\n  private\n\n";
  writeConstants();
  for (const CommonStruct &common : commonStructs()) {
    std::vector<std::pair<std::string, CType>> fields;
    for (const CommonField &field : common.fields)
      fields.push_back({field.name, field.type});
    writeStruct(common.name, fields, StringRef(common.name) == "ampc_train_out");
  }
  for (auto [call, name] : zip(calls, names)) {
    writeStruct(name.in, call.in);
    if (!call.trains)
      writeStruct(name.out, call.out);
    writeNumbers(call, name);
  }
  writeType();
  writeInterfaces();
  os << "\ncontains\n";
  std::string common = commonFortranText().str();
  for (size_t at; (at = common.find('@')) != std::string::npos;)
    common.replace(at, 1, type);
  os << common;
  for (auto [call, name] : zip(calls, names)) {
    writeChecked(call, name);
    writeRun(call, name);
  }
  for (int32_t kind : kinds)
    writeCopies(kind);
  os << "end module\n";
}

/// Maximum line length of free form; compilers reject longer lines.
static constexpr size_t columns = 132;

/// Last blank outside of quotes with room for an ampersand behind, or 0. `quoted`: whether the line
/// starts inside quotes; on return, whether the last column is inside quotes.
static size_t findBlank(StringRef line, bool &quoted) {
  size_t blank = 0;
  for (size_t at = 0; at + 1 < columns; ++at) {
    quoted ^= line[at] == '\'';
    if (!quoted && line[at] == ' ' && !line.take_front(at).trim().empty())
      blank = at;
  }
  return blank;
}

static void writeComment(std::string rest, raw_ostream &os) {
  while (rest.size() > columns) {
    size_t blank = rest.rfind(' ', columns);
    size_t cut = blank > rest.find('!') + 1 ? blank : columns;
    os << rest.substr(0, cut) << "\n";
    rest = "  ! " + rest.substr(cut);
  }
  os << rest << "\n";
}

/// Wraps lines, which long names make too long.
static void writeLine(StringRef line, raw_ostream &os) {
  if (line.ltrim().starts_with("!"))
    return writeComment(line.str(), os);
  std::string rest = line.str();
  bool quoted = false;
  while (rest.size() > columns) {
    size_t blank = findBlank(rest, quoted);
    if (quoted) {
      os << rest.substr(0, columns - 1) << "&\n";
      rest = "&" + rest.substr(columns - 1);
    } else if (blank) {
      os << rest.substr(0, blank) << " &\n";
      rest = "      " + rest.substr(blank + 1);
    } else {
      break;
    }
  }
  os << rest << "\n";
}

std::string ampc::writeFortranBinding(const ModelInfo &model) {
  std::string written, text;
  raw_string_ostream into(written), os(text);
  FortranWriter(model, into).write();
  SmallVector<StringRef> lines;
  StringRef(written).rtrim('\n').split(lines, '\n');
  for (StringRef line : lines)
    writeLine(line, os);
  return text;
}
