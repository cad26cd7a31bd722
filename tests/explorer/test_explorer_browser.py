"""The explorer in a real browser, with the network cut off."""

import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import image

from hebbian_descent.explorer import explore
from tests.browser import contrasts, needs_browser, prefer, requests_of, resize, started_browser

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

pytestmark = needs_browser

N_RULES = 4


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started_browser(tmp_path_factory.mktemp("profile")) as driver:
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
        yield driver


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    explore().save(path)
    return path.as_uri()


@pytest.fixture
def visit(browser, address):
    """Return a function that opens the page as on a desktop, with a state in its address."""

    def open_page(state="learned=100", width=1280, height=1000, scheme="light", motion="no-preference"):
        resize(browser, width, height)
        prefer(browser, scheme, motion=motion)
        browser.get("about:blank")  # otherwise another state would only be read, not a page be loaded
        browser.get_log("browser")
        requests_of(browser)
        browser.get(f"{address}#{state}" if state else address)
        settle(browser)
        return browser

    yield open_page
    assert browser.get_log("browser") == []


def settle(page):
    """Wait for two frames, after which what was requested is drawn."""
    page.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
    )


def find(page, selector):
    return page.find_element("css selector", selector)


def wait_for(page, condition, seconds=20):
    return WebDriverWait(page, seconds, 0.05).until(lambda _: condition())


def learned(page):
    return int(find(page, "#count").text.split()[0])


def numbers(page, name):
    lists = page.find_elements("css selector", "#rules dl")
    return [float(values.get_attribute(f"data-{name}")) for values in lists]


def state_now(page):
    """Return what is in the address, which follows what is shown with a delay."""
    place = page.execute_script("return location.hash")
    return dict(part.split("=") for part in place[1:].split("&") if part)


def state(page):
    """Return what is in the address once it no longer changes."""
    before = None
    while before != state_now(page):
        before = state_now(page)
        page.execute_async_script("setTimeout(arguments[0], 350)")
    return before


def slide(page, name, value):
    """Move a slider to a position, as a hand would: the page is notified by events."""
    slider = find(page, f"#setting-{name}")
    script = (
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
    )
    page.execute_script(script, slider, value)
    settle(page)


def picture(page, canvas):
    return page.execute_script("return arguments[0].toDataURL()", canvas)


def walls(page):
    return [picture(page, canvas) for canvas in page.find_elements("css selector", ".wall canvas")]


def test_without_a_click_it_is_alive_and_asks_the_network_for_nothing(visit):
    page = visit(state="")
    assert find(page, "h1").text == "A memory that fills up before your eyes"
    wait_for(page, lambda: learned(page) >= 5)
    before = [*walls(page), picture(page, find(page, "#forgetting")), picture(page, find(page, "#rates"))]
    n = learned(page)
    wait_for(page, lambda: learned(page) >= n + 5)
    after = [*walls(page), picture(page, find(page, "#forgetting")), picture(page, find(page, "#rates"))]
    assert all(new != old for new, old in zip(after, before, strict=True))
    assert find(page, "#take-tour").is_displayed()
    assert find(page, "#play").text == "Pause"
    schemes = {request["request"]["url"].partition(":")[0] for request in requests_of(page)}
    assert "file" in schemes  # requests are seen
    assert schemes <= {"file", "data", "about"}


def test_who_wants_no_motion_sees_a_full_memory_at_rest(visit):
    page = visit(state="", motion="reduce")
    assert learned(page) == 100
    assert find(page, "#play").text == "Play again"
    animation = "return getComputedStyle(document.querySelector('.asked')).animationName"
    find(page, "#take-tour").click()
    settle(page)
    assert page.execute_script(animation) == "none"


def test_it_is_played_stepped_and_scrubbed(visit):
    page = visit("learned=10")
    find(page, "#step").click()
    settle(page)
    assert learned(page) == 11
    find(page, "#play").click()
    wait_for(page, lambda: learned(page) > 13)
    find(page, "#play").click()
    settle(page)
    n = learned(page)
    page.execute_async_script("setTimeout(arguments[0], 500)")
    assert learned(page) == n
    assert state(page) == {"learned": str(n)}
    find(page, "#learned").send_keys(Keys.ARROW_LEFT)
    settle(page)
    assert learned(page) == n - 1
    find(page, "#again").click()
    settle(page)
    assert learned(page) == 0
    assert find(page, "#looking").text == "Nothing learned yet"


def test_going_back_and_forth_in_time_leaves_the_same_numbers(visit):
    page = visit("learned=40&centering=moving")
    expected = numbers(page, "all")
    find(page, "#learned").send_keys(Keys.HOME)
    settle(page)
    for _ in range(4):
        find(page, "#learned").send_keys(Keys.PAGE_UP)
    settle(page)
    assert learned(page) == 40
    assert numbers(page, "all") == expected


@pytest.mark.parametrize(
    ("name", "position", "shown"),
    [
        ("activity", 15, "0.2"),
        ("correlation", 30, "0.3"),
        ("learning_rate", 40, None),
        ("weight_decay", 60, None),
        ("shift", 150, None),
    ],
)
def test_a_slider_learns_everything_again(visit, name, position, shown):
    page = visit("learned=60&stored=random&centering=half")
    before = numbers(page, "all")
    slide(page, name, position)
    assert learned(page) == 60
    assert numbers(page, "all") != before
    output = find(page, f"[data-setting={name}] output").text
    assert shown in (None, output)
    assert find(page, f"#setting-{name}").get_attribute("aria-valuetext") == output
    wait_for(page, lambda: float(state_now(page).get(name, "nan")) == float(output))


def test_a_slider_moves_by_keys(visit):
    page = visit("learned=30")
    slider = find(page, "#setting-correlation")
    slider.send_keys(Keys.ARROW_RIGHT * 3)
    settle(page)
    assert find(page, "[data-setting=correlation] output").text == "0.03"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("activation", "rectifier"),
        ("centering", "none"),
        ("stored", "random"),
        ("cues", "digits"),
        ("patterns", "200"),
    ],
)
def test_a_list_learns_everything_again(visit, name, value):
    page = visit("learned=60&speed=200")
    before = numbers(page, "all")
    Select(find(page, f"#setting-{name}")).select_by_value(value)
    settle(page)
    assert learned(page) == 60
    if name != "patterns":
        assert numbers(page, "all") != before
    wait_for(page, lambda: state_now(page).get(name) == value)


def test_fewer_patterns_than_were_learned(visit):
    page = visit("patterns=200&learned=150&pattern=120&damage=ff")
    Select(find(page, "#setting-patterns")).select_by_value("50")
    settle(page)
    assert learned(page) == 50
    assert find(page, "#looking").text == "Pattern 50, learned last"
    assert find(page, "#damage").text == ""


def test_a_pattern_that_is_looked_at_stays_while_others_are_learned(visit):
    page = visit("learned=10&pattern=3&speed=60&stored=random")
    before = find(page, "#rules dd").text
    find(page, "#play").click()
    wait_for(page, lambda: learned(page) == 100)
    settle(page)
    assert find(page, "#looking").text == "Pattern 3, learned 97 patterns ago"
    assert float(find(page, "#rules dd").text) > 2 * float(before)


def test_a_fixed_rate_and_the_automatic_one(visit):
    page = visit("learned=50")
    automatic = numbers(page, "all")
    box = find(page, "#automatic-learning_rate")
    assert box.is_selected()
    box.click()
    settle(page)
    assert numbers(page, "all") != automatic
    wait_for(page, lambda: state_now(page).get("learning_rate") == "0.1")
    box.click()
    settle(page)
    assert numbers(page, "all") == automatic
    chart = find(page, "#rates")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    ActionChains(page).move_to_element(chart).click().perform()  # the middle of the scale
    settle(page)
    wait_for(page, lambda: 0.1 < float(state_now(page).get("learning_rate", "nan")) < 1)
    assert not box.is_selected()


def test_another_rule_takes_the_place_of_one(visit):
    page = visit("learned=50")
    before = numbers(page, "all")
    select = Select(find(page, "#rules article:nth-child(3) select"))
    assert select.options[0].text == "Hebbian-descent"
    select.select_by_value("contrastive")
    settle(page)
    after = numbers(page, "all")
    assert after[2] == pytest.approx(after[0], abs=1e-12)  # for a layer the two rules are one
    assert after[:2] == before[:2]
    rules = "hebbian_descent,gradient_descent,contrastive,covariance"
    wait_for(page, lambda: state_now(page).get("rules") == rules)


def test_the_address_brings_everything_back(visit):
    given = (
        "rules=contrastive,hebb,covariance,hebbian_descent&stored=random&patterns=50&activity=0.3&correlation=0.2&seed=7"
        "&activation=softplus&learning_rate=0.05&weight_decay=0.01&centering=moving&shift=0.03&speed=20"
        "&learned=33&pattern=5&damage=f0f&tour=4"
    )
    page = visit(given)
    expected = dict(part.split("=") for part in given.split("&"))
    assert state(page) == expected
    found = numbers(page, "recent")
    assert find(page, "#looking").text == "Pattern 5, learned 28 patterns ago"
    assert "8 units inverted" in find(page, "#damage").text
    assert find(page, "[data-tour=count]").text == "4 of 6"
    page.refresh()
    settle(page)
    assert numbers(page, "recent") == found
    page.execute_script("location.hash = 'learned=20'")  # as if typed, or by the history
    wait_for(page, lambda: learned(page) == 20)
    assert not find(page, "#tour").is_displayed()


def test_an_address_without_sense_shows_the_usual_page(visit):
    page = visit(
        "rules=a,b&activation=constructor&learning_rate=NaN&learned=40&pattern=99&damage=xyz&tour=99"
    )
    assert learned(page) == 40
    assert state(page) == {"learned": "40"}
    assert len(numbers(page, "all")) == N_RULES


def test_a_picture_on_the_wall_is_recalled_and_its_cue_damaged_by_dragging(visit):
    page = visit("learned=100")
    wall = find(page, ".wall canvas")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", wall)
    half = wall.size["width"] / 2
    tile = wall.size["width"] / 10
    ActionChains(page).move_to_element_with_offset(
        wall, 3.5 * tile - half, 8.5 * tile - half
    ).click().perform()
    settle(page)
    assert find(page, "#looking").text == "Pattern 84, learned 16 patterns ago"
    assert "Pattern 84. Errors: Hebbian-descent 0." in find(page, "#announcer").get_attribute("textContent")
    before = [element.text for element in page.find_elements("css selector", "#rules dd:first-of-type")]
    cue = find(page, "#cue")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", cue)
    move = ActionChains(page).move_to_element_with_offset(cue, -60, -20).click_and_hold()
    move.move_by_offset(120, 0).release().perform()
    settle(page)
    n_damaged = int(re.search(r"with (\d+) units", find(page, "#damage").text)[1])
    assert n_damaged == 11  # 120 of the 12 pixels of a unit, and the one it began in
    after = [element.text for element in page.find_elements("css selector", "#rules dd:first-of-type")]
    assert after != before
    assert "damage" in state(page)
    find(page, "#repair").click()
    settle(page)
    repaired = [element.text for element in page.find_elements("css selector", "#rules dd:first-of-type")]
    assert repaired == before
    find(page, "#newest").click()
    settle(page)
    assert find(page, "#looking").text == "Pattern 100, learned last"


def test_everything_works_by_keys_alone(visit):
    page = visit("learned=100")
    wall = find(page, ".wall canvas")
    wall.send_keys(Keys.ARROW_UP, Keys.ARROW_LEFT)
    settle(page)
    assert find(page, "#looking").text == "Pattern 89, learned 11 patterns ago"
    assert wall.get_attribute("aria-valuenow") == "89"
    assert re.fullmatch(r"pattern 89, error 0\.\d{3}", wall.get_attribute("aria-valuetext"))
    wall.send_keys(Keys.HOME)
    settle(page)
    assert find(page, "#looking").text.startswith("Pattern 1,")
    cue = find(page, "#cue")
    cue.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.SPACE)
    settle(page)
    assert find(page, "#damage").text == "with 1 unit inverted"
    assert cue.get_attribute("aria-valuetext").startswith("row 2, column 2: o")
    reached = set()
    find(page, "body").click()
    for _ in range(60):
        ActionChains(page).send_keys(Keys.TAB).perform()
        reached.add(page.execute_script("return document.activeElement.id || document.activeElement.tagName"))
    assert {"take-tour", "copy", "play", "again", "learned", "cue", "setting-correlation"} <= reached


def test_screen_readers_find_a_name_for_everything(visit):
    page = visit("learned=100&tour=1")
    page.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {}
    for node in nodes:
        if not node.get("ignored"):
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "slider", "combobox", "checkbox", "image", "region", "heading"):
        assert roles.get(role), role
        assert all(roles[role]), (role, roles[role])
    assert len([name for name in roles["slider"] if name.startswith("Wall of")]) == N_RULES


def test_the_tour_leads_through_six_steps(visit):
    page = visit("learned=100")
    find(page, "#take-tour").click()
    settle(page)
    assert learned(page) == 0
    assert page.execute_script("return document.activeElement.dataset.tour") == "title"
    titles = []
    for step in range(1, 7):
        assert find(page, "[data-tour=count]").text == f"{step} of 6"
        titles.append(find(page, "[data-tour=title]").text)
        assert any(asked.is_displayed() for asked in page.find_elements("css selector", ".asked"))
        assert find(page, "[data-tour=done]").text == ""
        find(page, "[data-tour=act]").click()
        wait_for(page, lambda: "Done" in find(page, "[data-tour=done]").text)
        assert not page.find_elements("css selector", ".asked")
        wait_for(page, lambda step=step: state_now(page).get("tour") == str(step))
        find(page, "[data-tour=next]").click()
        settle(page)
    assert len(set(titles)) == 6
    assert not find(page, "#tour").is_displayed()
    assert find(page, "#take-tour").is_displayed()


def test_a_step_is_done_by_hand_as_well(visit):
    page = visit("learned=100")
    find(page, "#take-tour").click()
    find(page, "[data-tour=next]").click()
    settle(page)
    slide(page, "correlation", 40)
    assert "Done" in find(page, "[data-tour=done]").text
    find(page, "[data-tour=back]").click()
    settle(page)
    assert find(page, "[data-tour=count]").text == "1 of 6"
    find(page, "[data-tour=end]").click()
    settle(page)
    assert not find(page, "#tour").is_displayed()


@pytest.mark.parametrize(
    "given",
    [
        "learned=100",
        "stored=random&cues=digits&learned=73&centering=moving&shift=0.03&weight_decay=0.01&seed=4",
        "stored=random&learned=50&centering=half&learning_rate=0.3&activation=softsign&pattern=20&damage=f0f0ff",
        "patterns=50&learned=0&centering=none&correlation=0.4&activity=0.2&rules=contrastive,hebb,hebb,covariance",
        "activation=linear&learning_rate=100&learned=60",
    ],
)
def test_the_script_prints_the_numbers_of_the_page(visit, given):
    page = visit(given)
    find(page, "#copy").click()
    code = find(page, "#script code").text
    assert find(page, "#script").is_displayed()
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    find(page, "#copy-script").click()
    wait_for(page, lambda: find(page, "#script [role=status]").text in ("Copied", "Press Ctrl+C"))
    assert page.execute_script("return getSelection().toString()").strip() == code.strip()
    find(page, "#close-script").click()
    if "learned=0" in given:  # the script learns all patterns
        find(page, "#learned").send_keys(Keys.END)
        settle(page)
    lists = page.find_elements("css selector", "#rules dl")
    shown = [(values.get_attribute("data-recent"), values.get_attribute("data-all")) for values in lists]
    lines = [line for line in printed.stdout.splitlines() if "damaged" not in line]
    for line, (recent, over_all) in zip(lines, shown, strict=True):
        if recent == "":
            assert "diverged" in line
            continue
        found = re.search(r"last 20 (\S+), all (\S+)$", line)
        assert float(found[1]) == pytest.approx(float(recent), abs=1e-9)
        assert float(found[2]) == pytest.approx(float(over_all), abs=1e-9)
    if "damage" in given:
        damaged = [float(line.split()[-1]) for line in printed.stdout.splitlines() if "damaged" in line]
        errors = [element.text for element in page.find_elements("css selector", "#rules dd:first-of-type")]
        assert [f"{error:.3f}" for error in damaged] == errors


def test_what_diverges_says_so(visit):
    page = visit("activation=linear&learning_rate=100&learned=60")
    words = find(page, "#rules dl").text
    assert "diverged" in words
    assert "learned" in words


@pytest.mark.parametrize("activation", ["softmax", "exponential", "step"])
@pytest.mark.parametrize("centering", ["none", "half"])
def test_no_setting_breaks_the_page(visit, activation, centering):
    for rate in ("auto", "100", "0.001"):
        page = visit(
            f"activation={activation}&centering={centering}&learning_rate={rate}&learned=50&weight_decay=0.3"
        )
        assert learned(page) == 50
        page.execute_async_script("setTimeout(arguments[0], 300)")


@pytest.mark.parametrize(
    ("width", "height"),
    [(390, 844), (768, 1024), (820, 1180), (1280, 800), (1920, 1080)],  # in one a scroll bar comes late
)
@pytest.mark.parametrize("state", ["learned=100", "learned=80&tour=5&cues=digits"])
def test_nothing_is_wider_than_the_screen_and_pictures_are_sharp(visit, width, height, state):
    page = visit(state, width=width, height=height)
    found = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert found[0] <= found[1] == width
    wait_for(page, lambda: all(page.execute_script(ARE_SHARP)))


ARE_SHARP = """
return [...document.querySelectorAll("canvas")].map((canvas) => {
  const { width, height } = canvas.getBoundingClientRect();
  return width > 50 && Math.abs(canvas.width - width) < 1 && Math.abs(canvas.height - height) < 1.5;
});
"""


def test_on_a_phone_settings_unfold_over_the_page(visit):
    page = visit("learned=100&tour=5", width=390, height=844)
    assert not find(page, "#setting-weight_decay").is_displayed()
    find(page, "summary").click()
    settle(page)
    box = page.execute_script(
        "return document.getElementById('setting-weight_decay').getBoundingClientRect().toJSON()"
    )
    assert box["top"] > 844 / 2
    assert box["bottom"] < 844  # what the step asks for is in sight
    slide(page, "weight_decay", 120)
    assert "Done" in find(page, "[data-tour=done]").text


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_screenshots_show_pictures_in_the_colours_of_the_rules(visit, tmp_path, width, scheme):
    page = visit("learned=100&stored=random", width=width, scheme=scheme)
    path = tmp_path / "screenshot.png"
    for wall in page.find_elements("css selector", ".wall"):
        page.execute_script("arguments[0].scrollIntoView({block: 'start'})", wall)
        settle(page)
        wall.screenshot(str(path))
        pixels = image.imread(path)[:, :, :3]
        background = np.median(pixels.reshape(-1, 3), axis=0)
        assert (background > 0.8).all() if scheme == "light" else (background < 0.25).all()
        coloured = np.ptp(pixels, axis=2) > 0.2
        assert 0.05 < coloured.mean() < 0.7


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(visit, scheme):
    page = visit("learned=100&tour=2", scheme=scheme)
    find(page, "[data-tour=act]").click()
    settle(page)
    selectors = (
        "h1",
        "[data-tour=sentence]",
        "[data-tour=done]",
        "[data-tour=next]",
        "#play",
        "#copy",
        "figcaption",
        ".setting small",
        ".setting output",
        "legend",
        "dt",
        "dd",
        "article select",
        "footer p",
    )
    found = contrasts(page, selectors)
    assert min(found.values()) >= 4.5, found  # what the WCAG ask for at level AA
    # A line of a chart is no text, and needs less.
    lines = page.execute_script(
        "return ['hebbian-descent', 'gradient-descent', 'hebb', 'covariance', 'contrastive'].map(name => {"
        "const node = document.body.appendChild(document.createElement('p'));"
        "node.className = name; node.style.color = `var(--${name})`; return '.' + name})"
    )
    assert min(contrasts(page, lines).values()) >= 3


def test_colours_follow_the_system_while_the_page_is_open(visit):
    page = visit("learned=100")
    light = walls(page)
    prefer(page, "dark")
    settle(page)
    assert all(dark != bright for dark, bright in zip(walls(page), light, strict=True))


def test_it_keeps_up_with_sixty_patterns_per_second_on_a_slow_processor(visit):
    """Four rules, 200 inputs and 64 outputs, four times slower than here."""
    page = visit("learned=0&patterns=400&stored=random&speed=120")
    page.set_script_timeout(60)
    page.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 4})
    try:
        rate = page.execute_async_script(
            """
            const done = arguments[0];
            const learned = () => Number(document.getElementById("learned").value);
            document.getElementById("play").click();
            let start = null;
            const tick = (now) => {
              if (start === null && learned() >= 20) start = { now, n: learned() };
              if (learned() < 400) requestAnimationFrame(tick);
              else done((400 - start.n) / (now - start.now) * 1000);
            };
            requestAnimationFrame(tick);
            """
        )
    finally:
        page.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
    assert rate >= 60


def test_in_the_frame_of_a_notebook_it_works_and_leaves_the_address_alone(browser, tmp_path):
    path = tmp_path / "notebook.html"
    shown = explore(stored="random", correlation=0.3, patterns=50)
    path.write_text(
        f"<!doctype html><title>Notebook</title><p>Output</p>{shown._repr_html_()}", encoding="utf-8"
    )
    resize(browser, 1280, 1000)
    prefer(browser, "light")
    browser.get_log("browser")
    browser.get(path.as_uri())
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    wait_for(browser, lambda: learned(browser) >= 10)
    assert find(browser, "[data-setting=correlation] output").text == "0.3"
    find(browser, "#play").click()
    find(browser, "#copy").click()
    assert "correlation=0.3" in find(browser, "#script code").text
    browser.switch_to.default_content()
    assert browser.current_url == path.as_uri()
    assert browser.get_log("browser") == []
