"""A headless Chromium that opens a file and tells what happened: spoken to through two pipes."""

import fcntl
import json
import os
import select
import shutil
import signal
import time
from base64 import b64decode
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds until an answer that does not come is an error


@contextmanager
def chromium(profile):
    """The browser, closed at the end; `profile` is an empty folder. Skips where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None or not hasattr(os, "posix_spawn"):
        pytest.skip("no chromium here: apt-get install --no-install-recommends chromium")
    (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
    # Above the two numbers on which the browser listens and speaks, so that none is overwritten.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]
    nothing = os.open(os.devnull, os.O_RDWR)
    process = os.posix_spawn(
        program,
        [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        os.environ,
        file_actions=[
            *((os.POSIX_SPAWN_DUP2, nothing, number) for number in (0, 1, 2)),
            (os.POSIX_SPAWN_DUP2, ends[0], 3),
            (os.POSIX_SPAWN_DUP2, ends[1], 4),
        ],
        setpgroup=0,
    )
    for end in (theirs_in, theirs_out, nothing, *ends):
        os.close(end)
    try:
        yield Browser(ours_out, ours_in)
    finally:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(ours_out)
        os.close(ours_in)


class Browser:
    """Commands of the DevTools protocol, one at a time; events are kept."""

    def __init__(self, out, into):
        self.out, self.into, self.rest, self.last = out, into, b"", 0
        self.events, self.session = [], None

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while (answer := self._next()).get("id") != self.last:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def open(self, file, width=1200, height=900, dark=False):
        """Opens the file in a new tab and waits until all of it is there."""
        self.session, self.events = None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=file.absolute().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())
        return self

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def click(self, selector):
        """The mouse, in the middle of an element."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        where = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **where)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **where)

    def press(self, key, code, text=""):
        """A key of the keyboard, down and up."""
        key = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **key)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def screenshot(self, file, whole=True):
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(b64decode(picture["data"]))

    @property
    def requests(self):
        """Every address that was asked for."""
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    @property
    def errors(self):
        """What the console complains about."""
        told = [(event.get("method"), event.get("params")) for event in self.events]
        logged = [p["entry"]["text"] for method, p in told if method == "Log.entryAdded"]
        thrown = [p for method, p in told if method == "Runtime.exceptionThrown"]
        said = [
            p
            for method, p in told
            if method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert")
        ]
        return logged + thrown + said

    def _next(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.into, 1 << 16)
            if not piece:
                raise EOFError("the browser has closed")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)
