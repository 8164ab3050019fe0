"""A pytest plugin that runs vLLM's own tests of its tool parsers with Sluice's plugin.

Each parser class of vLLM that a test file imports, or gets from the manager, is replaced by the plugin's class of the same format.
Tokenizers are not fetched: one with a token per byte and one per marker replaces all of them.
"""

import functools
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import servers  # noqa: E402

servers.prepare("vllm")

import tokenizers  # noqa: E402
import transformers  # noqa: E402
import vllm.tokenizers  # noqa: E402
from vllm.tool_parsers import ToolParserManager  # noqa: E402

import sluice  # noqa: E402

# vLLM's module and class, its names in the manager, and our syntax
PARSERS = [
    ("hermes_tool_parser", "Hermes2ProToolParser", ["hermes"], "hermes"),
    ("granite4_tool_parser", "Granite4ToolParser", ["granite4"], "granite4"),
    ("qwen3_engine_tool_parser", "Qwen3EngineToolParser", ["qwen3_coder", "qwen3_xml"], "qwen3_coder"),
    ("mistral_tool_parser", "MistralToolParser", ["mistral"], "mistral"),
    ("llama_tool_parser", "Llama3JsonToolParser", ["llama3_json", "llama4_json"], "llama3_json"),
    ("pythonic_tool_parser", "PythonicToolParser", ["pythonic"], "pythonic"),
    ("llama4_pythonic_tool_parser", "Llama4PythonicToolParser", ["llama4_pythonic"], "pythonic"),
    ("kimi_k2_tool_parser", "KimiK2ToolParser", ["kimi_k2"], "kimi_k2"),
    ("deepseekv31_tool_parser", "DeepSeekV31ToolParser", ["deepseek_v31"], "deepseek_v31"),
    ("glm47_moe_tool_parser", "Glm47MoeModelToolParser", ["glm45", "glm47"], "glm45"),
]


@functools.lru_cache(maxsize=None)
def tokenizer(name="", **_):
    marks = sorted({mark for syntax in sluice.syntaxes() for mark in syntax["special"] if mark.strip() == mark and len(mark) > 2})
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_tokens([tokenizers.AddedToken(mark, special=False, normalized=False) for mark in marks])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, name_or_path="none")


def substitute():
    ToolParserManager.import_tool_parser("sluice.vllm")
    for module, name, aliases, syntax in PARSERS:
        ours = ToolParserManager.get_tool_parser(f"sluice_{syntax}")
        ours.may_call = lambda *_: True  # most of the tests have requests without tools
        try:
            setattr(importlib.import_module(f"vllm.tool_parsers.{module}"), name, ours)
        except ImportError as error:
            print(f"vllm.tool_parsers.{module} cannot be imported: {error}", file=sys.stderr)
        for alias in aliases:
            ToolParserManager.register_module(alias, force=True, module=ours)
    vllm.tokenizers.get_tokenizer = lambda *args, **kwargs: tokenizer()
    transformers.AutoTokenizer.from_pretrained = lambda *args, **kwargs: tokenizer()


substitute()
