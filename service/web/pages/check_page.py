"""`/check`: a dossier or an export is checked in the reader's own browser; the service gets no file."""

# DECISIONS 115

import re
from typing import Final

from flask import Blueprint, abort, render_template, request

from service.web.asking.viewer import viewer

pages = Blueprint("check_page", __name__)

_TABLE: Final = re.compile("tbl_[0-9a-f]{32}")
_HAND: Final = re.compile("[1-9][0-9]{0,9}")
_NOT_FOUND: Final = 404


@pages.get("/check")
def get_check_page() -> str:
    """Return the page. If the address names a table and a hand, the page checks the dossier of that hand at once."""
    viewer()
    table, hand = request.args.get("table", ""), request.args.get("hand", "")
    if (table or hand) and not (_TABLE.fullmatch(table) and _HAND.fullmatch(hand)):
        abort(_NOT_FOUND)
    return render_template("check.html", table=table, hand=hand)
