"""The programs of examples/python with a scripted model: with stand-ins for the packages, and with the real packages
if they are installed (bindings/python/test --servers)."""

import importlib
import os
import re
import sys
import types

import pytest

import sluice

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
FOLDER = os.path.join(ROOT, "examples", "python")
QUESTION = "Do I need an umbrella in Oslo?"
THOUGHT = "Let me see.\n"
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
ANSWERS = [THOUGHT + CALL, "Yes: it rains."]
PRINTED = 'Let me see.\n[get_weather {"city": "Oslo"}]\n\nYes: it rains.\n'
TEMPLATE = """{{ '<|im_start|>system\n' + (tools | tojson) + '<|im_end|>\n' }}
{%- for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content }}
{%- for c in m.tool_calls or [] %}{{ '<tool_call>' + (c.function.arguments | tojson) + '</tool_call>' }}{% endfor %}
{{- '<|im_end|>\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    yield
    for name in os.listdir(FOLDER):
        sys.modules.pop(name[:-3], None)


def example(name):
    return importlib.import_module(name)


def run(turn):
    """Returns the messages of a conversation with these turns."""
    return example("tools").converse(turn, [{"role": "user", "content": QUESTION}])


def check(messages, capsys):
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1]["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": {"city": "Oslo"}}
    assert messages[2]["content"] == "rain, 8 °C" and messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]
    assert messages[3]["content"] == ANSWERS[1]
    assert re.sub(r"\n+", "\n", capsys.readouterr().out) == re.sub(r"\n+", "\n", PRINTED)


def pieces(text, size=3):
    return [text[at:at + size] for at in range(0, len(text), size)]


class Tokenizer:
    """A stand-in for a tokenizer: a token for each character."""

    prompts = []

    def apply_chat_template(self, messages, tools, add_generation_prompt, tokenize):
        assert tools and add_generation_prompt and not tokenize
        self.prompts.append("\n".join(m["content"] for m in messages))
        return self.prompts[-1]

    def __call__(self, text, add_special_tokens, return_tensors):
        return {"input_ids": [[ord(c) for c in text]]}


def stand_in(monkeypatch, name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, module)


def test_transformers_with_stand_ins(monkeypatch, capsys):
    class Streamer(list):
        def __init__(self, tokenizer, skip_prompt, skip_special_tokens):
            assert skip_prompt and not skip_special_tokens

        def __iter__(self):
            while not self.ready.wait(300):
                raise AssertionError("nothing was generated")
            return super().__iter__()

    import threading

    class Model:
        answers = iter(ANSWERS)

        def generate(self, input_ids, streamer, max_new_tokens):
            streamer.extend([*pieces(next(self.answers)), "<|im_end|>"])
            streamer.ready.set()

    Streamer.ready = threading.Event()
    stand_in(monkeypatch, "transformers", TextIteratorStreamer=Streamer)
    model = Model()
    check(run(lambda messages: example("transformers_calls").turn(model, Tokenizer(), messages, "hermes")), capsys)


def test_mlx_lm_with_stand_ins(monkeypatch, capsys):
    answers = iter(ANSWERS)

    def stream_generate(model, tokenizer, prompt, max_tokens):
        assert QUESTION in prompt
        return (types.SimpleNamespace(text=text) for text in pieces(next(answers)))

    stand_in(monkeypatch, "mlx_lm", stream_generate=stream_generate)
    check(run(lambda messages: example("mlx_lm_calls").turn(None, Tokenizer(), messages, "hermes")), capsys)


class Llama:
    """Returns the answers as llama-cpp-python's chunks. (The package is a source distribution of 76 MB that compiles llama.cpp.)"""

    def __init__(self, *args, **kwargs):
        self.answers, self.grammars = iter(ANSWERS), []
        Llama.last = self

    def create_chat_completion(self, messages, tools, grammar, stream, max_tokens):
        assert stream and tools[0]["function"]["name"] == "get_weather"
        self.grammars.append(grammar)
        chunks = [{"role": "assistant"}, *({"content": text} for text in pieces(next(self.answers))), {}]
        return ({"choices": [{"index": 0, "delta": delta}]} for delta in chunks)


def test_llama_cpp_with_stand_ins(monkeypatch, capsys):
    class LlamaGrammar:
        @classmethod
        def from_string(cls, grammar, verbose=True):
            return grammar

    stand_in(monkeypatch, "llama_cpp", Llama=Llama, LlamaGrammar=LlamaGrammar)
    example("llama_cpp_calls").main("model.gguf", "hermes", QUESTION)
    assert re.sub(r"\n+", "\n", capsys.readouterr().out) == re.sub(r"\n+", "\n", PRINTED)
    first, second = Llama.last.grammars
    assert first.startswith("root ::=") and "get_weather" in first and second is None


def says(messages, answers):
    """Returns the answer of a model that uses the marked format of its system prompt."""
    opener = re.search(r"<tool_call (\w+)>", messages[0]["content"])
    return next(answers).replace("tool_call>", f"tool_call {opener.group(1)}>")


def check_litellm(messages, capsys):
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "user", "assistant"]
    assert "<tool_call " in messages[2]["content"] and "rain, 8 °C" in messages[3]["content"]
    assert re.sub(r"\n+", "\n", capsys.readouterr().out) == re.sub(r"\n+", "\n", PRINTED)


def test_litellm_with_stand_ins(monkeypatch, capsys):
    answers = iter(ANSWERS)

    def completion(model, messages, stream):
        assert model == "stand-in/any" and stream
        chunks = [None, *pieces(says(messages, answers))]
        return (types.SimpleNamespace(choices=[types.SimpleNamespace(delta=types.SimpleNamespace(content=text))]) for text in chunks)

    stand_in(monkeypatch, "litellm", completion=completion)
    check_litellm(example("litellm_calls").main("stand-in/any", QUESTION), capsys)


# ---- The packages themselves ------------------------------------------------------------------


def package(name):
    return pytest.importorskip(name, reason=f"{name} is not installed: bindings/python/test --servers")


@pytest.fixture
def tokenizer():
    """A real tokenizer of transformers: a token for each byte, and the special ones of Qwen."""
    transformers, tokenizers = package("transformers"), package("tokenizers")
    from tokenizers import decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    made.add_tokens(["<tool_call>", "</tool_call>"])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|im_end|>", chat_template=TEMPLATE)


def test_transformers_itself(tokenizer, capsys):
    numpy = package("numpy")

    class Model:
        """Gives the streamer what a real model's `generate` does: the prompt, then each token."""

        answers = iter(ANSWERS)

        def generate(self, input_ids, streamer, max_new_tokens, attention_mask=None, token_type_ids=None):
            assert QUESTION in tokenizer.decode(input_ids[0])
            streamer.put(input_ids)
            for token in tokenizer.encode(next(self.answers) + "<|im_end|>", add_special_tokens=False):
                streamer.put(numpy.array([token]))
            streamer.end()

    model = Model()
    check(run(lambda messages: example("transformers_calls").turn(model, tokenizer, messages, "hermes", tensors="np")), capsys)


def test_mlx_lm_itself(tokenizer, capsys):
    package("mlx_lm")
    import mlx.core as mx
    import mlx.nn as nn
    from mlx_lm.models.cache import KVCache
    from mlx_lm.tokenizer_utils import TokenizerWrapper

    class Model(nn.Module):
        """A model for mlx_lm.stream_generate: the token after the bytes seen so far is the next one of its answer."""

        def __init__(self, prompt, answer):
            super().__init__()
            self.left, self.wanted = len(tokenizer.encode(prompt)), tokenizer.encode(answer + "<|im_end|>")

        def make_cache(self):
            return [KVCache()]

        def __call__(self, inputs, cache=None):
            self.left -= inputs.shape[1]
            at = min(max(0, -self.left), len(self.wanted) - 1)
            wanted = mx.array([[self.wanted[at]] * inputs.shape[1]])
            return (mx.arange(len(tokenizer)) == wanted[..., None]).astype(mx.float32) * 100

    answers = iter(ANSWERS)

    def turn(messages):
        prompt = tokenizer.apply_chat_template(messages, tools=example("tools").TOOLS, add_generation_prompt=True, tokenize=False)
        return example("mlx_lm_calls").turn(Model(prompt, next(answers)), TokenizerWrapper(tokenizer), messages, "hermes")

    check(run(turn), capsys)


def test_litellm_itself(monkeypatch, capsys):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a list of prices
    litellm = package("litellm")

    class Model(litellm.CustomLLM):
        answers = iter(ANSWERS)

        def streaming(self, *args, **kwargs):
            chunks = pieces(says(kwargs["messages"], self.answers))
            for at, text in enumerate(chunks):
                last = at == len(chunks) - 1
                yield {"text": text, "index": 0, "is_finished": last, "finish_reason": "stop" if last else "", "tool_use": None, "usage": None}

    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "stand-in", "custom_handler": Model()}])
    check_litellm(example("litellm_calls").main("stand-in/any", QUESTION), capsys)


# ---- The page ---------------------------------------------------------------------------------


def test_the_page_shows_a_program_and_names_all():
    page = open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8").read()
    programs = {name: open(os.path.join(FOLDER, name), encoding="utf-8").read() for name in os.listdir(FOLDER) if name.endswith(".py")}
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert shown
    for text in shown:
        assert any(text in program for program in programs.values()), text
    for name in programs:
        assert name == "tools.py" or f"examples/python/{name} " in page


def test_a_call_that_is_not_valid_is_not_run(capsys):
    answers = iter(['<tool_call>{"name": "get_weather", "arguments": {"town": 1}}</tool_call>', "Sorry."])
    messages = run(lambda _: example("tools").show(sluice.iterate("hermes", [next(answers)], tools=example("tools").TOOLS)))
    assert messages[2]["content"].startswith("error") and "not run" in capsys.readouterr().out
