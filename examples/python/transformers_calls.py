"""Tool calls of a transformers model while it generates:

    python transformers_calls.py Qwen/Qwen2.5-0.5B-Instruct "Do I need an umbrella in Oslo?"
"""

import sys
import threading

import sluice
from tools import TOOLS, converse, show


def turn(model, tokenizer, messages, syntax, tensors="pt"):
    from transformers import TextIteratorStreamer

    prompt = tokenizer.apply_chat_template(messages, tools=TOOLS, add_generation_prompt=True, tokenize=False)
    inputs = tokenizer(prompt, add_special_tokens=False, return_tensors=tensors)
    # special tokens stay in the text: some formats consist of them
    streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=False)
    thread = threading.Thread(target=model.generate, kwargs={**inputs, "streamer": streamer, "max_new_tokens": 1024})
    thread.start()
    result = show(sluice.iterate(syntax, streamer, tools=TOOLS, prompt=prompt))  # the prompt's end may have opened reasoning
    thread.join()
    return result


def main(name, question):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(name), AutoTokenizer.from_pretrained(name)
    converse(lambda messages: turn(model, tokenizer, messages, name), [{"role": "user", "content": question}])


if __name__ == "__main__":
    main(*sys.argv[1:])
