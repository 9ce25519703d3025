"""With `chiptrail keys` the operator makes, lists and revokes keys, directly in the database."""

import json
from typing import Any

import pytest

from service.client.client import Client
from service.client.client_errors import Problem
from service.entropy import Entropy
from tests.cli.commands import Instance, Served


def whoami(served: Served, token: str) -> dict[str, object]:
    client = Client(served.url, token, Entropy())
    try:
        return client.get("/v1/whoami", dict[str, object])
    finally:
        client.close()


def test_a_made_key_works_at_the_server(served: Served) -> None:
    made = json.loads(served.instance.run("keys", "make", "--json", "--scope", "host", "--scope", "play").out)
    assert whoami(served, made["token"]) == {"owner": made["owner"], "scopes": ["host", "play"], "key": made["id"]}


def test_a_key_may_be_made_for_an_existing_owner(served: Served) -> None:
    first = json.loads(served.instance.run("keys", "make", "--json").out)
    second = served.instance.run("keys", "make", "--owner", first["owner"])
    assert whoami(served, second.out.strip())["owner"] == first["owner"]


def test_an_invalid_owner_or_key_is_a_wrong_use(instance: Instance) -> None:
    assert instance.run("keys", "make", "--owner", "me").code == 2
    assert instance.run("keys", "revoke", "key_1").code == 2
    assert instance.run("keys", "make", "--scope", "audit", "--limit", "tbl_1").code == 2
    assert instance.run("keys", "make", "--scope", "play", "--limit", f"tbl_{0:032x}").code == 2


def test_an_auditors_key_is_limited_to_a_table_and_a_dispute(instance: Instance) -> None:
    limits = [f"tbl_{1:032x}", f"tbl_{2:032x}/3"]
    flags = [flag for limit in limits for flag in ("--limit", limit)]
    made = json.loads(instance.run("keys", "make", "--json", "--scope", "audit", *flags).out)
    assert made["limits"] == limits
    (listed,) = [one for one in json.loads(instance.run("keys", "list", "--json").out) if one["id"] == made["id"]]
    assert listed["limits"] == limits
    assert limits[1] in instance.run("keys", "list").out


def test_keys_are_listed_without_their_secrets(served: Served) -> None:
    token = served.instance.run("keys", "make", "--label", "for [bold]you[/]").out.strip()
    listed = json.loads(served.instance.run("keys", "list", "--json").out)
    (made,) = [one for one in listed if one["id"] == f"key_{token.split('_')[1]}"]
    assert (made["scopes"], made["label"]) == (["play"], "for [bold]you[/]")
    said = served.instance.run("keys", "list")
    assert "for [bold]you[/]" in said.out
    assert token.split("_")[2] not in said.out + json.dumps(listed)


@pytest.mark.walk
def test_a_revoked_key_is_refused_and_listed_as_ended(served: Served) -> None:
    token = served.instance.run("keys", "make").out.strip()
    name = f"key_{token.split('_')[1]}"
    assert served.instance.run("keys", "revoke", name).code == 0
    with pytest.raises(Problem, match="401 key_must_be_valid"):
        whoami(served, token)
    listed = json.loads(served.instance.run("keys", "list", "--json").out)
    assert [bool(one.get("revoked_at")) for one in listed if one["id"] == name] == [True]


def test_a_missing_key_cannot_be_ended(instance: Instance) -> None:
    said = instance.run("keys", "revoke", "key_" + "0" * 32)
    assert said.code == 1
    assert "There is no key" in said.err


def test_the_first_key_is_shown_again_if_its_file_is_lost(served: Served) -> None:
    file, first_key = served.instance.data / "first-key.txt", served.instance.first_key
    aside = file.rename(file.with_suffix(".aside"))
    try:
        assert served.instance.run("keys", "show-first").out.strip() == first_key
    finally:
        aside.rename(file)


def test_there_is_no_first_key_before_the_first_start(instance: Instance) -> None:
    said = instance.run("keys", "show-first")
    assert said.code == 1
    assert "first start makes it" in said.err


def test_the_making_and_the_ending_of_a_key_name_the_operator(served: Served) -> None:
    made = json.loads(served.instance.run("keys", "make", "--json").out)
    assert served.instance.run("keys", "revoke", made["id"]).code == 0
    listed = {one["id"]: one for one in json.loads(served.instance.run("keys", "list", "--json").out)}
    assert (listed[made["id"]]["made_by"], listed[made["id"]]["revoked_by"]) == ("operator", "operator")
    first = f"key_{served.instance.first_key.split('_')[1]}"
    assert listed[first]["made_by"] == "service"
    client = Client(served.url, served.instance.first_key, Entropy())
    told = client.get("/v1/keys", dict[str, Any], limit=1000)["items"]
    client.close()
    assert [(one["made_by"], one["revoked_by"]) for one in told if one["id"] == made["id"]] == [("operator",) * 2]
