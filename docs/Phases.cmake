# Writes the phase table as a page, from the help of the driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
execute_process(COMMAND ${TOOL} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nPhases[^\n]*\n" "" table "${help}")
# Semicolons separate the elements of a list in CMake; the lines hold some.
string(REPLACE ";" "<semicolon>" table "${table}")
string(REGEX MATCHALL "  [a-z-]+ +[^\n]+\n" lines "${table}")
set(rows)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "  ([a-z-]+) +([^\n]+)\n" "| `\\1` | \\2 |\n" row "${line}")
  string(APPEND rows "${row}")
endforeach()
if(NOT rows)
  message(FATAL_ERROR "expected phases in the help of ${TOOL}, but found none")
endif()
string(REPLACE "<semicolon>" ";" rows "${rows}")
file(WRITE ${OUTPUT} "# Phases\n\nWhat holds after each, in their order. `ampc compile --compile-to=PHASE` stops after one and prints \
the module,\n`--dump-phases-to=DIR` writes all of them, and `ampc-opt --phase-PHASE` runs one alone.\n\n\
Such a text is an input of `ampc compile`, too: its attribute `train.phase` says how far it has come, the phases behind that follow, and with\n\
the options of the first call the library is the same to the last byte. Locations belong to the text: names of ops, and facts that later phases\n\
use, are in them. Other commands start from the model itself.\n\n\
| phase | afterwards |\n|---|---|\n${rows}")
