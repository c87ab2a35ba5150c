# The page without a browser: well-formed, nothing from outside, and a drawing whose boxes make sense.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import html.parser
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
facts = json.load(open(sys.argv[2]))
VOID = {"meta", "link", "input", "br", "img", "hr"}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.data, self.current, self.headings = [], set(), {}, None, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for key in ("src", "href", "srcset", "action"):
            value = attributes.get(key, "#")
            assert value.startswith("#"), f"{tag} reads {value} from outside"
        if "id" in attributes:
            assert attributes["id"] not in self.ids, f"two elements {attributes['id']}"
            self.ids.add(attributes["id"])
        if tag in ("input", "select", "button"):
            self.headings.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.current = attributes.get("id", "code")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()
        if tag == "script":
            self.current = None

    def handle_data(self, data):
        if self.current:
            self.data[self.current] = self.data.get(self.current, "") + data


checker = Checker()
checker.feed(page)
checker.close()
assert not checker.open, checker.open
assert page.startswith("<!DOCTYPE html>") and "{{" not in page
assert not re.search(r"https?://|@import|url\(", checker.data["code"] + page.split("</style>")[0]), "the page reads from outside"
assert json.loads(checker.data["report"]) == facts, "the page holds other facts than the JSON"
for used in re.findall(r"\$\('([\w-]+)'\)", checker.data["code"]):
    assert used in checker.ids, f"the script looks for {used}"
assert all("aria-label" in a or "id" in a for _, a in checker.headings)


def inside(box, outer, slack=1):
    return (box[0] >= outer[0] - slack and box[1] >= outer[1] - slack and box[0] + box[2] <= outer[0] + outer[2] + slack
            and box[1] + box[3] <= outer[1] + outer[3] + slack)


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


for step, layout in zip(facts["steps"], json.loads(checker.data["layouts"])):
    boxes, groups, lanes = layout["operations"], layout["groups"], layout["lanes"]
    assert len(boxes) == len(step["operations"]) and len(lanes) == 3
    assert all(inside(group["box"], [0, 0, layout["width"], layout["height"]]) for group in groups)
    lane = dict(zip(["forward", "backward", "optimizer"], lanes))
    for i, group in enumerate(groups):
        assert inside(group["box"], lane[group["part"]], 13), group
        assert not any(overlap(group["box"], other["box"]) for other in groups[i + 1:]), group
    home = [next(i for i, g in enumerate(groups) if inside(box, g["box"])) for box in boxes]
    for i, box in enumerate(boxes):
        assert not any(home[i] == home[j] and overlap(box, boxes[j]) for j in range(i + 1, len(boxes)))
    number = {op["id"]: i for i, op in enumerate(step["operations"])}
    frames = {loop["operation"]: loop["box"] for loop in layout["loops"]}
    assert set(frames) == {i for i, op in enumerate(step["operations"]) if "body_rounds" in op}
    for i, op in enumerate(step["operations"]):  # a loop's box holds the loop's op, with the body below, and nothing else
        around, body = {i} & set(frames), op
        while "loop" in body:
            around, body = around | {number[body["loop"]]}, step["operations"][number[body["loop"]]]
        for loop, frame in frames.items():
            assert inside(boxes[i], frame) if loop in around else not overlap(boxes[i], frame), (op["id"], step["operations"][loop]["id"])
            assert loop not in around or loop == i or boxes[i][1] >= boxes[loop][1] + boxes[loop][3], op["id"]
            assert loop not in around or inside(frame, groups[home[i]]["box"]) and (i not in frames or inside(frames[i], frame)), op["id"]
    edges = [(number[o["from"]], i) for i, op in enumerate(step["operations"]) for o in op["operands"] if "from" in o]
    assert edges
    for a, b in edges:  # the forward pass reads from left to right, the inside of a group downwards
        parts = {groups[home[a]]["part"], groups[home[b]]["part"]}
        if home[a] != home[b] and parts == {"forward"}:
            assert boxes[a][0] < boxes[b][0], (step["operations"][a]["id"], step["operations"][b]["id"])
        elif home[a] == home[b] and boxes[a][1] >= boxes[b][1]:
            assert groups[home[a]]["label"] == "all parameters" and boxes[a][0] < boxes[b][0]
print("page is sound:", len(page) // 1024, "KiB")
