"""The plugin for SGLang: detectors for every syntax, named `sluice_NAME` for `--tool-call-parser`.

If the package is installed, its entry point `sglang.srt.plugins` registers them; `sluice.sglang.register()` does it explicitly.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from sglang.srt.function_call import function_call_parser, parser_names
from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, StructureInfo, ToolCallItem

import sluice
from sluice import _server
from sluice._result import read_json


def _plain_tools(tools: Any) -> Optional[sluice.Tools]:
    return sluice.Tools([tool.model_dump(exclude_none=True) for tool in tools]) if tools else None


class SluiceDetector(BaseFormatDetector):
    """Tool calls in the format of `syntax`."""

    syntax = "auto"

    def __init__(self) -> None:
        super().__init__()
        self._stream: Optional[sluice.Stream] = None
        self._verbatim = _server.Verbatim()
        self._sent: list[str] = []

    def has_tool_call(self, text: str) -> bool:
        return bool(sluice.parse(self.syntax, text).calls)

    def detect_and_parse(self, text: str, tools: Any) -> StreamingParseResult:
        stream, verbatim = sluice.Stream(self.syntax, tools=_plain_tools(tools), markup=True), _server.Verbatim()
        collector, content = sluice.Collector(), []
        for event in stream.feed(text) + stream.finish():
            collector.add([event])
            content.append(verbatim.add(event) or "")
        indices = self._get_tool_indices(tools or [])
        calls = [ToolCallItem(tool_index=indices.get(call.name, -1), name=call.name, parameters=call.arguments_json)
                 for call in collector.result().calls]
        return StreamingParseResult(normal_text="".join(content), calls=calls)

    def parse_streaming_increment(self, new_text: str, tools: Any) -> StreamingParseResult:
        if self._stream is None:
            self._stream = sluice.Stream(self.syntax, tools=_plain_tools(tools), markup=True)
        return self._result(self._stream.feed(new_text))

    def finish(self, tools: Any) -> StreamingParseResult:
        """Returns the held text, and the end of a call that was cut off."""
        if self._stream is None:
            return StreamingParseResult()
        stream, self._stream = self._stream, None
        return self._result(stream.finish())

    def _result(self, events: list[Any]) -> StreamingParseResult:
        content, calls = [], []
        for event in events:
            content.append(self._verbatim.add(event) or "")
            if event.type == "call_begin":
                self.current_tool_id = event.index
                self.current_tool_name_sent = True
                self.prev_tool_call_arr.append({"name": event.name, "arguments": {}})
                self.streamed_args_for_tool.append("")
                self._sent = []
                calls.append(ToolCallItem(tool_index=event.index, name=event.name, parameters=""))
            elif event.type == "arguments":
                self._sent.append(event.text)
                calls.append(ToolCallItem(tool_index=event.index, parameters=event.text))
            elif event.type == "call_end":
                whole = "".join(self._sent)
                self.streamed_args_for_tool[event.index] = whole
                self.prev_tool_call_arr[event.index]["arguments"] = read_json(whole)
        return StreamingParseResult(normal_text="".join(content), calls=calls)

    def supports_structural_tag(self) -> bool:
        return False  # the format has its own constraint: see get_structural_tag

    def parses_required_natively(self) -> bool:
        return True

    def structure_info(self) -> Any:
        """Returns the text before and after the arguments of a call."""

        def of(name: str) -> StructureInfo:
            text = sluice.render(self.syntax, [{"name": name, "arguments": {"sluice_probe": 1}}])
            begin, _, rest = text.partition('{"sluice_probe"')
            if not rest:
                raise ValueError(f"the arguments of {self.syntax} are not JSON: there is no structure info")
            end = rest[rest.index("}") + 1:]
            return StructureInfo(begin=begin, end=end, trigger=begin.split(name)[0].rstrip() or begin)

        return of

    def get_structural_tag(self, tools: Any = None, tool_choice: Any = "auto", thinking_mode: bool = False,
                           parallel_tool_calls: bool = True) -> Any:
        """Returns the format's grammar as a structural tag of XGrammar; None if it cannot be expressed."""
        choice = tool_choice if isinstance(tool_choice, str) else tool_choice.function.name
        try:
            return json.loads(sluice.grammar(self.syntax, _plain_tools(tools), "structural-tag", tool_choice=choice,
                                             parallel=None if parallel_tool_calls else False, reasoning=thinking_mode or None))
        except sluice.SluiceError:
            return None


def register() -> None:
    """Adds a detector for each syntax to SGLang's table, and its name to the choices of `--tool-call-parser`."""
    for name in _server.names():
        made = type(f"SluiceDetector_{name}", (SluiceDetector,), {"syntax": name, "__module__": __name__})
        function_call_parser.FunctionCallParser.ToolCallParserEnum[f"sluice_{name}"] = made
        if f"sluice_{name}" not in parser_names.TOOL_CALL_PARSER_NAMES:
            parser_names.TOOL_CALL_PARSER_NAMES.append(f"sluice_{name}")
