"""A real browser for tests of pages: Debian's Chromium without a window, driven by Selenium."""

import json
import shutil
from contextlib import contextmanager

import pytest

try:
    from selenium import webdriver
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (webdriver and CHROMIUM and DRIVER),
    reason="no selenium, or no chromium with chromedriver; `make browser` installs them",
)

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)


@contextmanager
def started_browser(profile):
    """Start the browser with a new profile, and end it."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def resize(browser, width, height, pixel_ratio=1):
    """Show pages as on a screen of this size."""
    size = {"width": width, "height": height, "deviceScaleFactor": pixel_ratio, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(browser, scheme, *, motion="no-preference"):
    """Show pages as to somebody who prefers light or dark colours, and motion or none."""
    features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
    given = [{"name": name, "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": given})


def requests_of(browser):
    """Return the requests that the browser sent since it was last asked."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]


CONTRASTS = """
const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parts = text => text.match(/[\\d.]+/g).map(Number);
const behind = node => {
  const colour = parts(getComputedStyle(node).backgroundColor);
  return colour.length < 4 || colour[3] ? colour : behind(node.parentElement);
};
return arguments[0].map(selector => {
  const node = document.querySelector(selector);
  const style = getComputedStyle(node), back = behind(node), ink = parts(style.color);
  const seen = ink.slice(0, 3).map((c, i) => style.opacity * c + (1 - style.opacity) * back[i]);
  const [a, b] = [light(seen), light(back)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
});
"""


def contrasts(browser, selectors):
    """Return the contrast ratio of the text of elements to its background, as defined by the WCAG."""
    return dict(zip(selectors, browser.execute_script(CONTRASTS, selectors), strict=True))
