# Writes the phase table as a page, from the help of the driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(${CMAKE_CURRENT_LIST_DIR}/HelpTable.cmake)
help_table(rows ${TOOL} Phases)
file(WRITE ${OUTPUT} "# Phases\n\nWhat holds after each, in their order. `ampc compile --compile-to=PHASE` stops after one and prints \
the module,\n`--dump-phases-to=DIR` writes all of them, and `ampc-opt --phase-PHASE` runs one alone.\n\n\
Such a text is an input of `ampc compile`, too: its attribute `train.phase` says how far it has come, the phases behind that follow, and with\n\
the options of the first call the library is the same to the last byte. Locations belong to the text: names of ops, and facts that later phases\n\
use, are in them. Other commands start from the model itself.\n\n\
| phase | afterwards |\n|---|---|\n${rows}")
