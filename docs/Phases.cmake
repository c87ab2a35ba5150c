# Writes the phase table as a page, from the help of the driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(${CMAKE_CURRENT_LIST_DIR}/HelpTable.cmake)
help_table(rows ${TOOL} Phases)
file(WRITE ${OUTPUT} "# Phases\n\nPhases of the compiler in order, and the properties of the module after each. `ampc compile --compile-to=PHASE` \
stops after a phase and prints\nthe module, `--dump-phases-to=DIR` writes the module after every phase, and `ampc-opt --phase-PHASE` runs a single phase.\n\n\
A printed module is also an input of `ampc compile`: compilation resumes behind the phase in the module's attribute `train.phase`, and with the options\n\
of the first call the library is equal byte for byte. Keep the locations of the text: locations hold names of ops, and facts for later phases. Other\n\
commands start from the model itself.\n\n\
| phase | afterwards |\n|---|---|\n${rows}")
