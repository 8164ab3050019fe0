"""Tool calls of a llama-cpp-python model while it generates; the first turn must call a tool, which a grammar makes sure of:

    python llama_cpp_calls.py qwen2.5-0.5b-instruct-q4_k_m.gguf hermes "Do I need an umbrella in Oslo?"
"""

import sys

import sluice
from tools import TOOLS, converse, show


def constraint(syntax):
    """A grammar of llama.cpp by which the model must call a tool, in its own format."""
    from llama_cpp import LlamaGrammar

    return LlamaGrammar.from_string(sluice.grammar(syntax, TOOLS, "gbnf", tool_choice="required"), verbose=False)


def turn(llama, messages, syntax, grammar=None):
    stream = llama.create_chat_completion(messages=messages, tools=TOOLS, grammar=grammar, stream=True, max_tokens=1024)
    return show(sluice.iterate(syntax, stream, tools=TOOLS))


def main(path, syntax, question):
    from llama_cpp import Llama

    llama = Llama(path, n_ctx=4096, verbose=False)
    converse(lambda messages: turn(llama, messages, syntax, constraint(syntax) if len(messages) == 1 else None), [{"role": "user", "content": question}])


if __name__ == "__main__":
    main(*sys.argv[1:])
