# Words of comments, pages and messages to users as rates with a bar each: a rate may fall, never rise. With a root as argument, that tree is counted.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import math
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3])
pronouns = {"it", "its", "them", "they", "those", "these", "others", "one", "ones"}
Rates = collections.namedtuple("Rates", "what pronouns bare")  # per 1000 words, per 1000 words, per 100 comments
room_bar = Rates(2, 30, 0.6)  # of the comments of a folder in one of the folders below, such as lib/Train
least_examples = 1.2  # per 1000 words of a folder's comments: "Example: ...", a shape [M, K], before -> after
goal = Rates(1.5, 18, 1)  # of a page without a bar
# Bars of comments, by folder, and of pages that are above the goal. To be lowered with each text that is rewritten.
comment_bars = {
    "lib": Rates(0.2, 8, 0.3),
    "mlir-dialects": Rates(0.3, 12, 0.2),
    "include": Rates(0.3, 14, 0.2),
    "tools": Rates(0.4, 10, 0.2),
    "test": Rates(0.3, 4, 0.3),
}
page_bars = {}
# Bars of messages to users, strings of three words and more, by folder; and of each room in a folder, such as lib/Train.
message_bars = {
    "lib": Rates(0.1, 7.5, 0.3),
    "mlir-dialects": Rates(0.1, 15, 0.3),
    "tools": Rates(0.1, 9, 0.3),
}
message_room_bar = Rates(0.5, 30, 0.6)
example = re.compile(r"e\.g\.|[Ee]xample|for instance|\[[A-Za-z0-9]+(?:, ?[A-Za-z0-9]+)+\]|\w+ -> \w+")
sources = {".cpp", ".h", ".c", ".td", ".def", ".js"}
code = {".cpp", ".h", ".c", ".def", ".inc"}
# Comments, string literals, character literals, and other text.
tokens = re.compile(r"//[^\n]*|/\*.*?\*/|\"((?:\\.|[^\"\\\n])*)\"|'(?:\\.|[^'\\\n])'|[^\s\"'/]+|\S", re.S)


def comments_of(text):
    """Comments of C, C++, TableGen and JavaScript: a run of lines `// ...` is a comment, so is a trailing one, and /* ... */."""
    run = []
    for line in text.split("\n") + [""]:
        whole = re.match(r"\s*//+<?\s?(.*)", line)
        trailing = None if whole else re.search(r"[;{}),]\s+//+<?\s(.*)", line)
        if whole:
            if "SPDX" not in line:
                run.append(whole[1])
            continue
        if run:
            yield " ".join(run)
            run = []
        if trailing:
            yield trailing[1]
    for block in re.finditer(r"/\*(.*?)\*/", text, re.S):
        yield re.sub(r"\s*\n\s*\*?\s?", " ", block[1])


def messages_of(text):
    """Strings of C and C++ with three words and more, without strings of includes; adjacent literals are one string. Example: "a " "b" -> a b."""
    run = []
    for token in tokens.finditer(re.sub(r"(?m)^\s*#\s*include.*", "", text)):
        if token[0].startswith('"') and len(token[0]) > 1:
            run.append(token[1])
        elif run and not token[0].startswith(("//", "/*")):
            yield "".join(run).replace("\\n", " ")
            run = []


def paragraphs_of(text):
    """Paragraphs and lists of Markdown, without code and tables."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"`[^`]*`", "x", text)
    return (p for p in re.split(r"\n\s*\n", text) if not p.lstrip().startswith("|"))


def count(texts):
    """Words, and how many are `what` and pronouns; comments, and how many begin without a subject or have an example."""
    total = collections.Counter()
    for text in texts:
        words = [word.lower() for word in re.findall(r"[A-Za-z']+", text)]
        if len(words) < 3:
            continue
        total["texts"] += 1
        total["words"] += len(words)
        total["what"] += words.count("what")
        total["pronouns"] += sum(word in pronouns for word in words)
        total["bare"] += bool(re.match(r"\W*(What|Of|Those|That which|Which|The same|In which)\b", text))
        total["examples"] += bool(example.search(text))
    return total


def check(name, texts, bar):
    """A line per rate above the bar. A bar is a whole number of words, so that a short page is not held to a fraction of a word."""
    total = count(texts)
    faults = 0
    for key, limit, per, size in [("what", bar.what, 1000, "words"), ("pronouns", bar.pronouns, 1000, "words"), ("bare", bar.bare, 100, "texts")]:
        most = math.ceil(limit * total[size] / per)
        if total[key] > most:
            faults += 1
            kind = {"what": '"what"', "pronouns": "pronouns", "bare": "texts that begin without a subject"}[key]
            print(f"{name}: expected at most {most} {kind} in {total[size]} {size}, but got {total[key]}")
    return faults


def check_examples(folder, texts):
    total = count(texts)
    least = math.floor(least_examples * total["words"] / 1000)
    if total["examples"] >= least:
        return 0
    print(f"{folder}: expected at least {least} texts with an example in {total['words']} words, but got {total['examples']}")
    return 1


def comments_below(folder):
    files = sorted(p for p in (root / folder).rglob("*") if p.suffix in sources)
    return [c for p in files for c in comments_of(p.read_text(errors="replace"))]


def messages_below(folder):
    files = sorted(p for p in (root / folder).rglob("*") if p.suffix in code)
    found = [m for p in files for m in messages_of(p.read_text(errors="replace"))]
    return [m for m in found if len(re.findall("[a-z]{2,} ", m)) >= 3]


def rooms(bars=comment_bars):
    """Folders one level below the folders with a bar. Example: lib/Train."""
    found = [p for folder in bars for p in (root / folder).glob("*") if p.is_dir()]
    return sorted(p.relative_to(root).as_posix() for p in found)


def pages():
    found = [p for p in root.glob("*.md")]
    for folder in ("docs", "bench", "examples", "lib", "mlir-dialects", "python", "test"):
        found += (root / folder).rglob("*.md")
    return sorted(p.relative_to(root).as_posix() for p in found)


def check_glossary():
    """The last cell of a row is `identifier` in `file`: the file has the identifier. A term has one row."""
    page, faults, seen = root / "docs/glossary.md", 0, set()
    for line in page.read_text().splitlines() if page.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] == "term" or set(cells[0]) <= set("- "):
            continue
        where = re.fullmatch(r"`([^`]+)` in `([^`]+)`", cells[-1])
        if len(cells) != 5 or not where:
            fault = "expected the cells term, meaning, example, source and `identifier` in `file`"
        elif cells[0] in seen:
            fault = "expected one row per term"
        elif not (root / where[2]).is_file():
            fault = f"expected a file {where[2]}"
        elif not re.search(rf"\b{re.escape(where[1])}\b", (root / where[2]).read_text()):
            fault = f"expected {where[1]} in {where[2]}"
        else:
            fault = None
        seen.add(cells[0])
        if fault:
            faults += 1
            print(f"docs/glossary.md: {cells[0]}: {fault}")
    return faults


faults = check_glossary()
for folder, bar in comment_bars.items():
    texts = comments_below(folder)
    faults += check(folder, texts, bar) + (folder != "test" and check_examples(folder, texts))
for room in rooms():
    faults += check(room, comments_below(room), room_bar)
for name in pages():
    faults += check(name, paragraphs_of((root / name).read_text()), page_bars.get(name, goal))
for folder, bar in message_bars.items():
    faults += check(f"messages of {folder}", messages_below(folder), bar)
for room in rooms(message_bars):
    faults += check(f"messages of {room}", messages_below(room), message_room_bar)
for name in page_bars.keys() if len(sys.argv) == 1 else ():
    if not (root / name).is_file():
        faults += 1
        print(f"{name}: expected a page for its bar")
if faults:
    sys.exit(f"{faults} texts or rows are not as they should be")
