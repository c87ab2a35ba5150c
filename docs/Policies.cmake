# Writes the registered policies as a page, from the help of the driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(${CMAKE_CURRENT_LIST_DIR}/HelpTable.cmake)
help_table(rows ${TOOL} Policies)
file(WRITE ${OUTPUT} "# Policies\n\nValues of `--policy=`; the first is the default. [Choosing precision](../precision.md) compares the policies.\n\n\
| policy | rule for 16 bits |\n|---|---|\n${rows}")
