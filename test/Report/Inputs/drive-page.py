# Drives the page in a headless Chromium over the debugging protocol: drive-page.py PAGE.html FACTS.json for search, click, zoom, tables, themes and no
# errors; drive-page.py PAGE.html for the widths of its tables alone.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import base64
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

DEADLINE = time.monotonic() + 100


class Browser:
    """A page of the browser; answers and events come over a WebSocket (RFC 6455)."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={folder}", "--window-size=1400,900", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.retry(lambda: (pathlib.Path(folder) / "DevToolsActivePort").read_text().split()[0])
        pages = self.retry(lambda: [p for p in json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json")) if p["type"] == "page"])
        path = pages[0]["webSocketDebuggerUrl"].split(port, 1)[1]
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.bytes, self.count, self.problems = b"", 0, []
        while b"\r\n\r\n" not in self.bytes:
            self.bytes += self.socket.recv(4096)
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    @staticmethod
    def retry(attempt):
        while True:
            try:
                if result := attempt():
                    return result
            except (OSError, ValueError, IndexError, RuntimeError):
                pass
            if time.monotonic() > DEADLINE:
                sys.exit("expected the browser to answer")
            time.sleep(0.1)

    def take(self, count):
        while len(self.bytes) < count:
            self.bytes += self.socket.recv(1 << 20)
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def receive(self):
        text = b""
        while True:
            first, length = self.take(2)
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            text += self.take(length)
            if first & 0x80:
                return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        data = json.dumps({"id": self.count, "method": method, "params": parameters}).encode()
        mask = os.urandom(4)
        self.socket.sendall(struct.pack(">BBH", 0x81, 0xFE, len(data)) + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(data)))
        while True:
            message = self.receive()
            if message.get("id") == self.count:
                return message["result"]
            if message["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.problems.append(message)

    def eval(self, code):
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def press(self, key, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)


SETTLE = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def check_fit(browser):
    """The whole step is in the window and fills its height, or its width if that is less."""
    browser.eval("document.getElementById('zoom-fit').click()")
    browser.eval(SETTLE)
    step, window = browser.eval("['view', 'graph'].map(id => { const b = document.getElementById(id).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; })")
    assert all(step[i] >= window[i] - 2 for i in (0, 1)) and all(step[i] <= window[i] + 2 for i in (2, 3)), (step, window)
    shares = [(step[i + 2] - step[i]) / (window[i + 2] - window[i]) for i in (0, 1)]
    assert shares[1] > 0.85, shares


def check_widths(browser):
    """The page and the table of each card are as wide as the window allows, without a scroll bar, down to the width of a telephone."""
    for width in (1400, 800, 390):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        browser.eval(SETTLE)
        assert browser.eval("document.documentElement.scrollWidth") <= width, f"the page is wider than a window of {width} pixels"
        cut = browser.eval("[...document.querySelectorAll('.card')].filter(c => c.scrollWidth > c.clientWidth).map(c => c.querySelector('h3').textContent)")
        assert not cut, (width, cut)
        check_fit(browser)


def check_loops(browser, step):
    """A loop is a box with its number of rounds, and its ops have the loop in the table and in their details."""
    loops = [(i, op) for i, op in enumerate(step["operations"]) if "body_rounds" in op]
    assert browser.eval("document.querySelectorAll('#view .loop').length") == len(loops)
    heads = browser.eval("[...document.querySelectorAll('#operations thead button')].map(b => b.textContent)")
    assert ("Loop" in heads) == bool(loops), heads
    for i, loop in loops:
        name = f"{loop['name']} x {loop['body_rounds']}"
        label = browser.eval(f"document.querySelector('#view .op[data-i=\"{i}\"] .label').textContent")
        assert label == f"scan x {loop['body_rounds']}", label
        body = next(k for k, op in enumerate(step["operations"]) if op.get("loop") == loop["id"])
        browser.eval(f"select({body})")
        assert name in browser.eval("document.querySelector('#details .chips').textContent"), name
        browser.eval(f"select({i})")
        assert "A round passes on" in browser.eval("document.getElementById('details').textContent")
        passed = sum(operand.get("from", loop["id"]) != loop["id"] for operand in loop["next"] + loop["each"])
        assert browser.eval(f"document.querySelectorAll('#view .edge.lit[data-b=\"{i}\"]').length") >= passed
    browser.eval("select(-1)")


def load(browser, page):
    browser.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
    browser.retry(lambda: browser.eval("document.readyState === 'complete' && document.querySelectorAll('#view .op').length > 0"))


def drive(browser, facts):
    step = facts["steps"][0]
    count = lambda selector: browser.eval(f"document.querySelectorAll({json.dumps(selector)}).length")
    text = lambda selector: browser.eval(f"document.querySelector({json.dumps(selector)}).textContent")
    assert count("#view .op") == len(step["operations"])
    assert count("#cards .card") >= 7

    # A named number leads to the op that computes the number.
    for i, name in enumerate(sorted(step["numbers"], key=lambda name: step["numbers"][name]["place"])):
        browser.eval(f"document.querySelectorAll('#cards button.link')[{i}].click()")
        made = next(op for op in step["operations"] if op["id"] == step["numbers"][name]["from"])
        assert text("#details .name") == made["op"].split(".")[1], (name, text("#details .name"))
    titles = browser.eval("[...document.querySelectorAll('#cards h3')].map(title => title.textContent).join()").split(",")
    assert ("Reported beside the loss" in titles) == bool(step["numbers"]) and ("Activation budget" in titles) == bool(step["budget"]["mixed"]), titles

    # Search by typing; Enter selects a match and scrolls to the match.
    browser.eval("document.getElementById('graph-section').scrollIntoView(); document.activeElement.blur()")
    browser.press("/")
    browser.call("Input.insertText", text="tanh")
    wanted = sum("tanh" in op["id"] for op in step["operations"])
    assert count("#view .op.match") == wanted > 1 and text("#matches") == f"{wanted} matches"
    browser.press("Enter", "\r")
    assert text("#matches") == f"1 of {wanted}" and text("#details .name") == "tanh"
    reason = next(op["reason"] for op in step["operations"] if op["op"] == "train.tanh")
    assert reason in text("#details .reason")
    browser.eval(SETTLE)
    box = lambda: browser.eval("(() => { const b = document.querySelector('#view .op.selected .body').getBoundingClientRect(),"
                               " g = document.getElementById('graph').getBoundingClientRect(); return [b.x, b.y, b.width, b.height, g.x, g.y, g.right, g.bottom]; })()")
    x, y, w, h, left, top, right, bottom = box()
    assert left < x < x + w < right and top < y < y + h < bottom

    # A click on the ground deselects, a click on the op selects, the wheel then zooms around the pointer.
    ground = browser.eval("(() => { const b = document.getElementById('graph').getBoundingClientRect();"
                          " for (let y = b.bottom - 5; y > b.top; y -= 20) for (let x = b.left + 40; x < b.right; x += 40) {"
                          " const e = document.elementFromPoint(x, y); if (e && e.closest('#graph') && !e.closest('.op')) return [x, y]; } })()")
    browser.click(*ground)
    assert count("#view .op.selected") == 0
    browser.click(x + w / 2, y + h / 2)
    assert count("#view .op.selected") == 1 and count("#view .edge.lit") > 0
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + w / 2, y=y + h / 2, deltaX=0, deltaY=-400)
    browser.eval(SETTLE)
    wide = browser.retry(lambda: (lambda b: b if b[2] > 1.2 * w else None)(box()))
    assert abs(wide[0] + wide[2] / 2 - x - w / 2) < 2
    browser.press("ArrowLeft")
    browser.eval(SETTLE)
    assert box()[0] > wide[0] + 40
    browser.press("0")
    browser.eval(SETTLE)
    assert box()[2] < wide[2]

    # Chart and tables.
    browser.eval("document.getElementById('chart').focus()")
    before = text("#live")
    browser.press("ArrowRight")
    assert text("#live") != before and count("#chart .area") == 2
    browser.eval("const f = document.getElementById('operations-rule'); f.value = 'contraction'; f.dispatchEvent(new Event('input'))")
    rule = sum(op.get("rule") == "contraction" for op in step["operations"])
    assert count("#operations tbody tr") == rule > 0
    browser.eval("document.querySelector('#casts th button').click()")
    assert count("#casts tbody tr") == len(step["casts"])
    before = browser.eval("document.documentElement.dataset.theme")
    browser.eval("document.getElementById('theme').click()")
    assert browser.eval("document.documentElement.dataset.theme") != before
    check_loops(browser, step)
    kernels = step["memory"]["mixed"]["kernels"]
    assert count("#kernels tbody tr") == len(kernels)
    timed = "times" in step  # then the step's time comes first, and every kernel has one
    assert (text("#cards h3") == "Time of a step") == timed
    heads = browser.eval("[...document.querySelectorAll('#kernels thead button')].map(b => b.textContent).join()")
    assert heads.startswith("No,Kernel,Bytes,Time,Share,GB/s" if timed else "No,Kernel,Bytes,Live")
    assert ("Live,Rounds" in heads) == any("rounds" in kernel for kernel in kernels) and ("Rounds,Per round" in heads) == (timed and "Rounds" in heads)
    check_widths(browser)
    assert not browser.problems, browser.problems
    print("page works")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(folder)
    try:
        load(browser, sys.argv[1])
        if len(sys.argv) > 2:
            drive(browser, json.load(open(sys.argv[2])))
        else:
            columns = browser.eval("Math.max(...[...document.querySelectorAll('.card thead tr')].map(row => row.children.length))")
            check_widths(browser)
            print(f"page fits with {columns - 1} columns")
    finally:
        browser.process.terminate()
        browser.process.wait()
