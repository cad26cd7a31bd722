"""The report in a real browser: Debian's Chromium without a window, and a page with everything in it."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from reproduction.measurements import Measurements
from reproduction.run_context import Effort

from reproduction.claims import CLAIMS
from reproduction.claims.base import Judged, save_claims
from reproduction.figures import FIGURES
from reproduction.printed import printed_rows
from reproduction.report import write_report
from reproduction.tables import TABLES
from reproduction.tests.conftest import made_up
from tests.browser import contrasts, needs_browser, prefer, requests_of, resize, started_browser

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

pytestmark = needs_browser

ARTICLE = "#tab-Hetero-online-centered-2"
TABLE = f"{ARTICLE} table.results"
DRAWN = sorted((Path(__file__).parents[2] / "docs" / "figures").glob("*.svg"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def written(results_folder, tmp_path_factory):
    """The page with every table, claim and figure, and most of them once more as a quick look."""
    folder = shutil.copytree(results_folder, tmp_path_factory.mktemp("whole") / "results")
    for effort, draws in ((Effort(), (0, 1)), (Effort(quick=True), (0,))):
        for label in TABLES:
            if not Measurements(folder, effort).read(label):
                measured = [made_up(row, draw) for row in printed_rows(label) for draw in draws]
                Measurements(folder, effort).write(TABLES[label], "all", measured, seconds=1.0)
        drawn = folder / "figures" / effort.name
        drawn.mkdir(parents=True, exist_ok=True)
        for number, label in enumerate(FIGURES):
            name = label.partition(":")[2]
            shutil.copy(DRAWN[number % len(DRAWN)], drawn / f"{name}.svg")
    found = [
        Judged(
            claim.number,
            claim.statement,
            claim.section,
            claim.check,
            claim.rule,
            claim.evidence,
            "holds",
            "Found.",
            claim.correction,
        )
        for claim in CLAIMS
    ]
    save_claims(folder, Effort(), found)
    return write_report(folder, Effort())


@pytest.fixture
def page(browser, written):
    """The page as a desktop shows it, in light colours."""
    resize(browser, 1280, 1000)
    prefer(browser, "light")
    browser.get(written.as_uri())
    browser.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    return browser


def opened(page, article=ARTICLE):
    """Open the first table of an article, and return it once it is there."""
    page.execute_script("document.querySelector(arguments[0]).querySelector('details').open = true", article)
    return wait(page, f"document.querySelector('{article} table')")


def wait(page, condition):
    """Return a condition once it is true."""
    script = f"const done = arguments[0]; const look = () => {{ const found = {condition}; "
    return page.execute_async_script(f"{script} found ? done(found) : setTimeout(look, 5) }}; look()")


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
    shown = page.execute_script("return [...document.images].map(image => image.naturalWidth > 0)")
    assert shown == [True] * len(FIGURES)


def test_it_is_small_and_there_at_once(page, written):
    assert written.stat().st_size < 4_000_000
    assert page.execute_script("return document.querySelectorAll('*').length") < 3000
    assert page.execute_script("return document.querySelectorAll('table.results').length") == 0


def test_everything_has_a_name_and_names_are_unique(page):
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    tables, without_caption = page.execute_script(
        "const found = [...document.querySelectorAll('table')];"
        "return [found.length, found.filter(t => !(t.caption?.textContent.trim().length > 20)).length]"
    )
    assert tables > 50
    assert without_caption == 0
    texts = page.execute_script("return [...document.images].map(image => image.alt.length)")
    assert len(texts) > len(FIGURES)
    assert min(texts) > 90
    names = page.execute_script("return [...document.querySelectorAll('[id]')].map(found => found.id)")
    assert len(names) == len(set(names))
    levels = page.execute_script(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].map(head => Number(head.tagName[1]))"
    )
    assert levels[0] == 1
    assert max(b - a for a, b in pairwise(levels)) == 1
    labels = page.execute_script(
        "return [...document.querySelectorAll('[role=region], nav, main')].map(found => found.ariaLabel)"
    )
    assert len(labels) == len(set(labels))


def test_tables_are_made_when_opened_searched_or_named_by_the_address(page, written):
    makes = "return document.querySelectorAll('table.results').length"
    opened(page)
    assert page.execute_script(makes) == 1
    assert page.find_element("css selector", f"{TABLE} caption").is_displayed()
    page.execute_script("location.hash = '#tab-auto-associative'")
    wait(page, "document.querySelector('#tab-auto-associative table.results')")
    assert page.execute_script(makes) == 2
    ActionChains(page).key_down(Keys.CONTROL).send_keys("f").key_up(Keys.CONTROL).perform()
    assert page.execute_script(makes) == sum(len(set(_columns(label))) for label in TABLES)
    page.get(f"{written.as_uri()}#claim-7")
    page.refresh()
    assert page.execute_script("return document.querySelector('#claim-7 details').open")


def _columns(label):
    return [column for row in printed_rows(label) for column in row.results]


def test_without_scripts_tables_are_there(page):
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.refresh()
        details = page.find_element("css selector", f"{ARTICLE} details")
        table = page.find_element("css selector", TABLE)
        assert not table.is_displayed()
        details.find_element("css selector", "summary").send_keys(Keys.ENTER)
        assert table.is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_headings_of_tables_stay_in_sight(page):
    """At the top of the window if the table fits into it, else at the top of its box, as on a phone."""
    opened(page)
    row = page.find_element("css selector", f"{TABLE} tbody tr:last-child")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", row)
    top = f"return document.querySelector('{TABLE} thead th').getBoundingClientRect().top"
    assert page.execute_script(top) == pytest.approx(0, abs=1)
    resize(page, 390, 844)
    wait(page, f"!document.querySelector('{ARTICLE} .box.fits')")
    page.execute_script("arguments[0].scrollIntoView({block: 'end'})", row)
    box = page.execute_script(
        f"const box = document.querySelector('{ARTICLE} .box'); "
        "return [box.scrollTop, box.getBoundingClientRect().top]"
    )
    assert box[0] > 0
    assert page.execute_script(top) == pytest.approx(box[1], abs=2)


def test_contents_have_claims_and_figures_and_mark_what_is_read(page):
    targets = page.execute_script("return [...document.querySelectorAll('nav a')].map(link => link.hash)")
    assert {f"#claim-{claim.number}" for claim in CLAIMS} <= set(targets)
    assert len([target for target in targets if target.startswith("#fig-")]) == len(FIGURES) - 1  # one on top
    marked = "document.querySelector('nav [aria-current]')"
    assert page.execute_script(f"return {marked}.hash") == "#finding"
    for target in ("#claim-9", "#fig-moving-MNIST", "#tab-Hetero-offline-2", "#protocol"):
        page.execute_script("document.querySelector(arguments[0]).scrollIntoView()", target)
        wait(page, f"{marked}.hash === '{target}'")
        at = page.execute_script(f"return {marked}.getBoundingClientRect().toJSON()")
        assert 0 <= at["top"] < at["bottom"] <= 1000  # seen in the contents
    assert len(page.find_elements("css selector", "nav [aria-current]")) == 1


def test_a_figure_is_enlarged_and_moved_by_keys(page):
    figure = page.find_element("css selector", "#fig-sigmoid-and-derivative")
    button = figure.find_element("css selector", ".enlarge")
    assert button.get_attribute("aria-label").startswith("Enlarge: Sigmoid")
    width = figure.find_element("css selector", "img").rect["width"]
    assert width == page.find_element("id", "figures").rect["width"]
    page.execute_script("arguments[0].focus()", button)
    ActionChains(page).send_keys(Keys.ENTER).perform()
    viewer = page.find_element("css selector", "dialog.viewer")
    assert viewer.is_displayed()
    fitted = viewer.find_element("css selector", "img").rect["width"]
    ActionChains(page).send_keys("++").perform()
    assert viewer.find_element("css selector", "img").rect["width"] == pytest.approx(2.25 * fitted, rel=0.01)
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    wait(page, "document.querySelector('.stage').scrollLeft > 0")
    ActionChains(page).send_keys("0").perform()
    assert viewer.find_element("css selector", "img").rect["width"] == pytest.approx(fitted, abs=1)
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not viewer.is_displayed()
    assert page.switch_to.active_element == button


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_follow_the_colours_of_the_system(page, scheme):
    prefer(page, scheme)
    corner = page.execute_async_script(
        "const done = arguments[0], image = document.querySelector('#fig-sigmoid-and-derivative img');"
        "image.scrollIntoView(); requestAnimationFrame(() => requestAnimationFrame(() => {"
        "const canvas = new OffscreenCanvas(8, 8).getContext('2d'); canvas.drawImage(image, 0, 0, 300, 200);"
        "done([...canvas.getImageData(2, 2, 1, 1).data].slice(0, 3)); }))"
    )
    assert (min(corner) > 250) if scheme == "light" else (max(corner) < 40)


def test_a_heading_sorts_by_click_and_by_key_and_goes_back(page):
    opened(page)
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
    opened(page)
    note = page.find_element("id", "note")
    cell = page.find_element("css selector", f"{TABLE} td.differs")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
    assert not note.is_displayed()
    ActionChains(page).move_to_element(cell).perform()
    assert note.is_displayed()
    for fact in ("(5 draws)", "printed", "z −", ": differs", "learning rate 0.2"):
        assert fact in note.text
    page.execute_script("arguments[0].focus()", cell)
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    assert "Hebbian-descent" in note.text
    assert ": agrees" in note.text
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not note.is_displayed()


def test_verdicts_are_told_by_signs_as_well_as_by_colours(page):
    opened(page)
    assert "≠" in page.find_element("css selector", f"{TABLE} td.differs").text
    assert "✓" in page.find_element("css selector", f"{TABLE} td.agrees").text


def test_on_a_phone_only_tables_scroll_sideways(page):
    resize(page, 390, 844)
    page.refresh()
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    width, inner = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert (width, inner) == (390, 390)
    box = page.find_element("css selector", f"{ARTICLE} .box")
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
    opened(page)
    selectors = [
        "main p",
        ".lead li",
        ".finding p",
        "main a[href]",
        "td.agrees .printed",
        "td.differs .mark",
        "caption",
        "thead button",
        ".badge",
        ".verdict.holds",
        ".count",
        ".copy",
        ".command code",
        "nav li li a",
        "nav [aria-current]",
        "footer p",
    ]
    found = contrasts(page, selectors)
    assert min(found.values()) >= 4.5, found  # what the WCAG ask for at level AA


def test_a_command_is_copied(page):
    said = page.execute_async_script(
        "const done = arguments[0], button = document.querySelector('#tables .copy'); button.click();"
        "const look = () => button.textContent === 'Copy' ? setTimeout(look, 5) : done(button.textContent);"
        "look()"
    )
    assert said in ("Copied", "Press Ctrl+C")
    chosen = page.execute_script("return getSelection().toString()")
    assert chosen.startswith("hebbian-descent run tab:Hetero_online_centered_1 --draws 10")


def test_on_paper_everything_is_open_and_the_contents_are_gone(page):
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script("return [...document.querySelectorAll('details')].every(d => d.open)")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not page.find_element("css selector", "nav").is_displayed()
    # What keeps Chromium from repeating a heading on the next page: sticking, buttons, boxes that scroll.
    style = (
        "const found = [...document.querySelectorAll(arguments[0])];"
        "return [...new Set(found.map(element => getComputedStyle(element)[arguments[1]]))]"
    )
    for selector, name, value in (
        ("thead", "display", "table-header-group"),
        ("thead", "breakInside", "avoid"),
        ("thead th", "position", "static"),
        ("thead button", "display", "contents"),
        (".box", "overflow", "visible"),
        (".box", "maxHeight", "none"),
    ):
        assert page.execute_script(style, selector, name) == [value], (selector, name)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_commands_break_before_an_option(page):
    resize(page, 390, 844)
    code = page.find_element("css selector", "#tables .command code")
    assert code.text == "hebbian-descent run tab:Hetero_online_centered_1 --draws 10 --output OUTPUT"
    assert page.execute_script("return arguments[0].scrollWidth <= arguments[0].clientWidth", code)
    lines = page.execute_script(
        "return [...arguments[0].querySelectorAll('span')].map(option => option.getClientRects().length)",
        code,
    )
    assert lines == [1, 1]


def test_motion_is_left_out_for_those_who_ask_for_none(page):
    smooth = (
        "const page = document.documentElement; page.style.scrollBehavior = '';"
        "return getComputedStyle(page).scrollBehavior"
    )
    assert page.execute_script(smooth) == "smooth"
    prefer(page, "light", motion="reduce")
    assert page.execute_script(smooth) == "auto"


def test_the_first_stop_of_the_tab_key_skips_the_contents(page):
    ActionChains(page).send_keys(Keys.TAB).perform()
    skip = page.switch_to.active_element
    assert skip.text == "Skip to the content"
    skip.send_keys(Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "content"
