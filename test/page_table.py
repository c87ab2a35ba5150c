# Tables in pages of docs that a script writes and a test holds: lines between two comments.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


class PageTable:
    """The table `name` of a page, with the text above and below."""

    def __init__(self, path, name):
        self.path, self.begin, self.end = path, f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        with open(path) as file:
            page = file.read()
        if page.count(self.begin) != 1 or page.count(self.end) != 1:
            raise SystemExit(f"{path}: expected one '{self.begin}' and one '{self.end}'")
        self.above, rest = page.split(self.begin)
        between, self.below = rest.split(self.end)
        self.lines = between.strip("\n").split("\n")

    def rows(self):
        """Rows without the head."""
        table = [line for line in self.lines if line.startswith("|")]
        return table[2:]

    def write(self, head, rows, title=()):
        """`head`: names of columns; `title`: lines above the head."""
        lines = [*title, "| " + " | ".join(head) + " |", "|" + "---|" * len(head), *rows]
        with open(self.path, "w") as file:
            file.write("\n".join([self.above + self.begin, *lines, self.end + self.below]))

    def differs(self, rows, what, counts=lambda row: True):
        """Whether the table lacks some of the rows or has further rows, which are printed. `counts`: whether a row of the table is to be
        compared."""
        held = [row for row in self.rows() if counts(row)]
        lacks = [row for row in rows if row not in held]
        others = [row for row in held if row not in rows]
        for row in lacks:
            print("not in the table:", row)
        for row in others:
            print("only in the table:", row)
        print(f"{len(rows)} {what}, {len(lacks) + len(others)} differ")
        return bool(lacks or others)


def row_of(fields):
    return "| " + " | ".join(map(str, fields)) + " |"
