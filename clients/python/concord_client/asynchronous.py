"""The asynchronous client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from . import calls
from .errors import ConcordError
from .model import Entity
from .results import Change, QueryResult, UpdateResult, made

if TYPE_CHECKING:
    from .tasks import Tasks


class AsyncConcord:
    """The knowledge graph of one Concord.

    async with AsyncConcord("http://127.0.0.1:4000", agent_id="atlas") as concord: …
    """

    def __init__(
        self,
        url: str,
        *,
        agent_id: str | None = None,
        token: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = calls.Settings(url.rstrip("/"), agent_id, token, api_key, timeout)
        self._http = http or httpx.AsyncClient()
        self._card: dict[str, Any] | None = None

    async def __aenter__(self) -> AsyncConcord:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def query(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        language: str = "graphql",
        required_certainty: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> QueryResult:
        """Asks GraphQL, or Cypher with `language="cypher"`. Raises ConcordError."""
        params = calls.query_params(query, variables, language, required_certainty, metadata)
        answer = await self._call("knowledge/query", params)
        return QueryResult(answer["data"], answer["queryMetadata"])

    async def update(
        self,
        mutations: Sequence[Mapping[str, Any]] | None = None,
        *,
        entities: Sequence[Mapping[str, Any]] | None = None,
        justification: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> UpdateResult:
        """Proposes patches, and entities as docs/update.md has them: all are applied, or none. Raises ConcordError."""
        params = calls.update_params(self._settings, mutations, entities, justification, metadata)
        return made(UpdateResult, await self._call("knowledge/update", params))

    async def put(self, entity: Entity, id: str | None = None, **said: Any) -> UpdateResult:
        """States the fields of an entity; `said` are certainty, source, observed_at, graph, provenance and op."""
        return await self.update(entities=[calls.said_of(entity, id, **said)])

    async def put_all(
        self,
        entities: Iterable[Entity],
        *,
        key: str | None = None,
        size: int = calls.BATCH,
        concurrency: int = 2,
        on_progress: Callable[[int], None] = lambda _: None,
        **said: Any,
    ) -> int:
        """States entities however many, in as many updates as it takes, so many of them at a time.

        Updates that speak of one entity are applied in the order of the entities; others may overtake each other.
        With the same key and the same entities a second run applies nothing twice. Raises ConcordError where the rules
        reject some. Returns how many statements were affected.
        """
        affected = done = 0
        under_way: dict[asyncio.Task[UpdateResult], tuple[frozenset[tuple[str, str]], int]] = {}

        async def end_some() -> None:
            nonlocal affected, done
            for ended in (await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED))[0]:
                _, count = under_way.pop(ended)
                result = ended.result()
                if not result.success:
                    raise ConcordError(result.verificationDetails or result.verificationStatus)
                affected += result.statementsAffected
                done += count
                on_progress(done)

        try:
            for index, batch in enumerate(
                calls.batches((calls.said_of(each, **said) for each in entities), size)
            ):
                about = calls.subjects(batch)
                while len(under_way) >= concurrency or any(
                    calls.need_order(about, other) for other, _ in under_way.values()
                ):
                    await end_some()
                metadata = {} if key is None else {"idempotencyKey": f"{key}:{index}"}
                sent = asyncio.create_task(self.update(entities=batch, metadata=metadata))
                under_way[sent] = (about, len(batch))
            while under_way:
                await end_some()
        finally:
            # What is under way may have been applied: it ends before its caller hears of a fault.
            await asyncio.gather(*under_way, return_exceptions=True)
        return affected

    async def retract(
        self, entity: Entity, *names: str, id: str | None = None, graph: str | None = None
    ) -> UpdateResult:
        """Takes back every value of the fields that are named or, without names, exactly the values of the entity."""
        return await self.update(entities=[calls.retracted(entity, names, id, graph)])

    async def subscribe(
        self,
        subscription: str = "subscription { statementChanged { op } }",
        variables: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        on_open: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[Change]:
        """Changes as they are committed, also over connections that are lost in between. Raises ConcordError."""
        reader = calls.EventReader(after)
        failures = 0
        while True:
            try:
                async for data in self._events(subscription, variables, reader, on_open):
                    failures = 0
                    yield made(Change, calls.result_in(json.loads(data)))
            except httpx.HTTPError:
                pass
            except ConcordError as error:
                if not error.retryable:
                    raise
            failures += 1
            await asyncio.sleep(calls.pause_after(failures))

    @property
    def tasks(self) -> Tasks:
        """The tasks of A2A, by the official SDK: it must be installed (`concord-client[tasks]`)."""
        from .tasks import Tasks

        return Tasks(self._http, self._settings)

    async def _events(
        self,
        subscription: str,
        variables: Mapping[str, Any] | None,
        reader: calls.EventReader,
        on_open: Callable[[], None],
    ) -> AsyncIterator[str]:
        params = {"subscriptionQuery": subscription, "queryLanguage": "graphql", "variables": variables}
        resume = {} if reader.last_id is None else {"Last-Event-ID": reader.last_id}
        headers = {**self._settings.all_headers(), **resume, "Accept": "text/event-stream"}
        timeout = httpx.Timeout(self._settings.timeout, read=calls.STALL_SECONDS)
        body = calls.body_of("knowledge/subscribe", params)
        endpoint = await self._endpoint()
        async with self._http.stream(
            "POST", endpoint, json=body, headers=headers, timeout=timeout
        ) as response:
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                await response.aread()
                calls.result_of(response)
            reader.last_id = reader.last_id or response.headers.get("Last-Event-ID")
            on_open()
            reader.begin()
            async for text in response.aiter_text():
                for data in reader.events_in(text):
                    yield data

    async def _endpoint(self) -> str:
        if self._card is None:
            response = await self._try("GET", self._settings.url + calls.CARD)
            if response.status_code != 200:
                calls.result_of(response)
            self._card = response.json()
        return calls.endpoint_of(self._card or {})

    async def _call(self, method: str, params: Mapping[str, Any]) -> Any:
        body = calls.body_of(method, params)
        failures = 0
        endpoint = await self._endpoint()
        while True:
            try:
                return calls.result_of(await self._try("POST", endpoint, json=body))
            except ConcordError as error:
                failures += 1
                if not error.retryable or failures >= calls.ATTEMPTS:
                    raise
            await asyncio.sleep(calls.pause_after(failures))

    async def _try(self, method: str, url: str, **more: Any) -> httpx.Response:
        settings = self._settings
        try:
            return await self._http.request(
                method, url, headers=settings.all_headers(), timeout=settings.timeout, **more
            )
        except httpx.HTTPError as error:
            raise calls.transport_error(error) from error
