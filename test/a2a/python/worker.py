"""An agent on the official Python SDK: echoes a text, asks who it is where the text says so.

Usage: worker.py PORT. Serves A2A 1.0 over JSON-RPC at /, with streams, on loopback.
"""

import sys

import uvicorn
from a2a.helpers import (
    new_task_from_user_message,
    new_text_artifact_update_event,
    new_text_status_update_event,
)
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState
from starlette.applications import Starlette


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        said = context.get_user_input()

        async def tell(state, text):
            await event_queue.enqueue_event(new_text_status_update_event(task.id, task.context_id, state, text))

        await tell(TaskState.TASK_STATE_WORKING, "thinking")
        if said == "ask":
            return await tell(TaskState.TASK_STATE_INPUT_REQUIRED, "Who is it?")
        await event_queue.enqueue_event(
            new_text_artifact_update_event(task.id, task.context_id, "echo", f"Python heard: {said}")
        )
        await tell(TaskState.TASK_STATE_COMPLETED, "done")

    async def cancel(self, context, event_queue):
        event = new_text_status_update_event(
            context.task_id, context.context_id, TaskState.TASK_STATE_CANCELED, "stopped"
        )
        await event_queue.enqueue_event(event)


def main(port):
    url = f"http://127.0.0.1:{port}/"
    card = AgentCard(
        name="Python",
        description="Echoes a text",
        version="1",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Echoes a text", tags=["python"])],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning")


main(int(sys.argv[1]))
