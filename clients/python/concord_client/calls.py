"""What is sent and how answers are read, whoever sends it: the methods and how often they are tried."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import httpx

from .errors import ConcordError, TransportError
from .model import Entity, field_value

CARD = "/.well-known/agent-card.json"
PASSING = {408, 425, 429, 502, 503, 504}
ATTEMPTS = 6
STALL_SECONDS = 45.0
BATCH = 2_000


@dataclass
class Settings:
    """How a client calls."""

    url: str
    agent_id: str | None = None
    token: str | None = None
    api_key: str | None = None
    timeout: float = 60.0
    headers: dict[str, str] = field(default_factory=dict)

    def all_headers(self) -> dict[str, str]:
        token = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        key = {} if self.api_key is None else {"X-API-Key": self.api_key}
        return {**self.headers, **token, **key}


def endpoint_of(card: Mapping[str, Any]) -> str:
    """Where the card says that JSON-RPC is spoken."""
    for each in card.get("supportedInterfaces", []):
        if each.get("protocolBinding") == "JSONRPC":
            return str(each["url"])
    raise TransportError("The agent card names no JSONRPC endpoint", data={"reason": "invalid-card"})


def body_of(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in params.items() if value is not None}
    return {"jsonrpc": "2.0", "id": str(uuid.uuid4()), "method": method, "params": said}


def result_of(response: httpx.Response) -> Any:
    """The result of an answer; raises the error that it holds instead."""
    try:
        return result_in(response.json())
    except (ValueError, AttributeError):
        data = {"reason": "http-status", "retryable": response.status_code in PASSING}
        raise TransportError(
            f"{response.url} answered with HTTP status {response.status_code}", None, data
        ) from None


def result_in(answer: dict[str, Any]) -> Any:
    error = answer.get("error")
    if error is not None:
        data = error.get("data")
        raise ConcordError(error["message"], error["code"], data if isinstance(data, dict) else None)
    if "result" not in answer:
        raise ValueError("neither result nor error")
    return answer["result"]


def transport_error(error: httpx.HTTPError) -> TransportError:
    reason = "timeout" if isinstance(error, httpx.TimeoutException) else "network"
    return TransportError(
        f"The service was not reached ({error})", None, {"reason": reason, "retryable": True}
    )


def pause_after(failures: int) -> float:
    """Seconds; half of it is chance, so that clients don't come back all at once."""
    return min(10.0, 0.25 * 2.0 ** (failures - 1)) * (0.5 + random.random() / 2)


def query_params(
    query: str,
    variables: Mapping[str, Any] | None,
    language: str,
    required_certainty: float | None,
    metadata: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "query": query,
        "variables": variables,
        "queryLanguage": language,
        "requiredCertainty": required_certainty,
        "metadata": metadata,
    }


def update_params(
    settings: Settings,
    mutations: Sequence[Mapping[str, Any]] | None,
    entities: Sequence[Mapping[str, Any]] | None,
    justification: str | None,
    metadata: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "mutations": mutations,
        "entities": entities,
        "justification": justification,
        "sourceAgentId": settings.agent_id,
        # So that a repetition of it is applied once.
        "metadata": {"idempotencyKey": str(uuid.uuid4()), **(metadata or {})},
    }


def said_of(
    entity: Entity,
    id: str | None = None,
    *,
    op: str | None = None,
    certainty: float | None = None,
    source: str | None = None,
    observed_at: datetime | date | None = None,
    graph: str | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """An entity of `knowledge/update` with what is said of all its fields."""
    if isinstance(observed_at, datetime) and observed_at.tzinfo is None:
        observed_at = observed_at.astimezone()
    more = {
        "op": op,
        "certainty": certainty,
        "source": source,
        "observedAt": None if observed_at is None else observed_at.isoformat(),
        "graph": graph,
        "provenance": provenance,
    }
    return {**entity.wire(id), **{name: value for name, value in more.items() if value is not None}}


def retracted(entity: Entity, names: Iterable[str], id: str | None, graph: str | None) -> dict[str, Any]:
    """Takes back every value of these fields or, without names, exactly those that the entity has."""
    model = entity.model
    listed = list(names)
    which = {"id": id} if id is not None else {"key": entity.key()}
    if listed:
        values = {
            model.fields[each].name if each in model.fields else each: field_value(model, each, None)
            for each in listed
        }
    else:
        values = entity.wire(id).get("fields", {})
    place = {} if graph is None else {"graph": graph}
    return {"op": "remove", "class": model.name, **which, "fields": values, **place}


def batches(items: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    """Entities in their order, of so many patches at most."""
    batch: list[Mapping[str, Any]] = []
    patches = 0
    for item in items:
        values = item.get("fields", {}).values()
        count = sum(len(each) if isinstance(each, list) else 1 for each in values) + len(item.get("key", {}))
        if batch and patches + count > size:
            yield batch
            batch, patches = [], 0
        batch.append(item)
        patches += count
    if batch:
        yield batch


def subjects(batch: Iterable[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    """Which entities a batch speaks of, by their ids or their keys."""
    return frozenset(
        ("id", item["id"])
        if "id" in item
        else ("key", json.dumps([item["class"], item.get("key")], sort_keys=True))
        for item in batch
    )


def need_order(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    """Whether both may speak of one entity. One known by its id here and by its key there can't be told."""
    return len({kind for kind, _ in one | other}) > 1 or not one.isdisjoint(other)


class EventReader:
    """Reads server-sent events over one connection after another."""

    def __init__(self, after: str | None = None) -> None:
        self.last_id = after
        self.begin()

    def begin(self) -> None:
        """A connection begins: what the one before had of an event comes again."""
        self._rest = ""
        self._id: str | None = None
        self._data: list[str] = []

    def events_in(self, text: str) -> Iterator[str]:
        """The data of the events that the text ends, if they are behind those that came before."""
        # Only these end a line. A value may hold others that str.splitlines() takes for one, such as U+2028.
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + text)
        for line in lines:
            data = self._event_at(line)
            if data is not None:
                yield data

    def _event_at(self, line: str) -> str | None:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._data.append(value)
            elif name == "id":
                self._id = value
            return None
        data, self._data = "\n".join(self._data), []
        id, self._id = self._id, None
        if not data:
            return None
        if id is not None:
            if not self._is_behind(id):
                return None
            self.last_id = id
        return data

    def _is_behind(self, id: str) -> bool:
        if self.last_id is None:
            return True
        if id.isdigit() and self.last_id.isdigit():
            return int(id) > int(self.last_id)
        return id != self.last_id
