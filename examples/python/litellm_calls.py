"""Tool calls of a model that has no support for tools, through LiteLLM: the prompt teaches it a format.

    python litellm_calls.py ollama/gemma3 "Do I need an umbrella in Oslo?"
"""

import sys

import sluice
from tools import TOOLS, run, show

SYNTAX = "hermes"


def turn(model, messages, mark, **options):
    import litellm

    stream = litellm.completion(model=model, messages=messages, stream=True, **options)
    return show(sluice.iterate(SYNTAX, stream, tools=TOOLS, mark=mark))


def main(model, question, limit=5, **options):
    mark = sluice.mark()  # only calls that carry it count: what a tool returns cannot make the model call another
    messages = [{"role": "system", "content": sluice.prompt(SYNTAX, TOOLS, mark=mark)}, {"role": "user", "content": question}]
    for _ in range(limit):
        result = turn(model, messages, mark, **options)
        messages.append({"role": "assistant", "content": sluice.render(SYNTAX, result, mark=mark)})
        if not result.calls:
            break
        results = [{"id": call.id, "name": call.name, "content": run(call)} for call in result.calls]
        messages.append({"role": "user", "content": sluice.render(SYNTAX, {"results": results}, mark=mark)})
    return messages


if __name__ == "__main__":
    main(*sys.argv[1:])
