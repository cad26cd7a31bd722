"""The built site in a real browser with the network cut off, opened from the disk and from a server."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser import contrasts, needs_browser, prefer, requests_of, resize, started_browser

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = [needs_browser, pytest.mark.site]

OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
OWN = ("file:", "data:", "about:", "blob:", "chrome:", "http://127.0.0.1")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started_browser(tmp_path_factory.mktemp("profile")) as driver:
        driver.execute_cdp_cmd("Network.enable", {})
        yield driver


@pytest.fixture(params=["disk", "server"])
def address(request, site, browser):
    """Yield the address of the site; from the disk, the network is cut off altogether."""
    if request.param == "disk":
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE)
        yield site.as_uri()
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**OFFLINE, "offline": False})
        return
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.execute_cdp_cmd(
            "Network.setBlockedURLs", {"urls": ["*://*.*.com/*", "*://*.org/*", "*://*.io/*"]}
        )
        yield f"http://127.0.0.1:{server.server_port}"
        browser.get("about:blank")
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def visit(browser, address):
    browser.get("about:blank")
    browser.get_log("browser")
    requests_of(browser)
    browser.get(address)
    WebDriverWait(browser, 20).until(
        lambda page: page.execute_script("return document.readyState") == "complete"
    )
    return browser


def failures(browser):
    """Return what the browser complains of; a frame on a disk may not take the focus, and need not."""
    return [entry["message"] for entry in browser.get_log("browser") if "autofocus" not in entry["message"]]


def wait_for(page, condition):
    return WebDriverWait(page, 20, 0.05).until(lambda _: condition())


def test_no_page_asks_for_anything_from_elsewhere_or_in_vain(browser, address, site):
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    pages.remove("404.html")  # which servers alone show
    for name in pages if address.startswith("file:") else pages[::8]:
        page = visit(browser, f"{address}/{name}")
        asked = {request["request"]["url"] for request in requests_of(page)}
        assert any(name in url for url in asked)  # requests are seen
        assert not [url for url in asked if not url.startswith(OWN)], name
        assert failures(page) == [], name


IN_DIALOG = """
const within = root => [...root.querySelectorAll("*")].flatMap(
  node => node.shadowRoot ? [node, ...within(node.shadowRoot)] : [node]);
return within(document).filter(node => node.getRootNode() !== document && node.matches(arguments[0]))
  .map(node => node.href ?? node.tagName);
"""


def test_search_finds_a_page(browser, address):
    page = visit(browser, f"{address}/trust.html")
    page.find_element("css selector", ".md-search__button").click()
    wait_for(page, lambda: page.execute_script(IN_DIALOG, "dialog[open] input"))
    ActionChains(page).send_keys("MurmurHash3").perform()
    wait_for(page, lambda: "streams.html" in str(page.execute_script(IN_DIALOG, "a[role=option]")))
    assert failures(page) == []


def test_the_explorer_on_the_front_page_is_alive(browser, address):
    page = visit(browser, f"{address}/index.html")
    frame = page.find_element("css selector", "iframe.explorer")
    page.execute_script("arguments[0].scrollIntoView()", frame)
    page.switch_to.frame(frame)
    count = "return Number(document.querySelector('#count')?.textContent.split(' ')[0] ?? 0)"
    wait_for(page, lambda: page.execute_script(count) >= 3)
    page.switch_to.default_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_links_stand_out(browser, site, scheme):
    prefer(browser, scheme)
    page = visit(browser, f"{site.as_uri()}/memory.html")
    found = contrasts(page, ["article h1", "article p", "article p a", "article table th"])
    assert min(found.values()) >= 4.5, found
    prefer(browser, "light")


@pytest.mark.parametrize("name", ["index.html", "memory.html", "api/memories.html", "tutorials/table.html"])
def test_on_a_phone_pages_are_no_wider_than_the_screen(browser, site, name):
    resize(browser, 390, 844)
    page = visit(browser, f"{site.as_uri()}/{name}")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    resize(browser, 1280, 1000)
