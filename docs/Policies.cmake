# Writes the registered policies as a page, from the help of the driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(${CMAKE_CURRENT_LIST_DIR}/HelpTable.cmake)
help_table(rows ${TOOL} Policies)
file(WRITE ${OUTPUT} "# Policies\n\nWhat `--policy=` takes; the first one is the default. [Choosing precision](../precision.md) compares them.\n\n\
| policy | what decides on 16 bits |\n|---|---|\n${rows}")
