"""All tables of the database: an import of this module registers every table in the MetaData."""

from service.api_keys import key_tables, sign_ins
from service.database.metadata import metadata
from service.disputes import disputes_table
from service.event_store import log_tables
from service.projections import projection_tables
from service.secrets import key_check
from service.transparency import tree_tables
from service.transparency.witnesses import witness_tables

__all__ = [
    "disputes_table",
    "key_check",
    "key_tables",
    "log_tables",
    "metadata",
    "projection_tables",
    "sign_ins",
    "tree_tables",
    "witness_tables",
]
