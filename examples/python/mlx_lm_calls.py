"""Tool calls of an mlx-lm model while it generates:

    python mlx_lm_calls.py mlx-community/Qwen2.5-0.5B-Instruct-4bit "Do I need an umbrella in Oslo?"
"""

import sys

import sluice
from tools import TOOLS, converse, show


def turn(model, tokenizer, messages, syntax):
    from mlx_lm import stream_generate

    prompt = tokenizer.apply_chat_template(messages, tools=TOOLS, add_generation_prompt=True, tokenize=False)
    chunks = (response.text for response in stream_generate(model, tokenizer, prompt, max_tokens=1024))
    return show(sluice.iterate(syntax, chunks, tools=TOOLS, prompt=prompt))


def main(name, question):
    from mlx_lm import load

    model, tokenizer = load(name)
    converse(lambda messages: turn(model, tokenizer, messages, name), [{"role": "user", "content": question}])


if __name__ == "__main__":
    main(*sys.argv[1:])
