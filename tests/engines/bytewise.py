"""Grammar engines over a byte-level tokenizer: accept a text, or write a random one.

XGrammar imports torch and transformers, for tensors that nothing here needs; numpy's arrays stand in for them, so that
gigabytes need not be installed.
"""

import random
import sys
import types

import llguidance
import llguidance.gbnf_to_lark
import numpy
import tvm_ffi  # noqa: F401  (before the stand-ins, since it looks for the real torch)


class StandIn(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def _xgrammar():
    torch = StandIn("torch")
    for name in ("int8", "int32", "int64", "float32"):
        setattr(torch, name, getattr(numpy, name))
    torch.tensor = lambda value, dtype=None, **_: numpy.array(value, dtype=dtype)
    torch.full = lambda shape, value, dtype=None, **_: numpy.full(shape, value, dtype=dtype)
    sys.modules.setdefault("torch", torch)
    sys.modules.setdefault("transformers", StandIn("transformers"))
    import xgrammar

    return xgrammar


xgrammar = _xgrammar()

BYTES = [bytes([i]) for i in range(256)] + [b""]


class _Tokens:
    """What llguidance asks of a tokenizer. tokens: their bytes, none for special ones; end: the one that ends a text."""

    bos_token_id = None

    def __init__(self, tokens, end):
        self.tokens = [token or b"<%d>" % i for i, token in enumerate(tokens)]
        self.eos_token_id, self.special_token_ids = end, [i for i, token in enumerate(tokens) if not token]
        self.ids = {token: i for i, token in enumerate(tokens)}

    def __call__(self, text):
        return [self.ids[bytes([byte])] for byte in (text if isinstance(text, bytes) else text.encode())]


class Engine:
    @classmethod
    def over(cls, tokens, end):
        """The engine over these tokens."""
        return type(cls.__name__, (cls,), {"size": len(tokens), "end": end, "shared": cls.share(tokens, end)})

    def ids(self, mask):
        bits = numpy.unpackbits(mask, bitorder="little")[:self.size]
        found = numpy.flatnonzero(bits)
        return found[found != self.end].tolist()


class Llguidance(Engine):
    """llguidance, which reads the `lark` target, and `gbnf` through its own converter."""

    @staticmethod
    def share(tokens, end):
        wrapper = llguidance.TokenizerWrapper(_Tokens(tokens, end))
        return llguidance.LLTokenizer(wrapper, n_vocab=len(tokens), slices=[])

    def __init__(self, grammar, target):
        if target == "gbnf":
            grammar = llguidance.gbnf_to_lark.gbnf_to_lark(grammar)
        self.matcher = llguidance.LLMatcher(self.shared, grammar, log_level=0)
        if self.matcher.is_error():
            raise ValueError(self.matcher.get_error())

    def start(self):
        self.matcher.reset()

    def take(self, data):
        """Takes all of the bytes, or none of them."""
        data = list(data)
        if self.matcher.validate_tokens(data) != len(data):
            return False
        return self.matcher.consume_tokens(data)

    def done(self):
        return self.matcher.is_accepting()

    def allowed(self):
        return self.ids(numpy.frombuffer(self.matcher.compute_bitmask(), dtype=numpy.uint8))


class XGrammar(Engine):
    """XGrammar, which reads the `structural-tag` target, and `gbnf` as its EBNF."""

    @staticmethod
    def share(tokens, end):
        info = xgrammar.TokenizerInfo(tokens, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[end])
        return xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def __init__(self, grammar, target):
        if target == "gbnf":
            self.compiled = self.shared.compile_grammar(xgrammar.Grammar.from_ebnf(grammar))
        else:
            self.compiled = self.shared.compile_structural_tag(grammar)
        self.mask = xgrammar.allocate_token_bitmask(1, self.size)
        self.start()

    def start(self):
        self.matcher = xgrammar.GrammarMatcher(self.compiled, terminate_without_stop_token=False)

    def take(self, data):
        if self.size == len(BYTES):
            return self.matcher.accept_string(bytes(data))
        return all(self.matcher.accept_token(token) for token in data)

    def done(self):
        return self.matcher.is_completed()

    def allowed(self):
        if self.matcher.is_terminated():
            return []
        if not self.matcher.fill_next_token_bitmask(self.mask):
            return [i for i in range(self.size) if i != self.end]
        return self.ids(self.mask.view(numpy.uint8).reshape(-1))


Llguidance, XGrammar = Llguidance.over(BYTES, 256), XGrammar.over(BYTES, 256)


# What is liked when a text is to come to its end.
CLOSERS = list(b"\"'}])>|;:,")


def accepts(engine, text):
    engine.start()
    return engine.take(text.encode()) and engine.done()


def sample(engine, rng, endings, limit=80):
    """A random text of the grammar, or None where none was found: free choice up to `limit` bytes, then the way out."""
    engine.start()
    out = bytearray()
    while len(out) < 1500:
        allowed = engine.allowed()
        if not allowed or (engine.done() and (len(out) > limit or rng.random() < 0.3)):
            return bytes(out) if engine.done() else None
        late = len(out) > limit
        if len(allowed) > 1 and (late or rng.random() < 0.15):
            taken = next((ending for ending in rng.sample(endings, len(endings)) if engine.take(ending)), None)
            if taken:
                out += taken
                continue
        liked = [byte for byte in CLOSERS if late and byte in allowed]
        text = [byte for byte in allowed if 32 < byte < 127] if late and rng.random() < 0.7 else []
        text = text or [byte for byte in allowed if 32 <= byte < 127 or byte == 10]
        byte = liked[0] if liked else rng.choice(text or allowed)
        engine.take([byte])
        out.append(byte)
    return None


def seeded(*key):
    return random.Random("/".join(map(str, key)))
