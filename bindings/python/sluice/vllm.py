"""The plugin for vLLM: tool parsers and reasoning parsers for every syntax.

    vllm serve MODEL --enable-auto-tool-choice --tool-parser-plugin sluice.vllm --tool-call-parser sluice_hermes --reasoning-parser sluice_hermes

If the package is installed, its entry point `vllm.general_plugins` registers them without `--tool-parser-plugin`. The parser `sluice`
chooses the syntax by the model's name, `sluice_NAME` is for one syntax. Give the module's name, not its path: a file is loaded
under its base name, `vllm`.
"""

from __future__ import annotations

import sys
import weakref
from functools import lru_cache
from typing import Any, Iterable, Optional, Sequence

from pydantic import BaseModel, Field, model_validator

if __name__ == "vllm":  # loaded by its path, in place of vLLM itself
    del sys.modules["vllm"]
    raise ImportError("give --tool-parser-plugin the module's name, sluice.vllm, not its path")

import sluice
from sluice import _server

_server.check_version("vllm", "0.33", "0.34")

from vllm.entrypoints.generate.base.protocol import DeltaMessage, DeltaToolCall, ExtractedToolCallInformation, FunctionCall, ToolCall  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionNamedToolChoiceParam, ChatCompletionRequest  # noqa: E402
from vllm.logger import init_logger  # noqa: E402
from vllm.reasoning import ReasoningParser, ReasoningParserManager  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402
from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager  # noqa: E402

logger = init_logger(__name__)


class _Marks:
    """A format's markers as tokens of a model."""

    def __init__(self, tokenizer: Any, name: str):
        self.name = name
        entry = _server.engine().entry(name)
        self.pairs = [(pair["open"].strip(), pair["close"].strip()) for pair in entry["reasoning"]]
        if name == "auto":
            self.pairs = [("<think>", "</think>")]
        try:
            vocabulary = tokenizer.get_vocab()
        except Exception:  # noqa: BLE001 - a tokenizer without one, as in tests
            vocabulary = {}

        def ids(mark: str) -> tuple[int, ...]:
            if mark in vocabulary:
                return (vocabulary[mark],)
            try:
                return tuple(tokenizer.encode(mark, add_special_tokens=False))
            except Exception:  # noqa: BLE001
                return ()

        self.turns = [(ids(mark), opens) for pair in self.pairs for mark, opens in zip(pair, (True, False)) if ids(mark)]
        self.ends = {mark[-1] for mark, _ in self.turns}
        self.longest = max((len(mark) for mark, _ in self.turns), default=0)

    def last(self, ids: Sequence[int]) -> tuple[Optional[bool], int]:
        """Finds the last marker of reasoning: whether it opens (None: there is none), and where it ends."""
        for end in range(len(ids), 0, -1):
            if ids[end - 1] in self.ends:
                for mark, opens in self.turns:
                    if tuple(ids[max(end - len(mark), 0):end]) == mark:
                        return opens, end
        return None, 0


_known = lru_cache(maxsize=64)(_Marks)


def _marks(tokenizer: Any, syntax: Optional[str], config: Any) -> _Marks:
    return _known(tokenizer, syntax or _server.syntax_of_model(
        getattr(config, "served_model_name", None), getattr(config, "model", None), getattr(tokenizer, "name_or_path", None)))


def _choice(request: Any) -> Optional[str]:
    """Returns a request's tool choice: `"auto"`, `"required"`, `"none"`, a tool's name, or None."""
    choice = getattr(request, "tool_choice", None)
    if choice is None or isinstance(choice, str):
        return choice
    function = getattr(choice, "function", None)
    return getattr(function, "name", None) or getattr(choice, "name", None)


class _Tag(BaseModel):
    """A structural tag of XGrammar, as far as vLLM looks into it."""

    type: str
    format: dict[str, Any]


class _Call(DeltaToolCall):
    """vLLM's class without its search for unknown members, which takes longer than the parsing."""

    @model_validator(mode="after")
    def __log_extra_fields__(self) -> _Call:
        return self


class _Message(DeltaMessage):
    tool_calls: list[_Call] = Field(default_factory=list)

    @model_validator(mode="after")
    def __log_extra_fields__(self) -> _Message:
        return self


def _delta(fields: dict[str, Any]) -> Optional[DeltaMessage]:
    return _Message(**fields) if fields else None


class SluiceToolParser(ToolParser):
    """Tool calls in the format of `syntax`; None: by the model's name.

    If the reasoning parser is Sluice's, too, this parser reads the whole response, in one stream: see `SluiceReasoningParser`.
    """

    syntax: Optional[str] = None
    supports_required_and_named = False  # the format's own calls are read, also for these
    structural_tag_model = "sluice"  # not a model of XGrammar: vLLM asks `get_structural_tag`
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, tools: Any = None, **kwargs: Any):
        super().__init__(tokenizer, tools)
        self._marks = _marks(tokenizer, self.syntax, kwargs.get("model_config"))
        self._given = tools
        self._reasoner = SluiceReasoningParser.join(self)
        self._response: Optional[_server.Response] = None
        self._whole: Optional[dict[str, Any]] = None
        self._followed = False

    def _open(self, request: Any) -> _server.Response:
        tools = _server.plain_tools(self._given or getattr(request, "tools", None))
        reasoner = self._reasoner
        return _server.Response(self._marks.name, tools, self.may_call(request, tools), reasoner is not None, reasoner is not None and reasoner.inside)

    def may_call(self, request: Any, tools: Optional[sluice.Tools]) -> bool:
        """Without tools, or with the choice "none", what looks like a call is text."""
        return request is None or (tools is not None and _choice(request) != "none")

    def adjust_request(self, request: Any) -> Any:
        """Keeps special tokens in the text; demanded calls get the format's own grammar."""
        choice = _choice(request)
        if not getattr(request, "tools", None) or choice == "none":
            return request
        request.skip_special_tokens = False
        outputs = getattr(request, "structured_outputs", None)
        if choice not in (None, "auto") and (outputs is None or outputs.structural_tag is None):
            self.get_structural_tag(request, into=request)
        return request

    def get_structural_tag(self, request: Any, *, into: Any = None, **_: Any) -> Optional[_Tag]:
        """Returns the grammar of a request's calls. `into`: sets it in this request, in a form that can express it."""
        text, target = _server.grammar(logger, self._marks.name, _server.plain_tools(request.tools), *("structural-tag", "gbnf")[:None if into else 1],
                                       tool_choice=_choice(request), parallel=getattr(request, "parallel_tool_calls", None) is not False)
        if not (text and into):
            return _Tag.model_validate_json(text) if text else None
        into.structured_outputs = StructuredOutputsParams(**{"grammar" if target == "gbnf" else "structural_tag": text})
        if hasattr(into, "response_format"):
            into.response_format = None
        return None

    def read(self, text: str, request: Any) -> dict[str, Any]:
        """Reads a whole response."""
        response = self._open(request)
        fields = response.end(logger, text)
        self._keep_reason(response.out, request)
        return fields

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        fields, self._whole = self._whole, None
        if fields is None or fields.get("content", "") != model_output:
            fields = self.read(model_output, request)
        calls = [ToolCall(id=call["id"], type="function", function=FunctionCall(**call["function"])) for call in fields.get("tool_calls", [])]
        return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=fields.get("content"))

    @staticmethod
    def _keep_reason(out: sluice.Outgoing, request: Any) -> None:
        """If no call is complete, the finish reason stays the model's own: vLLM writes `tool_calls` after any call, except one of a named choice."""
        if out.calls and not out.good and isinstance(request, ChatCompletionRequest) and (request.n or 1) == 1:
            request.tool_choice = ChatCompletionNamedToolChoiceParam.model_validate({"function": {"name": out.name}})

    def extract_tool_calls_streaming(self, previous_text: str, current_text: str, delta_text: str, previous_token_ids: Sequence[int],
                                     current_token_ids: Sequence[int], delta_token_ids: Sequence[int],
                                     request: Any) -> Optional[DeltaMessage]:
        # vLLM gives streaming parsers no previous text; if there was one and it is gone, this is a new response
        if self._response is None or (self._followed and not previous_text):
            self._response, self._request = self._open(request), request
        self._followed = bool(previous_text)
        return _delta(self._response.fields(self._response.stream.feed(delta_text)))

    def finish_streaming(self) -> Optional[DeltaMessage]:
        """Returns the last delta: held text, and the end of a call that was cut off."""
        if self._response is None:
            return None
        response, self._response = self._response, None
        delta = _delta(response.end(logger))
        self._keep_reason(response.out, self._request)
        return delta

    def get_remaining_unstreamed_args(self) -> str:
        """Everything that may be sent has been streamed."""
        return ""


class SluiceReasoningParser(ReasoningParser):
    """Reasoning by the markers of `syntax`; None: by the model's name.

    vLLM makes the two parsers of a response one after the other, and gives them the text in turns. If the tool parser is Sluice's,
    it gets all of it and reads the reasoning as well, since the two depend on each other: a call may stand in reasoning that never
    closes. Else the reasoning is read here, and everything after it passes on as it is.
    """

    syntax: Optional[str] = None
    engine_based_streaming = True
    _last: Any = staticmethod(lambda: None)  # a reference to the last parser made, until its tool parser is made

    @classmethod
    def join(cls, tool_parser: SluiceToolParser) -> Optional[SluiceReasoningParser]:
        """Returns the reasoning parser that was made for the same response as this tool parser, or None."""
        made, SluiceReasoningParser._last = SluiceReasoningParser._last(), staticmethod(lambda: None)
        if made is None or made.model_tokenizer is not tool_parser.model_tokenizer:
            return None
        made._partner = weakref.proxy(tool_parser)
        return made

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any):
        super().__init__(tokenizer, *args, **kwargs)
        self._marks = _marks(tokenizer, self.syntax, kwargs.get("model_config"))
        self._partner: Optional[SluiceToolParser] = None
        self._response: Optional[_server.Response] = None
        self._passed = ""  # a piece for the tool parser
        self._ended = False
        self._followed = False
        self.inside = False  # the prompt has opened the reasoning
        SluiceReasoningParser._last = weakref.ref(self)

    @property
    def reasoning_start_str(self) -> Optional[str]:
        return self._marks.pairs[0][0] if self._marks.pairs else None

    @property
    def reasoning_end_str(self) -> Optional[str]:
        return self._marks.pairs[0][1] if self._marks.pairs else None

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self.inside = self._marks.last(prompt_token_ids)[0] is True

    adjust_initial_state_from_prompt = set_prompt_token_ids

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        return not self._marks.turns or self._marks.last(input_ids)[0] is False

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        return self.is_reasoning_end(input_ids[-(len(list(delta_ids)) + self._marks.longest):])

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._ended or self._partner is not None

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        opens, end = (None, 0) if self._partner else self._marks.last(input_ids)
        return list(input_ids) if opens is None else [] if opens else list(input_ids[end:])

    def _open(self) -> _server.Response:
        return _server.Response(self._marks.name, None, calls=False, reasoning=True, inside=self.inside)

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[Optional[str], Optional[str]]:
        if self._partner:
            fields = self._partner._whole = self._partner.read(model_output, request)
        else:
            fields = self._open().end(logger, model_output)
        return fields.get("reasoning"), fields.get("content")

    def extract_reasoning_streaming(self, previous_text: str, current_text: str, delta_text: str, previous_token_ids: Sequence[int],
                                    current_token_ids: Sequence[int], delta_token_ids: Sequence[int]) -> Optional[DeltaMessage]:
        if self._partner:
            self._passed = delta_text
            return None
        if self._response is None or (self._followed and not previous_text):
            self._response, self._ended = self._open(), False
        self._followed = bool(previous_text)
        return self._sent(self._response.fields(self._response.stream.feed(delta_text)))

    def finish_streaming(self) -> Optional[DeltaMessage]:
        """Returns text that was held as a possible marker; or the piece that goes to the tool parser."""
        passed, self._passed = self._passed, ""
        if passed:
            return DeltaMessage(content=passed)
        response, self._response = self._response, None
        return self._sent(response.end(logger)) if response else None

    def _sent(self, fields: dict[str, Any]) -> Optional[DeltaMessage]:
        self._ended = self._ended or "content" in fields
        return _delta(fields)


def register() -> None:
    """Registers `sluice` and `sluice_NAME` for every syntax, as tool parsers and as reasoning parsers."""
    for name in [None, *_server.names()]:
        key = "sluice" if name is None else f"sluice_{name}"
        made = {"syntax": name, "__module__": __name__, "__doc__": f"Tool calls in the format of {name or 'the model'}."}
        ToolParserManager.register_module(key, module=type(f"SluiceToolParser_{name or 'model'}", (SluiceToolParser,), dict(made)))
        ReasoningParserManager.register_module(key, module=type(f"SluiceReasoningParser_{name or 'model'}", (SluiceReasoningParser,), dict(made)))


register()
