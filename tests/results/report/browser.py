#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a report in headless Chromium, uses it as a reader would, and prints what it saw as JSON.

    browser.py report.html [FOLDER]     screenshots of both widths and downloads go to FOLDER
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import websocket

DRAW_ALL = """(async () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  await new Promise(done => setTimeout(done, 200));
  const figures = [...document.querySelectorAll("figure")];
  for (const figure of figures) {
    figure.scrollIntoView();
    for (let i = 0; i < 100 && !figure.querySelector(".main-svg"); ++i) await new Promise(done => setTimeout(done, 30));
  }
  scrollTo(0, 0);
  return figures.map(figure => ({id: figure.id, drawn: figure.querySelector(".main-svg") !== null,
    marks: figure.querySelectorAll("path.js-line, path.point, .points path, .bars path, .heatmaplayer image, .hm").length,
    wide: figure.querySelector(".plot").scrollWidth - figure.querySelector(".plot").clientWidth}));
})()"""

UNDRAWN = """[...document.querySelectorAll("figure")].filter(figure => !figure.querySelector(".main-svg")).map(figure => figure.id)"""

FILTER = """(async () => {
  const wait = () => new Promise(done => setTimeout(done, 400));
  const traces = () => [...document.querySelectorAll(".plot")].flatMap(plot => (plot.data || [])
    .filter(trace => trace.visible === true && trace.meta).map(trace => trace.meta));
  const rows = () => [...document.querySelectorAll("tr[data-encoding]")].filter(row => !row.hidden).map(row => row.dataset.encoding);
  const box = document.querySelector("#by-encoding input");
  const name = box.closest("label").textContent;
  const ranked = () => [...document.querySelectorAll(".plot")].flatMap(plot => plot.data || [])
    .filter(trace => (trace.meta || {}).role === "matrix").flatMap(trace => trace.y);
  const counts = () => ({traces: traces().filter(meta => meta.encoding === name).length,
                         rows: rows().filter(row => row === name).length, ranked: ranked().filter(row => row === name).length});
  const before = counts();
  box.click(); await wait();
  const without = counts();
  box.click(); await wait();
  const again = counts();
  const seed = document.querySelector("#by-seed");
  seed.value = seed.options[seed.options.length - 1].value;
  seed.dispatchEvent(new Event("change")); await wait();
  const roles = [...new Set(traces().map(meta => meta.role))];
  seed.value = "mean"; seed.dispatchEvent(new Event("change")); await wait();
  const modality = document.querySelector("#by-modality input");
  modality.click(); await wait();
  const hidden = [...document.querySelectorAll("#tasks > section")].filter(section => section.hidden).length;
  modality.click(); await wait();
  const means = [...new Set(traces().map(meta => meta.role))];
  return {name, before, without, again, roles, means, hidden, shown: [...document.querySelectorAll("#tasks > section")].filter(section => !section.hidden).length};
})()"""

USE = """(async () => {
  const wait = () => new Promise(done => setTimeout(done, 300));
  const figure = document.querySelector("figure");
  const numbers = [...figure.querySelectorAll(".tools button")].find(button => button.textContent === "Numbers");
  numbers.click(); await wait();
  const rows = figure.querySelectorAll(".tools + .wide tbody tr").length;
  numbers.click(); await wait();
  const closed = figure.querySelectorAll(".tools + .wide").length === 0;
  const colour = () => getComputedStyle(document.body).backgroundColor;
  const light = colour();
  document.querySelector("#theme").click(); await wait();
  const dark = colour();
  document.querySelector("#theme").click(); await wait();
  const run = document.querySelector("#run-table button");
  run.click(); await wait();
  const settings = document.querySelector("#run-table pre") !== null;
  run.click();
  [...figure.querySelectorAll(".tools button")].find(button => button.textContent === "SVG").click();
  await new Promise(done => setTimeout(done, 1500));
  const unnamed = [...document.querySelectorAll("button, input, select, [role=img]")].filter(node =>
    !(node.textContent.trim() || node.getAttribute("aria-label") || node.closest("label")?.textContent.trim())).length;
  const headings = ["overview", "advice", "ranks", "claims", "tasks", "runs"].filter(id => !document.querySelector(`#${id} > h2`));
  return {rows, closed, light, dark, settings, unnamed, headings, advice: document.querySelectorAll("#advice .card").length,
    verdicts: [...document.querySelectorAll(".verdict")].map(cell => cell.textContent)};
})()"""


class Browser:
    def __init__(self, profile):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--hide-scrollbars", f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place = pathlib.Path(profile, "DevToolsActivePort")
        for _ in range(600):
            if place.exists() and place.read_text().count("\n"):
                break
            time.sleep(0.1)
        port, path = place.read_text().split("\n")[:2]
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=120)
        self.number, self.session, self.events = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def load(self, page):
        """Milliseconds until the page, its figures' library included, is there."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        for _ in range(1200):
            milliseconds = self.evaluate("document.documentElement?.dataset.ready")
            if milliseconds:
                return int(milliseconds)
            time.sleep(0.1)
        raise RuntimeError("the page was not there after 120 s")

    def text_without_script(self, page):
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        for _ in range(600):
            text = self.evaluate("document.querySelector('noscript')?.innerText")
            if text:
                return text
            time.sleep(0.1)
        raise RuntimeError("the page without script was not there after 60 s")

    def width(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def screenshot(self, file):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def problems(self):
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
            if event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                found.append(str([argument.get("value") for argument in parameters["args"]]))
            if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"][:100] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]


def look(page, folder):
    seen = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for domain in ("Page", "Runtime", "Log", "Network"):
                browser.call(domain + ".enable")
            browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
            browser.width(1400)
            loads = [browser.load(page) for _ in range(3)]
            seen["milliseconds"] = min(loads)  # of a machine that does other things as well
            browser.call("Page.printToPDF")
            seen["unprinted"] = browser.evaluate(UNDRAWN)
            seen["figures"] = browser.evaluate(DRAW_ALL)
            browser.screenshot(folder / "1400.png")
            seen["filter"] = browser.evaluate(FILTER)
            seen["use"] = browser.evaluate(USE)
            browser.width(420)
            time.sleep(1)
            seen["narrow"] = browser.evaluate("document.documentElement.scrollWidth")
            browser.screenshot(folder / "420.png")
            seen["problems"] = browser.problems()
            seen["requests"] = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
            seen["without script"] = browser.text_without_script(page)
            seen["downloads"] = sorted(name for name in os.listdir(folder) if name.endswith(".svg"))
        finally:
            browser.socket.close()
            browser.process.terminate()
            browser.process.wait()
    return seen


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else scratch)
        print(json.dumps(look(sys.argv[1], folder)))
