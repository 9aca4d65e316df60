"""Reads, follows and cancels a task by the official Python SDK, and prints what it is answered.

Usage: task.py URL VERSION TASK TOKEN, such as: task.py http://127.0.0.1:4000 1.0 t-1 eyJ…
Prints one JSON object: {"read": task, "followed": [event, …], "cancelled": task}, in the JSON of A2A 1.0.
"""

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import CancelTaskRequest, GetTaskRequest, SubscribeToTaskRequest
from google.protobuf.json_format import MessageToDict


async def speak(http, url, version, task):
    card = await A2ACardResolver(http, url).get_agent_card()
    others = [
        each
        for each in card.supported_interfaces
        if (each.protocol_binding, each.protocol_version) != ("JSONRPC", version)
    ]
    for each in others:
        card.supported_interfaces.remove(each)
    config = ClientConfig(httpx_client=http, supported_protocol_bindings=["JSONRPC"])
    async with ClientFactory(config).create(card) as client:
        read = MessageToDict(await client.get_task(GetTaskRequest(id=task)))
        followed = []
        cancelled = None
        async for event in client.subscribe(SubscribeToTaskRequest(id=task)):
            followed.append(MessageToDict(event))
            if cancelled is None:
                cancelled = MessageToDict(await client.cancel_task(CancelTaskRequest(id=task)))
    print(json.dumps({"read": read, "followed": followed, "cancelled": cancelled}))


async def main(url, version, task, token):
    headers = {"Authorization": f"Bearer {token}"}
    # Straight to the service, whatever proxy the machine has.
    async with httpx.AsyncClient(timeout=60, trust_env=False, headers=headers) as http:
        await speak(http, url, version, task)


asyncio.run(main(*sys.argv[1:]))
