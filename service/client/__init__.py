"""The client kit: with it a bot or another program uses a server of Chiptrail, without a database."""

from service.client.bot import Bot
from service.client.client import Client
from service.client.client_errors import (
    AnswerTooLong,
    ClientMisused,
    KeptFileError,
    LogContradiction,
    NotTheApi,
    Problem,
    ServerGone,
)
from service.client.dispute_api import DisputeApi
from service.client.endpoints import Api
from service.client.following import follow
from service.client.kept.kept_log import Checked, KeptLog
from service.client.player import RepeatedlyRefused, play
from service.client.signing_api import SealsOther, SigningApi
from service.client.table_answers import Action, Actions, Move, Table

__all__ = [
    "Action",
    "Actions",
    "AnswerTooLong",
    "Api",
    "Bot",
    "Checked",
    "Client",
    "ClientMisused",
    "DisputeApi",
    "KeptFileError",
    "KeptLog",
    "LogContradiction",
    "Move",
    "NotTheApi",
    "Problem",
    "RepeatedlyRefused",
    "SealsOther",
    "ServerGone",
    "SigningApi",
    "Table",
    "follow",
    "play",
]
