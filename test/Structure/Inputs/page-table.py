# Compares tables of pages with rows: missing rows, rows that only the page has, and rows without text.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from page_table import PageTable, row_of

with open(sys.argv[1], "w") as page:
    page.write("above\n<!-- begin: t -->\n<!-- end: t -->\nbelow\n")
one, two, three = (row_of([number, "x"]) for number in (1, 2, 3))
PageTable(sys.argv[1], "t").write(["number", "what"], [one, two])
table = PageTable(sys.argv[1], "t")
for rows, counts in (([one, two], None), ([one, two, three], None), ([one], None), ([one], lambda row: row == one)):
    print(table.differs(rows, "rows", counts) if counts else table.differs(rows, "rows"))
