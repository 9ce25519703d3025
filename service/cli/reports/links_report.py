"""Prints the links of a server that runs for a person: where to watch, to read, to check and to play."""

from service.cli.reports.hand_report import heading
from service.cli.support.output import escaped, stdout
from service.client.hand_answers import HandHistory


def links(url: str, disputed: HandHistory | None) -> None:
    """Print the link to the first page of the server at *url* and, unless *disputed* is None, links to this hand."""
    heading("In your browser")
    _link("Everything begins at", f"{url}/")
    if disputed:
        hand = f"{url}/tables/{disputed.table}/hands/{disputed.hand}"
        _link("Read why the loser of a hand lost, and download its dossier, the file with the proof", hand)
        _link("Check the dossier in your browser", f"{url}/check")


def to_watch(url: str, table: str) -> None:
    """Print the link to a table where bots play."""
    _link("Watch bots play", f"{url}/tables/{table}")


def to_play(url: str, table: str, key: str) -> None:
    """Print the link that signs a browser in with *key*, and leads to a table where the owner of the key plays."""
    _link("Play with bots: the link has the key of your seat", f"{url}/sign-in?to=/play/{table}#{key}")


def end() -> None:
    """Print how to end the server."""
    stdout.print("The bots wait for you as long as you like. Ctrl-C ends the server.")
    stdout.file.flush()


def _link(purpose: str, link: str) -> None:
    stdout.print(f"  {purpose}:\n    [bold]{escaped(link)}[/]", soft_wrap=True, highlight=False)
    stdout.file.flush()  # the demo goes on: without this flush a pipe would get the link much later
