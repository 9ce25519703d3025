"""Examines an open page in a browser: its outline, size and labels, and the controls that the keyboard reaches."""

from itertools import pairwise
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

NARROW, WIDE = 360, 2_560
_AXE: Final = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}

_OUTLINE: Final = """() => ({
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(one => Number(one.tagName[1])),
    empty: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(one => !one.textContent.trim()).length,
    main: document.querySelectorAll("main").length,
    banner: document.querySelectorAll("body > header").length,
    navigation: document.querySelectorAll("header nav[aria-label]").length,
    title: document.title,
    language: document.documentElement.lang,
    unlabelled: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
        .filter(one => !one.labels.length && !one.ariaLabel && !one.getAttribute("aria-labelledby"))
        .map(one => one.outerHTML),
    unscoped: [...document.querySelectorAll("th:not([scope])")].map(one => one.outerHTML),
    unnamed: [...document.querySelectorAll("table")]
        .filter(one => !one.caption && !one.ariaLabel && !one.getAttribute("aria-labelledby")
            && !one.closest("[role=region][aria-label], [role=region][aria-labelledby]"))
        .map(one => one.outerHTML.slice(0, 200)),
})"""

_SIZE: Final = """() => ({
    wide: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
    out: [...document.querySelectorAll("body *")]
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".wide, svg, [hidden]"))
        .map(one => one.outerHTML.slice(0, 120)).slice(0, 5),
})"""

_WATCH_FOCUS: Final = """most => {
    const stops = [...document.querySelectorAll(
        "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter(one =>
        !one.disabled && one.checkVisibility({visibilityProperty: true}) && !one.closest("[inert]")
        && (one.type !== "radio" || one.checked || !document.querySelector(`input[name="${one.name}"]:checked`)));
    window.awaited = new Set(stops.slice(0, most));
    window.unseen = [];
    document.activeElement?.blur();
    addEventListener("focusin", ({target}) => {
        window.awaited.delete(target);
        const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(target);
        if ((outlineStyle === "none" || outlineWidth === "0px") && boxShadow === "none")
            window.unseen.push(target.outerHTML.slice(0, 200));
    });
    return window.awaited.size;
}"""

_MISSED: Final = """() => ({
    missed: [...window.awaited].filter(one => one.type !== "radio").map(one => one.outerHTML.slice(0, 200)),
    unseen: window.unseen,
})"""

_TEXT: Final = """() => {
    const times = [...document.querySelectorAll("time")];
    times.forEach(one => { one.textContent = "time"; });
    document.querySelectorAll("noscript").forEach(one => one.remove());
    return document.querySelector("main").innerText;
}"""


def faults_of_outline(page: Page) -> list[str]:
    """Return the faults of the headings, landmarks, labels and tables of *page*."""
    found: dict[str, Any] = page.evaluate(_OUTLINE)
    levels = found["headings"]
    jumps = [f"h{two} after h{one}" for one, two in pairwise(levels) if two > one + 1]
    wrong = {
        "not one h1 at first": levels[:1] != [1] or levels.count(1) != 1,
        "empty headings": found["empty"],
        "not one main": found["main"] != 1,
        "not one header": found["banner"] != 1,
        "no navigation": not found["navigation"],
        "no title": not found["title"].removesuffix("· Chiptrail").strip(),
        "no language": found["language"] != "en",
        "headings": jumps,
        "controls without a label": found["unlabelled"],
        "headers without scope": found["unscoped"],
        "tables without a name": found["unnamed"],
    }
    return [f"{about}: {is_wrong}" for about, is_wrong in wrong.items() if is_wrong]


def faults_of_size(page: Page, width: int) -> list[str]:
    """Return a fault, with elements that are too wide, if *page* is wider than a window of *width* pixels."""
    page.set_viewport_size({"width": width, "height": 800})
    found = page.evaluate(_SIZE)
    too_wide = found["wide"] > found["room"]
    return [f"at {width} px the page is {found['wide']} px wide: {found['out']}"] if too_wide else []


def faults_of_keyboard(page: Page, most: int) -> list[str]:
    """Return which of the first *most* controls Tab does not reach, and which controls do not show the focus."""
    for _ in range(page.evaluate(_WATCH_FOCUS, most) + 2):
        page.keyboard.press("Tab")
    found = page.evaluate(_MISSED)
    return [f"{about}: {elements}" for about, elements in found.items() if elements]


def faults_of_axe(page: Page) -> list[str]:
    """Return the faults that axe finds on *page*, also by its rule for the size of targets."""
    found = Axe().run(page, options=_AXE).response["violations"]
    return [f"{one['id']} {node['target']}: {node['failureSummary']}" for one in found for node in one["nodes"]]


def text_of(page: Page) -> set[str]:
    """Return the lines of the content of *page*, without the texts for browsers that run no scripts."""
    return {" ".join(line.split()) for line in page.evaluate(_TEXT).splitlines()}
