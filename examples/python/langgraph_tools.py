"""A LangGraph agent with Concord as its memory. Usage: python langgraph_tools.py http://127.0.0.1:4000

A chat model with `bind_tools(TOOLS)` decides in the node "agent"; to run without one, this file decides by a plan.
"""

import json
import sys

from concord_client import Concord, ConcordError, InvalidEntity
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from vocabulary import Element

concord = Concord(sys.argv[1], agent_id="langgraph")


@tool
def remember_melting_point(symbol: str, kelvin: float, source: str, certainty: float) -> str:
    """Remembers at how many kelvin an element melts, who says so, and how certain that is (0 to 1)."""
    try:
        element = Element(symbol=symbol, meltingPoint=kelvin)
        return concord.put(element, source=source, certainty=certainty).verificationStatus
    except (ConcordError, InvalidEntity) as error:
        return f"Not remembered: {error}"


@tool
def ask(query: str) -> str:
    """Asks the shared graph in GraphQL: elements(where: {symbol: {eq: "Fe"}}) { symbol meltingPoint }"""
    try:
        return json.dumps(concord.query(query).data)
    except ConcordError as error:
        return f"Not answered: {error}"


TOOLS = [remember_melting_point, ask]
PLAN = [
    (
        "remember_melting_point",
        {"symbol": "Hg", "kelvin": 234.3, "source": "a thermometer", "certainty": 0.9},
    ),
    ("ask", {"query": '{ elements(where: {symbol: {eq: "Hg"}}) { symbol meltingPoint } }'}),
]


def agent(state: MessagesState) -> dict:
    done = sum(message.type == "tool" for message in state["messages"])
    if done == len(PLAN):
        return {"messages": [AIMessage(state["messages"][-1].content)]}
    name, args = PLAN[done]
    return {"messages": [AIMessage("", tool_calls=[{"name": name, "args": args, "id": str(done)}])]}


graph = StateGraph(MessagesState)
graph.add_node("agent", agent)
graph.add_node("tools", ToolNode(TOOLS))
graph.add_edge(START, "agent")
graph.add_conditional_edges("agent", tools_condition, {"tools": "tools", END: END})
graph.add_edge("tools", "agent")
print(
    graph.compile()
    .invoke({"messages": [HumanMessage("At how many kelvin melts mercury?")]})["messages"][-1]
    .content
)
