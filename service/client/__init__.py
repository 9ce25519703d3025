"""The client kit: with it a bot or another program uses a server of Chiptrail, without a database."""

from service.client.bot import Bot
from service.client.client import Client
from service.client.client_errors import (
    AnswerTooLong,
    AnswerTooSlow,
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
from service.client.hand_answers import Event, FeedEvent
from service.client.kept.kept_log import Checked, KeptLog
from service.client.owner_feed import feed
from service.client.player import RepeatedlyRefused, play
from service.client.signing_api import SealsOther, SigningApi
from service.client.table_answers import Action, Actions, Move, Table
from service.client.ways_to_wait import Wait

__all__ = [
    "Action",
    "Actions",
    "AnswerTooLong",
    "AnswerTooSlow",
    "Api",
    "Bot",
    "Checked",
    "Client",
    "ClientMisused",
    "DisputeApi",
    "Event",
    "FeedEvent",
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
    "Wait",
    "feed",
    "follow",
    "play",
]
