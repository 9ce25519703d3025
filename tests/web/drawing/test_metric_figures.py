from base64 import b64encode

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.witnesses import cosignature
from service.web.drawing.checkpoint_figures import checkpoint_figures
from service.web.drawing.plots.metric_figures import metric_figures

METRICS = """# TYPE chiptrail_commands counter
chiptrail_commands_total{game="",outcome="denied"} 1.0
chiptrail_commands_total{game="a",outcome="recorded"} 30.0
chiptrail_commands_total{game="b",outcome="recorded"} 10.0
# TYPE chiptrail_answers counter
chiptrail_answers_total{method="GET",route="/v1/tables",status="200"} 100.0
# TYPE chiptrail_request_seconds histogram
chiptrail_request_seconds_bucket{le="0.01",method="GET",route="/v1/tables"} 90.0
chiptrail_request_seconds_bucket{le="0.05",method="GET",route="/v1/tables"} 96.0
chiptrail_request_seconds_bucket{le="+Inf",method="GET",route="/v1/tables"} 100.0
chiptrail_request_seconds_count{method="GET",route="/v1/tables"} 100.0
chiptrail_request_seconds_sum{method="GET",route="/v1/tables"} 0.75
chiptrail_request_seconds_bucket{le="0.01",method="POST",route=""} 0.0
chiptrail_request_seconds_bucket{le="+Inf",method="POST",route=""} 1.0
chiptrail_request_seconds_count{method="POST",route=""} 1.0
chiptrail_request_seconds_sum{method="POST",route=""} 20.0
# TYPE chiptrail_build_info gauge
chiptrail_build_info{python="3.11.7",version="0.1.0"} 1.0
# TYPE chiptrail_log_events gauge
chiptrail_log_events 41.0
# TYPE chiptrail_log_checkpoint_size gauge
chiptrail_log_checkpoint_size 40.0
# TYPE chiptrail_witness_cosigns gauge
chiptrail_witness_cosigns{witness="w.example/1"} 1.0
chiptrail_witness_cosigns{witness="w.example/2"} 0.0
# TYPE chiptrail_witness_checkpoint_size gauge
chiptrail_witness_checkpoint_size{witness="w.example/1"} 40.0
chiptrail_witness_checkpoint_size{witness="w.example/2"} 12.0
"""


def test_figures_are_read_from_the_metrics() -> None:
    found = metric_figures(METRICS)
    assert found.version == "0.1.0"
    assert found.totals == {"commands": 41, "requests": 100, "events": 41}
    assert [(bar.label, bar.number, bar.width) for bar in found.commands] == [
        ("denied", 1, 10.5),
        ("recorded", 40, 420),
    ]
    assert [(one.route, one.count, one.mean_ms, one.most_ms) for one in found.routes] == [
        ("/v1/tables", 100, 7.5, 50.0),
        ("no route", 1, 20_000, 0),
    ]
    assert [(one.name, one.is_cosigning, one.lag) for one in found.witnesses] == [
        ("w.example/1", True, 0),
        ("w.example/2", False, 28),
    ]
    assert (found.get("log_events"), found.get("damaged_tables")) == (41, None)


def test_without_a_database_the_figures_that_it_has_are_unknown() -> None:
    found = metric_figures("# TYPE chiptrail_database_up gauge\nchiptrail_database_up 0.0\n")
    assert found.get("log_events") is None
    assert (found.commands, found.routes, found.witnesses, found.decided) == ((), (), (), ())


def test_the_last_cosignature_gives_the_time_of_a_checkpoint() -> None:
    log, witness = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
    note = checkpoint.signed(Checkpoint("log.example/1", 7, b"r" * 32), log)
    alone = checkpoint_figures(str(note).encode())
    assert (alone.origin, alone.size, alone.root) == ("log.example/1", 7, b64encode(b"r" * 32).decode())
    assert (alone.witnesses, alone.cosigned_at) == (0, "")
    lines = [cosignature.cosign(note.text, f"w.example/{at}", witness, at) for at in (1_767_225_600, 1_767_225_661)]
    found = checkpoint_figures(str(signed_note.with_signatures(note, lines)).encode())
    assert (found.witnesses, found.cosigned_at) == (2, "2026-01-01T00:01:01Z")
