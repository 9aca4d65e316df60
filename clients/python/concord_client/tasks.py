"""The tasks of A2A, by the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import new_data_message
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]

from .calls import Settings

Json = dict[str, Any]


class Tasks:
    """What a Concord does as tasks: `query`, `propose`, `watch`, …; in the JSON of A2A 1.0."""

    def __init__(self, http: httpx.AsyncClient, settings: Settings) -> None:
        self._http = http
        self._settings = settings
        self._client: Client | None = None

    async def send(self, skill: str, **fields: Any) -> Json:
        """The task as it is when it has ended, or needs something."""
        last: Json = {}
        async for event in self.stream(skill, **fields):
            task = event.get("task")
            last = task if task is not None else last
            for update in (event.get("statusUpdate"), event.get("artifactUpdate")):
                if update is not None:
                    last = {"id": update["taskId"], **last}
        return await self.get(last["id"])

    async def stream(self, skill: str, **fields: Any) -> AsyncIterator[Json]:
        """The events of a task until it ends."""
        message = new_data_message({"skill": skill, **fields}, role=Role.ROLE_USER)
        client = await self._made()
        async for event in client.send_message(SendMessageRequest(message=message)):
            yield MessageToDict(event)

    async def get(self, id: str) -> Json:
        return dict(MessageToDict(await (await self._made()).get_task(GetTaskRequest(id=id))))

    async def list(self, page_size: int = 100) -> list[Json]:
        """The caller's tasks, those whose status changed last first."""
        answer = await (await self._made()).list_tasks(ListTasksRequest(page_size=page_size))
        return [MessageToDict(each) for each in answer.tasks]

    async def cancel(self, id: str) -> Json:
        return dict(MessageToDict(await (await self._made()).cancel_task(CancelTaskRequest(id=id))))

    async def _made(self) -> Client:
        if self._client is None:
            headers = self._settings.all_headers()
            # The SDK takes headers from the connection.
            self._http.headers.update(headers)
            card = await A2ACardResolver(self._http, self._settings.url).get_agent_card()
            config = ClientConfig(
                streaming=True, httpx_client=self._http, supported_protocol_bindings=["JSONRPC"]
            )
            self._client = ClientFactory(config).create(card)
        return self._client


def data_of(task: Mapping[str, Any]) -> list[Any]:
    """What the artifacts of a task hold as data."""
    parts = [part for artifact in task.get("artifacts", []) for part in artifact.get("parts", [])]
    return [part["data"] for part in parts if "data" in part]
