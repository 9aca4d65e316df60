"""The client of Concord, a shared knowledge graph for software agents: asynchronous and synchronous."""

from .asynchronous import AsyncConcord
from .errors import ConcordError, InvalidEntity, TransportError
from .model import UNSET, ClassModel, Entity, FieldModel, Link, Ref, Text, Unset, id_of_key
from .results import Change, QueryResult, UpdateResult
from .synchronous import Concord

__all__ = [
    "UNSET",
    "AsyncConcord",
    "Change",
    "ClassModel",
    "Concord",
    "ConcordError",
    "Entity",
    "FieldModel",
    "InvalidEntity",
    "Link",
    "QueryResult",
    "Ref",
    "Text",
    "TransportError",
    "Unset",
    "UpdateResult",
    "id_of_key",
]
