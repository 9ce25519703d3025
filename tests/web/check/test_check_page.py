"""The page `/check` checks a chosen file in the browser, says what it found and where, and sends nothing."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from service.dossier import archive
from service.dossier.verify import STEPS
from tests.http.streams import LINES
from tests.vectors import recorded_vectors
from tests.vectors.vectors_of_dossier import FILE
from tests.web.browser import Visits, hindrances
from tests.web.world import Visitor, World

DOSSIER = (recorded_vectors.FOLDER / FILE).read_bytes()
TABLE = recorded_vectors.vectors()["dossier"]["kept"]["receipt"]["stream"].removeprefix("table/")


def file(data: bytes, name: str = "dossier.zip") -> FilePayload:
    return FilePayload(name=name, mimeType="application/octet-stream", buffer=data)


def edited(name: str, old: bytes, new: bytes) -> bytes:
    files = dict(archive.unpacked(DOSSIER))
    assert old in files[name]
    return archive.packed({**files, name: files[name].replace(old, new, 1)})


def test_a_dossier_is_checked_where_it_was_chosen(page: Page, world: World) -> None:
    sent = []
    page.on("request", lambda request: sent.append((request.method, request.url)))
    page.goto(f"{world.url}/check")
    status, steps = page.locator("#check-status"), page.locator("#check-steps li")
    expect(status).to_have_text("Ready: no file was chosen yet.")
    sent.clear()
    page.get_by_label("A dossier (.zip)").set_input_files(file(DOSSIER))
    expect(status).to_have_text("dossier.zip: Every check passed. The rules of the game were not checked here.")
    outcomes = [text.partition(":")[0] for text in steps.all_inner_texts()]
    assert outcomes == ["Not checked" if name == "kept" else "Passed" for name, _, _ in STEPS]
    page.get_by_label("A dossier (.zip)").set_input_files(
        file(edited(archive.EVENTS, b'bet_placed","v":1', b'bet_raised","v":1'))
    )
    refused = f"Refused. The step leaves failed. position 14 of {TABLE}: prev must be"
    expect(status).to_have_text(re.compile(f"{refused} .* This event or the one before it was changed"))
    texts = steps.all_inner_texts()
    assert texts[4].startswith("Failed: Each event names the hash of the event before it")
    assert "leaves, position 14: prev must be" in texts[4]
    assert texts[5].startswith("Not checked: ")
    assert hindrances(page) == []
    page.get_by_label("A dossier (.zip)").set_input_files(file(DOSSIER))
    page.get_by_label("What you kept").set_input_files(file(b"other.example/log+00000000+AQ==", "kept"))
    page.get_by_role("button", name="Check again").click()
    expect(status).to_have_text(re.compile("The step kept failed. kept: must be 33 bytes in base64"))
    assert sent == []


DROP = """
    (text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "table.ndjson"));
        document.getElementById("check-drop").dispatchEvent(new DragEvent("drop", {dataTransfer, cancelable: true}));
    }
"""


def test_an_export_is_checked_where_it_was_dropped(page: Page, world: World) -> None:
    table = world.played["insurance_hearts"].table
    events = world.service.spectator.get(f"/v1/tables/{table}/events", Accept=LINES).text
    page.goto(f"{world.url}/check")
    status = page.locator("#check-status")
    expect(status).to_have_text("Ready: no file was chosen yet.")
    page.evaluate(DROP, events)
    expect(status).to_have_text("table.ndjson: No check failed. Only a dossier proves that the log has these events.")
    page.evaluate(DROP, events.replace("table_opened", "table_closed", 1))
    place = rf"line 1 \({table}, position 1\)"
    expect(status).to_have_text(re.compile(f"table.ndjson: Refused. The step file failed. {place}: the hash must be"))
    page.evaluate(DROP, "no export")
    expect(status).to_have_text(
        re.compile("table.ndjson: Refused. The step file failed. byte 0 of the file: a dossier")
    )


def test_a_link_checks_the_dossier_of_a_hand_at_once(page: Page, world: World) -> None:
    table = world.played["bankrupt"].table
    page.goto(f"{world.url}/tables/{table}/hands/1")
    page.get_by_role("link", name="check it in this browser").click()
    expect(page.locator("#check-status")).to_have_text(
        f"The dossier of hand 1 of {table}: Every check passed. The rules of the game were not checked here."
    )


def test_a_dossier_that_there_is_not_is_told_with_the_reason(visits: Visits, world: World) -> None:
    visits.allow("404")
    page = visits.open()
    page.goto(f"{world.url}/check?table={world.played['bankrupt'].table}&hand=999")
    expect(page.locator("#check-status")).to_have_text(
        re.compile("can't be checked: the service answers 404: The table has no such hand")
    )


@pytest.mark.parametrize("missing", ["subtle: undefined", "subtle: {importKey() { throw new DOMException() }}"])
def test_without_webcrypto_the_page_names_the_command(page: Page, world: World, missing: str) -> None:
    page.add_init_script(f"Object.defineProperty(window, 'crypto', {{value: {{{missing}}}}})")
    page.goto(f"{world.url}/check")
    expect(page.get_by_role("alert")).to_contain_text("python3 verify.py dossier.zip")
    expect(page.locator("#check-drop")).to_be_hidden()


def test_without_scripts_the_page_names_the_command(world: World) -> None:
    assert "<code>python3 verify.py dossier.zip</code></p></noscript>" in Visitor(world.service).page("/check")


@pytest.mark.parametrize("query", ["table=tbl_1&hand=1", "hand=1", "table=tbl_" + "0" * 32, "table=%22%3E&hand=1"])
def test_an_address_that_names_no_hand_is_refused(world: World, query: str) -> None:
    assert world.spectator.get(f"/check?{query}").status_code == 404
