"""Makes the vectors of commands, signed moves and sealed choices, and changes of them."""

import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.canonical import canonical
from service.merkle import leaf_hash
from service.secrets.commitments import command_id
from tests.http.signer import public
from tests.vectors.recorded_world import FIRST_KEY, FOREIGN_KEY, SECOND_KEY, World

Vectors = Mapping[str, Any]
Event = dict[str, Any]
_NO_CHANGE: Final = ""


def command_ids(first: Vectors, world: World) -> Vectors:
    """Return ids of commands, each with the bytes that the MAC covers; *first* are the older vectors."""
    derivation, asker = first["cmd"][0]["derivation_secret"], first["cmd"][0]["asker"]
    stream, secret = first["cmd"][0]["stream"], first["cmd"][0]["command_secret"]
    own = hmac.digest(bytes.fromhex(derivation), f"chiptrail/asker/v1\n{asker}\n".encode(), "sha256").hex()
    right = command_id(bytes.fromhex(secret), "sit-down")
    real = world.me["command_secret"]
    changes = [
        ("an id", secret, "sit-down", right, _NO_CHANGE),
        ("an id in a recorded event, see `signed_moves`", real, "command-5", _cmd_of(world), _NO_CHANGE),
        ("of another Idempotency-Key", secret, "sit-up", right, "hash"),
        ("of another stream or caller", first["cmd"][2]["command_secret"], "sit-down", right, "hash"),
        ("with a changed digit", secret, "sit-down", f"{int(right[0], 16) ^ 1:x}{right[1:]}", "hash"),
    ]
    cases = [
        {
            "what": what,
            "command_secret": one,
            "idempotency_key": key,
            "mac_of": f"chiptrail/cmd/v1\n{key}\n".encode().hex(),
            "cmd": cmd,
            "finding": finding,
        }
        for what, one, key, cmd, finding in changes
    ]
    derived = {
        "derivation_secret": derivation,
        "asker": asker,
        "mac_of_asker": f"chiptrail/asker/v1\n{asker}\n".encode().hex(),
        "askers_secret": own,
        "stream": stream,
        "mac_of_stream": f"{stream}\n".encode().hex(),
        "command_secret": secret,
    }
    return {"how_the_service_derives_a_command_secret": derived, "cases": cases}


def _cmd_of(world: World) -> str:
    return str(json.loads(_registrations(world)[0])["cmd"])


def _registrations(world: World) -> list[bytes]:
    return [leaf for leaf in world.hearts if b'"type":"signing_key_registered"' in leaf]


def signed_moves(world: World) -> Vectors:
    """Return the stream of a table whose seat 1 signs, the texts that the seat signed, and leaves to be refused."""
    events = [json.loads(leaf) for leaf in world.hearts]
    register, change, slip = (one["position"] for one in events if "sig" in one)
    keys = {register: "first_of_a_seat", change: "second_of_a_seat", slip: "second_of_a_seat"}
    return {
        "leaves": [leaf.decode() for leaf in world.hearts],
        "command_secret": world.me["command_secret"],
        "signed": [_made(events[position - 1], world, key) for position, key in keys.items()],
        "refused": [
            *_refused_slips(events, slip),
            _refused("a registration with another command", events[register - 1] | {"cmd": "c" * 64}),
            _refused("a change of the key without the earlier key", _with_sig(events[change - 1], previous=None)),
            _refused("a change of the key that a stranger signed", _change_by_stranger(events[change - 1])),
            _refused("a signature after the end of the key", events[-2] | {"sig": events[slip - 1]["sig"]}),
        ],
    }


def _made(event: Event, world: World, key: str) -> Vectors:
    """Return the action and the text that the client signed for the leaf of *event*, and the Idempotency-Key."""
    secret = bytes.fromhex(world.me["command_secret"])
    names = (f"command-{number}" for number in range(1, 100))
    return {
        "place": f"position {event['position']}",
        "idempotency_key": next(name for name in names if command_id(secret, name) == event["cmd"]),
        "action": _action(event),
        "key": key,
        "signature_of": _text(event).hex(),
        "signature": event["sig"]["signature"],
    }


def _refused(what: str, leaf: Event) -> Vectors:
    return {"what": what, "leaf": canonical(leaf).decode(), "finding": "moves", "place": f"position {leaf['position']}"}


def _refused_slips(events: Sequence[Event], position: int) -> list[Vectors]:
    slip, earlier, first = events[position - 1], events[position - 2], events[0]
    foreign = FOREIGN_KEY.sign(_text(slip)).hex()
    other_choice = {**slip["priv"], "foot": {**slip["priv"]["foot"], "choice": "d" * 64}}
    without = {field: {n: v for n, v in one.items() if n != "choice"} for field, one in slip["priv"].items()}
    own = _hash(events[position - 3])
    too_early = _signed(_with_sig(slip, position=1, head_hash=_hash(first)))
    digit = int(slip["sig"]["signature"][0], 16) ^ 1
    bit = f"{digit:x}{slip['sig']['signature'][1:]}"
    return [
        _refused("no signature", {name: one for name, one in slip.items() if name != "sig"}),
        _refused("a changed bit of the signature", _with_sig(slip, signature=bit)),
        _refused("signed by another key", _with_sig(slip, signature=foreign)),
        _refused("signed by the seat's earlier key", _with_sig(slip, signature=FIRST_KEY.sign(_text(slip)).hex())),
        _refused("the signature of another head", _with_sig(slip, position=position - 2, head_hash=own)),
        _refused("the hash of another event", _signed(_with_sig(slip, head_hash=_hash(earlier)[::-1]))),
        _refused("signed before the last decision of the seat", too_early),
        _refused("another choice", slip | {"priv": other_choice}),
        _refused("no choices", slip | {"priv": without}),
        _refused("another command", slip | {"cmd": "c" * 64}),
    ]


def _with_sig(leaf: Event, **members: object) -> Event:
    sig = {name: one for name, one in {**leaf["sig"], **members}.items() if one is not None}
    return leaf | {"sig": sig}


def _signed(leaf: Event) -> Event:
    return _with_sig(leaf, signature=SECOND_KEY.sign(_text(leaf)).hex())


def _change_by_stranger(leaf: Event) -> Event:
    changed = leaf | {"pub": leaf["pub"] | {"public_key": public(FOREIGN_KEY)}}
    signature = FOREIGN_KEY.sign(_text(changed)).hex()
    return _with_sig(changed, signature=signature, previous=signature)


def _hash(event: Event) -> str:
    return leaf_hash(canonical(event)).hex()


def _text(event: Event) -> bytes:
    """Return the text that is signed for a leaf of the table of Insurance Hearts."""
    sig = {name: event["sig"][name] for name in ("position", "head_hash")}
    move = {"stream": event["stream"], "cmd": event["cmd"], "action": _action(event), **sig}
    return b"chiptrail/move/v1\n" + canonical(move)


def _action(event: Event) -> Event:
    if event["type"] == "signing_key_registered":
        return {"type": "register_signing_key", "public_key": event["pub"]["public_key"]}
    return {"type": event["type"]} | {field: one["choice"] for field, one in event.get("priv", {}).items()}


def sealed_choices(world: World) -> Vectors:
    """Return the openings of the slip in `signed_moves`, and openings that do not match this slip."""
    slip = next(json.loads(leaf) for leaf in world.hearts if b'"type":"slip_written"' in leaf)
    cases = [_opened(f"the field {one['field']}", one, slip, _NO_CHANGE) for one in world.openings]
    foot = next(one for one in world.openings if one["field"] == "foot")
    changes = {
        "another value": foot | {"value": True},
        "another salt": foot | {"salt": "0" * 64},
        "another blind": foot | {"blind": "0" * 64},
        "another position": foot | {"position": foot["position"] - 1},
        "another stream": foot | {"stream": "table/tbl_" + "0" * 32},
        "the salt and the blind of another field": {
            **next(one for one in world.openings if one["field"] == "insurance"),
            "field": "foot",
        },
    }
    cases += [_opened(what, one, slip, "hash") for what, one in changes.items()]
    without = {name: one for name, one in foot.items() if name != "blind"}
    cases += [_opened("no blind", without, slip, "form")]
    cases += [_opened("a salt in upper case", foot | {"salt": foot["salt"].upper()}, slip, "form")]
    return {"seat": 1, "cases": cases}


def _opened(what: str, opening: Vectors, slip: Event, finding: str) -> Vectors:
    case: dict[str, Any] = {"what": what, "opening": opening, "priv": slip["priv"][opening["field"]]}
    if not finding:
        place = (opening["stream"], opening["position"], opening["field"])
        value = canonical(opening["value"])
        commitment = "\n".join(map(str, ("chiptrail/field/v1", *place, opening["salt"], "")))
        choice = "\n".join(("chiptrail/choice/v1", place[0], "seat:1", place[2], opening["blind"], ""))
        case |= {"hash_of_c": (commitment.encode() + value).hex(), "hash_of_choice": (choice.encode() + value).hex()}
    return case | {"finding": finding}
