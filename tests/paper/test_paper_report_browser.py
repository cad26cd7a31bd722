"""The report in a real browser: Debian's Chromium without a window."""

import pytest

from hebbian_descent.paper.report import write_report
from hebbian_descent.paper.run_context import Effort
from tests.browser import contrasts, needs_browser, prefer, requests_of, resize, started_browser

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

pytestmark = needs_browser

TABLE = "#tab-Hetero-online-centered-2 table.results"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def address(results_folder):
    return write_report(results_folder, Effort()).as_uri()


@pytest.fixture
def page(browser, address):
    """The page as a desktop shows it, in light colours."""
    resize(browser, 1280, 1000)
    prefer(browser, "light")
    browser.get(address)
    browser.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    return browser


def column(page, context):
    """Return the sort values of one column of the table, from top to bottom, without empty ones."""
    rows = "[...document.querySelector(arguments[0]).tBodies[0].rows]"
    script = f"return {rows}.map(row => row.cells[arguments[1]].dataset.value)"
    return [float(value) for value in page.execute_script(script, TABLE, context) if value]


def test_it_loads_without_an_error_and_asks_the_network_for_nothing(browser, page):
    assert page.title == "Hebbian-descent, reproduced"
    assert browser.get_log("browser") == []
    sent = requests_of(browser)
    of_the_page = [request for request in sent if request["documentURL"] == page.current_url]
    addresses = [request["request"]["url"] for request in of_the_page]
    assert page.current_url in addresses  # requests are seen
    assert {url.partition(":")[0] for url in addresses} == {"file", "data"}
    assert not [request for request in sent if request["request"]["url"].startswith(("http", "ws"))]
    assert page.execute_script("return [...document.images].map(image => image.naturalWidth > 0)") == [True]


def test_a_heading_sorts_by_click_and_by_key_and_goes_back(page):
    head = page.find_element("css selector", f"{TABLE} thead th:nth-child(4)")
    button = head.find_element("css selector", "button")
    printed_order = column(page, 3)
    assert printed_order != sorted(printed_order)
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 3) == sorted(printed_order)
    button.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 3) == sorted(printed_order, reverse=True)
    button.send_keys(Keys.SPACE)
    assert head.get_attribute("aria-sort") == "none"
    assert column(page, 3) == printed_order


def test_a_note_opens_at_the_cell_pointed_at_and_walks_with_the_arrows(page):
    note = page.find_element("id", "note")
    cell = page.find_element("css selector", f"{TABLE} td.differs")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
    assert not note.is_displayed()
    ActionChains(page).move_to_element(cell).perform()
    assert note.is_displayed()
    for fact in ("(3 draws)", "printed", "z −", ": differs", "learning rate 0.2"):
        assert fact in note.text
    page.execute_script("arguments[0].focus()", cell)
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    assert "Hebbian-descent" in note.text
    assert ": agrees" in note.text
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not note.is_displayed()


def test_verdicts_are_told_by_signs_as_well_as_by_colours(page):
    assert "≠" in page.find_element("css selector", f"{TABLE} td.differs").text
    assert "✓" in page.find_element("css selector", f"{TABLE} td.agrees").text


def test_on_a_phone_only_tables_scroll_sideways(page):
    resize(page, 390, 844)
    page.refresh()
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    width, inner = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert (width, inner) == (390, 390)
    box = page.find_element("css selector", f".box:has({TABLE.rpartition(' ')[2]})")
    assert page.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", box)


def test_colours_follow_the_system(page):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(background)
    prefer(page, "dark")
    dark = page.execute_script(background)
    brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (light, dark)]
    assert brightness[0] > 600
    assert brightness[1] < 150


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(page, scheme):
    prefer(page, scheme)
    selectors = [
        "main p",
        "a[href]",
        "td.agrees .printed",
        "td.differs .mark",
        "td.absent",
        ".count",
        "nav li li a",
    ]
    found = contrasts(page, selectors)
    assert min(found.values()) >= 4.5, found  # what the WCAG ask for at level AA


def test_a_command_is_copied(page):
    button = page.find_element("css selector", "#tables .copy")
    button.click()
    chosen = page.execute_script("return getSelection().toString()")
    assert chosen.startswith("hebbian-descent run tab:Hetero_online_centered_1 --draws 10")
    assert button.text in ("Copied", "Press Ctrl+C")


def test_on_paper_everything_is_open_and_the_contents_are_gone(page):
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script("return [...document.querySelectorAll('details')].every(d => d.open)")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not page.find_element("css selector", "nav").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
