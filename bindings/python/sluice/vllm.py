"""The plugin for vLLM: tool parsers and reasoning parsers for every syntax.

    vllm serve MODEL --enable-auto-tool-choice --tool-parser-plugin sluice.vllm --tool-call-parser sluice_hermes --reasoning-parser sluice_hermes

If the package is installed, its entry point `vllm.general_plugins` registers them without `--tool-parser-plugin`. The parser `sluice`
chooses the syntax by the model's name, `sluice_NAME` is for one syntax. Give the module's name, not its path: a file is loaded
under its base name, `vllm`.
"""

from __future__ import annotations

import sys
from copy import copy
from types import MemberDescriptorType
from typing import Any, Callable, Iterable, Optional, Sequence

from pydantic import BaseModel

if __name__ == "vllm":  # loaded by its path, in place of vLLM itself
    del sys.modules["vllm"]
    raise ImportError("give --tool-parser-plugin the module's name, sluice.vllm, not its path")

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.logger import init_logger
from vllm.reasoning import ReasoningParser, ReasoningParserManager
from vllm.sampling_params import StructuredOutputsParams
from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager

import sluice
from sluice import _server

logger = init_logger(__name__)


_FUNCTION = DeltaFunctionCall(arguments="")
_CALL = DeltaToolCall(index=0, function=_FUNCTION)
_MESSAGE = DeltaMessage(tool_calls=[_CALL])


def _maker(valid: BaseModel) -> Callable[[dict[str, Any]], Any]:
    """Returns a function that copies this valid model with these fields changed. The caller ensures their types."""
    model, fields, given = type(valid), dict(valid.__dict__), set(valid.model_fields_set)
    new = model.__new__
    if valid.__pydantic_private__ is not None or not isinstance(BaseModel.__dict__.get("__pydantic_fields_set__"), MemberDescriptorType):
        def made(changes: dict[str, Any]) -> Any:  # for a pydantic that keeps its state elsewhere
            out = copy(valid)
            out.__dict__.update(changes)
            return out
        return made
    # the slots of pydantic's BaseModel, set without its __setattr__
    set_given, set_extra, set_private = (BaseModel.__dict__[f"__pydantic_{name}__"].__set__ for name in ("fields_set", "extra", "private"))
    extra = valid.__pydantic_extra__

    def make(changes: dict[str, Any]) -> Any:
        out = new(model)
        own = out.__dict__
        own.update(fields)
        own.update(changes)
        set_given(out, given.copy())
        set_extra(out, extra if extra is None else dict(extra))
        set_private(out, None)
        return out

    return make


_function, _call, _message = _maker(_FUNCTION), _maker(_CALL), _maker(_MESSAGE)


def _fragment(index: int, arguments: str) -> DeltaMessage:
    """Returns a delta with a fragment of arguments, as most deltas are. Copies valid models: validation takes longer than parsing."""
    return _message({"tool_calls": [_call({"index": index, "function": _function({"arguments": arguments})})]})


def _model_names(tokenizer: Any, config: Any = None) -> list[Any]:
    return [getattr(config, "served_model_name", None), getattr(config, "model", None), getattr(tokenizer, "name_or_path", None)]


def _special_ids(tokenizer: Any, marks: Iterable[str]) -> dict[int, str]:
    """Returns the format's markers that are tokens of the model, by their ids."""
    try:
        vocabulary = tokenizer.get_vocab()
    except Exception:  # noqa: BLE001 - a tokenizer without one, as in tests
        return {}
    return {vocabulary[mark]: mark for mark in marks if mark in vocabulary}


def _plain_tools(tools: Any) -> Optional[sluice.Tools]:
    """Returns the tools of a request in the form of Chat Completions, or None."""
    out = []
    for tool in tools or []:
        value = tool.model_dump(exclude_none=True) if hasattr(tool, "model_dump") else tool
        if "function" not in value and "name" in value:  # the Responses API writes them flat
            value = {"type": "function", "function": {k: value[k] for k in ("name", "description", "parameters") if k in value}}
        if "function" in value:
            out.append(value)
    return sluice.Tools(out) if out else None


def _choice(request: Any) -> Optional[str]:
    """Returns "required" or a tool's name, if a request demands a call."""
    choice = getattr(request, "tool_choice", None)
    if choice == "required":
        return "required"
    if choice is None or isinstance(choice, str):
        return None
    function = getattr(choice, "function", None)
    return getattr(function, "name", None) or getattr(choice, "name", None)


class SluiceToolParser(ToolParser):
    """Tool calls in the format of `syntax`; None: by the model's name."""

    syntax: Optional[str] = None
    supports_required_and_named = False  # the format's own calls are read, also for these
    engine_based_streaming = True
    skip_reasoning_parsing = False  # vLLM sets it if no reasoning parser is configured

    def __init__(self, tokenizer: Any, tools: Any = None, **kwargs: Any):
        super().__init__(tokenizer, tools)
        self._name = self.syntax or _server.syntax_of_model(*_model_names(tokenizer, kwargs.get("model_config")))
        entry = _server.engine().entry(self._name)
        self._special = _special_ids(tokenizer, entry["special"]) if hasattr(sluice._sluice.Stream, "feed_special") else {}
        self._ids = frozenset(self._special)
        self._given = _plain_tools(tools)
        self._stream: Optional[sluice.Stream] = None
        self._verbatim = _server.Verbatim()
        self._followed = False
        self._sent: list[str] = []

    def _open(self, request: Any) -> sluice.Stream:
        tools = self._given or _plain_tools(getattr(request, "tools", None))
        self.prev_tool_call_arr = []
        self.streamed_args_for_tool = []
        self.current_tool_id = -1
        self._verbatim = _server.Verbatim()
        return sluice.Stream(self._name, tools=tools, markup=True)

    def adjust_request(self, request: Any) -> Any:
        """Keeps special tokens in the text; demanded calls get the format's own grammar."""
        if not getattr(request, "tools", None):
            return request
        choice = _choice(request)
        if request.tool_choice != "none":
            request.skip_special_tokens = False
        if choice and not self._name.startswith("auto"):
            outputs = self._constraint(request, choice)
            if outputs is not None:
                request.structured_outputs = outputs
                if hasattr(request, "response_format"):
                    request.response_format = None
        return request

    def _constraint(self, request: Any, choice: str) -> Optional[StructuredOutputsParams]:
        parallel = getattr(request, "parallel_tool_calls", None)
        refusals = []
        for target, field in (("structural-tag", "structural_tag"), ("gbnf", "grammar")):
            try:
                text = sluice.grammar(self._name, _plain_tools(request.tools), target, tool_choice=choice,
                                      parallel=False if parallel is False else None)
                return StructuredOutputsParams(**{field: text})
            except sluice.SluiceError as error:
                refusals.append(str(error))
        logger.warning("the call is demanded but not constrained: %s", "; ".join(refusals))
        return None

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        stream = self._open(request)
        collector, content = sluice.Collector(), []
        for event in stream.feed(model_output) + stream.finish():
            collector.add([event])
            text = self._verbatim.add(event)
            if text:
                content.append(text)
        calls = [ToolCall(id=_server.call_id(self._name, call.id, call.index), type="function", function=FunctionCall(name=call.name, arguments=call.arguments_json))
                 for call in collector.result().calls]
        self.prev_tool_call_arr = [{"name": c.function.name, "arguments": c.function.arguments} for c in calls]
        return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content="".join(content) or None)

    def extract_tool_calls_streaming(self, previous_text: str, current_text: str, delta_text: str, previous_token_ids: Sequence[int],
                                     current_token_ids: Sequence[int], delta_token_ids: Sequence[int],
                                     request: Any) -> Optional[DeltaMessage]:
        # vLLM gives streaming parsers no previous text; if there was one and it is gone, this is a new response
        if self._stream is None or (self._followed and not previous_text):
            self._stream = self._open(request)
        self._followed = bool(previous_text)
        if self._ids.isdisjoint(delta_token_ids):
            events = self._stream.feed(delta_text)
            if len(events) == 1 and events[0].type == "arguments":  # the most frequent case in a long call
                event = events[0]
                fragment = event.text
                self._verbatim.skip()
                self._sent.append(fragment)
                return _fragment(event.index, fragment)
            return self._delta(events)
        return self._delta(_server.feed(self._stream, delta_text, delta_token_ids, self._special))

    def finish_streaming(self) -> Optional[DeltaMessage]:
        """Returns the last delta: held text, and the end of a call that was cut off."""
        if self._stream is None:
            return None
        stream, self._stream = self._stream, None
        return self._delta(stream.finish())

    def _delta(self, events: Iterable[Any]) -> Optional[DeltaMessage]:
        content, calls = [], []
        for event in events:
            kind = event.type
            text = self._verbatim.add(event)
            if text:
                content.append(text)
            elif kind == "call_begin":
                self.current_tool_id = event.index
                self.prev_tool_call_arr.append({"name": event.name, "arguments": ""})
                self.streamed_args_for_tool.append("")
                self._sent = []
                calls.append({"index": event.index, "type": "function", "id": _server.call_id(self._name, event.id, event.index),
                              "function": {"name": event.name}})
            elif kind == "arguments":
                self._sent.append(event.text)
                if calls and calls[-1]["index"] == event.index:
                    function = calls[-1]["function"]
                    function["arguments"] = function.get("arguments", "") + event.text
                else:
                    calls.append({"index": event.index, "function": {"arguments": event.text}})
            elif kind == "call_end":
                self.streamed_args_for_tool[event.index] = self.prev_tool_call_arr[event.index]["arguments"] = "".join(self._sent)
        if not content and not calls:
            return None
        if not content and len(calls) == 1 and "id" not in calls[0]:
            return _fragment(calls[0]["index"], calls[0]["function"]["arguments"])
        return DeltaMessage(content="".join(content), tool_calls=calls)

    def get_remaining_unstreamed_args(self) -> str:
        """Everything parsed has been streamed."""
        return ""


class SluiceReasoningParser(ReasoningParser):
    """Reasoning by the markers of `syntax`; None: by the model's name."""

    syntax: Optional[str] = None
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any):
        super().__init__(tokenizer, *args, **kwargs)
        name = self.syntax or _server.syntax_of_model(*_model_names(tokenizer, kwargs.get("model_config")))
        self._pairs = _server.engine().entry(name)["reasoning"] if name != "auto" else [{"open": "<think>", "close": "</think>"}]
        self._splitter = _server.Splitter(self._pairs)
        self._inside = False
        self._followed = False

    @property
    def reasoning_start_str(self) -> Optional[str]:
        return self._pairs[0]["open"].strip() if self._pairs else None

    @property
    def reasoning_end_str(self) -> Optional[str]:
        return self._pairs[0]["close"].strip() if self._pairs else None

    def _text(self, ids: Sequence[int]) -> str:
        return self.model_tokenizer.decode(list(ids)[-4096:], skip_special_tokens=False)

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self._inside = _server.open_in(self._text(prompt_token_ids), self._pairs)
        self._splitter = _server.Splitter(self._pairs, self._inside)

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        self.set_prompt_token_ids(prompt_token_ids)

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        if not self._pairs:
            return True
        text = self._text(input_ids)
        closed = max(text.rfind(pair["close"].strip()) for pair in self._pairs)
        return closed >= 0 and not _server.open_in(text, self._pairs)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._splitter.done

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        ids = list(input_ids)
        marks = set(_special_ids(self.model_tokenizer, [pair["close"].strip() for pair in self._pairs]))
        for at in range(len(ids) - 1, -1, -1):
            if ids[at] in marks:
                return ids[at + 1:]
        return [] if not self._splitter.done else ids

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[Optional[str], Optional[str]]:
        inside = self._inside
        if not inside and not any(pair["open"].strip() in model_output for pair in self._pairs):
            # a closer without an opener: the prompt had it
            inside = any(pair["close"].strip() in model_output for pair in self._pairs)
        splitter = _server.Splitter(self._pairs, inside)
        reasoning, content = splitter.feed(model_output, end=True)
        return reasoning or None, content or None

    def extract_reasoning_streaming(self, previous_text: str, current_text: str, delta_text: str, previous_token_ids: Sequence[int],
                                    current_token_ids: Sequence[int], delta_token_ids: Sequence[int]) -> Optional[DeltaMessage]:
        if self._followed and not previous_text:
            self._splitter = _server.Splitter(self._pairs, self._inside)
        self._followed = bool(previous_text)
        reasoning, content = self._splitter.feed(delta_text)
        return DeltaMessage(reasoning=reasoning or None, content=content or None) if reasoning or content else None

    def finish_streaming(self) -> Optional[DeltaMessage]:
        """Returns text that was held as a possible marker."""
        if self._splitter.done:
            return None
        reasoning, content = self._splitter.feed("", end=True)
        return DeltaMessage(reasoning=reasoning or None, content=content or None) if reasoning or content else None


def register() -> None:
    """Registers `sluice` and `sluice_NAME` for every syntax, as tool parsers and as reasoning parsers."""
    for name in [None, *_server.names()]:
        key = "sluice" if name is None else f"sluice_{name}"
        made = {"syntax": name, "__module__": __name__, "__doc__": f"Tool calls in the format of {name or 'the model'}."}
        ToolParserManager.register_module(key, module=type(f"SluiceToolParser_{name or 'model'}", (SluiceToolParser,), dict(made)))
        ReasoningParserManager.register_module(key, module=type(f"SluiceReasoningParser_{name or 'model'}", (SluiceReasoningParser,), dict(made)))


register()
