"""Speaks to a Concord as any agent with the official Python SDK does, and prints what it is answered.

Usage: client.py URL BINDING VERSION, such as: client.py http://127.0.0.1:4000 JSONRPC 1.0
Prints one JSON object a line, {"step": …, "answer": …}, in the JSON of A2A 1.0 whatever version is spoken.
"""

import asyncio
import json
import sys
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import new_data_message
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict

NAME = "https://schema.org/name"


def tell(step, answer):
    print(json.dumps({"step": step, "answer": answer}), flush=True)


def request(data):
    return SendMessageRequest(message=new_data_message(data, role=Role.ROLE_USER))


def stands(event):
    """Whether a watch says with this event where it begins: what changes from now on it will report."""
    parts = event.get("statusUpdate", {}).get("status", {}).get("message", {}).get("parts", [])
    return any("cursor" in part.get("data", {}) for part in parts)


async def until(holds, events):
    """The events up to the one that is waited for, or to the last one."""
    seen = []
    async for event in events:
        seen.append(MessageToDict(event))
        if holds(seen[-1]):
            break
    return seen


async def call(http, card, method, params):
    """A method of the extension, which the SDK has no function for: plain JSON-RPC where the card says."""
    url = next(each.url for each in card.supported_interfaces if each.protocol_binding == "JSONRPC")
    extensions = ", ".join(each.uri for each in card.capabilities.extensions)
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    response = await http.post(url, json=body, headers={"A2A-Extensions": extensions})
    return {"activated": response.headers.get("A2A-Extensions"), **response.json()}


async def speak(http, url, binding, version):
    card = await A2ACardResolver(http, url).get_agent_card()
    tell("card", MessageToDict(card))
    others = [
        each
        for each in card.supported_interfaces
        if (each.protocol_binding, each.protocol_version) != (binding, version)
    ]
    offered = type(card)()
    offered.CopyFrom(card)
    for each in others:
        offered.supported_interfaces.remove(each)

    def client(streaming):
        config = ClientConfig(
            streaming=streaming,
            httpx_client=http,
            # gRPC has targets and no URLs.
            grpc_channel_factory=lambda target: grpc.aio.insecure_channel(target.removeprefix("http://")),
            supported_protocol_bindings=[binding],
        )
        return ClientFactory(config).create(offered)

    subject = f"urn:python:{uuid.uuid4()}"
    query = {
        "query": "query ($id: ID!) { countries(where: {id: {eq: $id}}) { id name } }",
        "variables": {"id": subject},
    }
    where = f'(where: {{subject: {{eq: "{subject}"}}}})'
    watch = {"skill": "watch", "subscriptionQuery": f"subscription {{ statementChanged{where} {{ op }} }}"}
    statement = {
        "subject": {"id": subject, "type": "https://schema.org/Country"},
        "predicate": {"id": NAME},
        "object": {"value": "Parseltongue"},
    }
    propose = {"skill": "propose", "mutations": [{"op": "add", "statement": statement}]}

    async with client(streaming=False) as sender, client(streaming=True) as streamer:
        changes = streamer.send_message(request(watch))
        began = await until(stands, changes)
        tell("watch", began)
        task = next(event["task"]["id"] for event in began if "task" in event)

        tell("propose", await until(lambda _: True, sender.send_message(request(propose))))
        tell("change", await until(lambda event: "artifactUpdate" in event, changes))
        tell("get", MessageToDict(await sender.get_task(GetTaskRequest(id=task))))
        if version != "0.3":  # which has no method for it
            listed = await sender.list_tasks(ListTasksRequest(page_size=100))
            tell("list", [MessageToDict(each) for each in listed.tasks])
        tell("cancel", MessageToDict(await sender.cancel_task(CancelTaskRequest(id=task))))
        tell("end", await until(lambda _: False, changes))

        tell("send", await until(lambda _: True, sender.send_message(request({"skill": "query", **query}))))
        tell("stream", await until(lambda _: False, streamer.send_message(request({"skill": "query", **query}))))
    tell("knowledge/query", await call(http, card, "knowledge/query", query))


async def main(url, binding, version):
    # Straight to the service, whatever proxy the machine has.
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        await speak(http, url, binding, version)


asyncio.run(main(*sys.argv[1:]))
