"""What the programs here have in common: a tool, and a conversation that runs the calls of a model."""

import sluice

WEATHER = {"Oslo": "rain, 8 °C", "Rome": "sun, 24 °C"}


def get_weather(city):
    return WEATHER.get(city, "unknown")


FUNCTIONS = {"get_weather": get_weather}
TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "The weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]


def show(events):
    """Prints text and calls as they come; returns the whole result."""
    collector = sluice.Collector()
    for event in events:
        collector.add([event])
        if event.type == "text":
            print(event.text, end="", flush=True)
        elif event.type == "call_begin":
            print(f"[{event.name} ", end="", flush=True)
        elif event.type == "arguments":
            print(event.text, end="", flush=True)
        elif event.type == "call_end":
            print("]" if event.valid else f"]: {event.status}, not run")
    print()
    return collector.result()


def run(call):
    """The result of a call. Only a valid one is run: it is complete, names a tool, and its arguments satisfy the schema."""
    return FUNCTIONS[call.name](**call.arguments) if call.valid else "error: the call was not valid"


def converse(turn, messages, limit=5):
    """Asks turn(messages) for results until one has no calls. Adds all messages in the form of Hugging Face's chat templates."""
    for _ in range(limit):
        result = turn(messages)
        calls = [{"type": "function", "id": call.id, "function": {"name": call.name, "arguments": call.arguments}} for call in result.calls]
        messages.append({"role": "assistant", "content": result.content or "", **({"tool_calls": calls} if calls else {})})
        if not calls:
            break
        for call in result.calls:
            messages.append({"role": "tool", "name": call.name, "tool_call_id": call.id, "content": run(call)})
    return messages
