"""Runs the responses (JSON lines on standard input) through the parsers of vLLM or SGLang in Python.

usage: race.py vllm|sglang FOLDER      the folder that holds their package
"""

import json
import logging
import sys
import time
import warnings

import absent

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

UNUSED = ["torch", "triton", "transformers", "tokenizers", "xgrammar", "llguidance", "sgl_kernel", "openai_harmony", "mistral_common",
          "prometheus_client", "huggingface_hub", "zmq", "cachetools", "cbor2", "blake3", "jinja2", "pybase64"]


class Outcome:
    def __init__(self):
        self.text, self.calls = "", []

    def piece(self, index, name, arguments):
        while len(self.calls) <= index:
            self.calls.append({"name": "", "arguments": ""})
        if name:
            self.calls[index]["name"] = name
        self.calls[index]["arguments"] += arguments or ""


def sglang(root):
    absent.bare(root, ["sglang", "sglang.srt", "sglang.srt.entrypoints", "sglang.srt.entrypoints.openai"])
    absent.allow(UNUSED + ["sglang.utils", "sglang.srt.utils"])
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    names = {"hermes": "hermes", "qwen3_coder": "qwen3_coder", "glm47": "glm47", "kimi_k2": "kimi_k2", "llama3_json": "llama3",
             "deepseek_v31": "deepseekv31"}

    def prepare(response):
        if response["family"] not in names:
            return None
        tools = [Tool.model_validate(tool) for tool in response["tools"]]

        def one():
            parser, out = FunctionCallParser(tools, names[response["family"]]), Outcome()

            def take(text, calls):
                out.text += text or ""
                for call in calls:
                    out.piece(call.tool_index, call.name, call.parameters)

            for chunk in response["chunks"]:
                take(*parser.parse_stream_chunk(chunk))
            if hasattr(parser, "parse_stream_end"):
                take(*parser.parse_stream_end())
            return out

        return one

    return prepare


class Tokenizer:
    """What the parsers ask of a tokenizer: the numbers of the markers."""

    def __init__(self, markers):
        self.vocab = {marker: 1000 + i for i, marker in enumerate(markers)}
        self.all_special_tokens, self.all_special_ids = list(self.vocab), list(self.vocab.values())
        self.bos_token = self.eos_token = None

    def get_vocab(self):
        return self.vocab

    def get_added_vocab(self):
        return self.vocab

    def convert_tokens_to_ids(self, token):
        return self.vocab.get(token)

    def encode(self, text, **_):
        return [self.vocab.get(text, 1)]

    def decode(self, ids, **_):
        names = {number: marker for marker, number in self.vocab.items()}
        return "".join(names.get(i, "") for i in ([ids] if isinstance(ids, int) else ids))


def vllm(root):
    absent.bare(root, ["vllm", "vllm.parser", "vllm.parser.engine"])
    absent.allow(UNUSED + ["vllm.logger", "vllm.sampling_params", "vllm.renderers", "vllm.tokenizers", "vllm.config", "vllm.outputs",
                           "vllm.multimodal", "vllm.platforms", "vllm.distributed", "vllm.v1", "vllm.model_executor"])
    absent.give("vllm.renderers.chat_utils", make_tool_call_id=lambda *args, **kwargs: "call_1")
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.tool_parsers import ToolParserManager

    markers = ["<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<think>", "</think>",
               "<|python_tag|>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
               "<|tool_call_argument_begin|>", "<|tool_call_end|>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>",
               "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"]
    tokenizer = Tokenizer(markers)

    def prepare(response):
        try:
            kind = ToolParserManager.get_tool_parser(response["family"])
        except KeyError:
            return None
        request = ChatCompletionRequest(messages=[], tools=response["tools"])
        ids = [tokenizer.encode(chunk) for chunk in response["chunks"]]

        def one():
            parser, out, text, all_ids = kind(tokenizer, request.tools), Outcome(), "", []
            if hasattr(parser, "skip_reasoning_parsing"):
                parser.skip_reasoning_parsing = True

            def take(delta):
                if delta is None:
                    return
                out.text += delta.content or ""
                for call in delta.tool_calls or []:
                    function = call.function
                    out.piece(call.index, function and function.name, function and function.arguments)

            for chunk, new in zip(response["chunks"], ids):
                before, before_ids = text, all_ids
                text, all_ids = text + chunk, all_ids + new
                take(parser.extract_tool_calls_streaming(before, text, chunk, before_ids, all_ids, new, request))
            if hasattr(parser, "finish_streaming"):
                take(parser.finish_streaming())
            else:
                rest = parser.get_remaining_unstreamed_args()
                if rest and out.calls:
                    out.calls[-1]["arguments"] += rest
            return out

        return one

    return prepare


def main():
    who, root = sys.argv[1], sys.argv[2]
    sys.path.insert(0, root)
    prepare = {"vllm": vllm, "sglang": sglang}[who](root)
    for line in sys.stdin:
        response = json.loads(line)
        one, best, begin, result = prepare(response), None, time.perf_counter(), {"skip": True}
        while one and (best is None or time.perf_counter() - begin < 0.2):
            start = time.process_time()
            try:
                out = one()
            except Exception as error:  # whatever a parser raises is its result
                result = {"error": f"{type(error).__name__}: {error}"}
                break
            taken = time.process_time() - start
            best = taken if best is None else min(best, taken)
            result = {"us": best * 1e6, "text": out.text, "calls": out.calls}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
