"""The plugin for SGLang: detectors for every syntax, named `sluice_NAME` for `--tool-call-parser`.

If the package is installed, its entry point `sglang.srt.plugins` registers them; `sluice.sglang.register()` does it explicitly.
"""

from __future__ import annotations

import json
import logging
from operator import itemgetter
from typing import Any, Callable, Optional

import sluice
from sluice import _server

_server.check_version("sglang", "0.5.23", "0.6")

from sglang.srt.function_call import function_call_parser, parser_names  # noqa: E402
from sglang.srt.function_call.base_format_detector import BaseFormatDetector  # noqa: E402
from sglang.srt.function_call.core_types import StreamingParseResult, StructureInfo, ToolCallItem  # noqa: E402

logger = logging.getLogger(__name__)


class SluiceDetector(BaseFormatDetector):
    """Tool calls in the format of `syntax`. SGLang's own parser has read the reasoning before."""

    syntax = "auto"

    def __init__(self) -> None:
        super().__init__()
        self._response: Optional[_server.Response] = None

    def _open(self, tools: Any) -> _server.Response:
        if self._response is None:
            self._response = _server.Response(self.syntax, _server.plain_tools(tools), bool(tools))
        return self._response

    def has_tool_call(self, text: str) -> bool:
        """True if the detector changes the text."""
        return _server.Response(self.syntax, None).end(None, text).get("content", "") != text

    def detect_and_parse(self, text: str, tools: Any) -> StreamingParseResult:
        response, self._response = self._open(tools), None
        fields, indices = response.end(logger, text), self._get_tool_indices(tools or [])
        return self._result(fields, lambda call: indices.get(call["function"]["name"], -1))

    def parse_streaming_increment(self, new_text: str, tools: Any) -> StreamingParseResult:
        response = self._open(tools)
        return self._result(response.fields(response.stream.feed(new_text)))

    def finish(self, tools: Any) -> StreamingParseResult:
        """Returns the held text, and the end of a call that was cut off."""
        response, self._response = self._response, None
        return self._result(response.end(logger) if response else {})

    @staticmethod
    def _result(fields: dict[str, Any], index: Callable[[dict[str, Any]], int] = itemgetter("index")) -> StreamingParseResult:
        calls = [ToolCallItem(tool_index=index(call), name=call["function"].get("name"), parameters=call["function"]["arguments"])
                 for call in fields.get("tool_calls", [])]
        return StreamingParseResult(normal_text=fields.get("content", ""), calls=calls)

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
        text, _ = _server.grammar(logger, self.syntax, _server.plain_tools(tools), "structural-tag", tool_choice=choice,
                                  parallel=parallel_tool_calls, reasoning=thinking_mode)
        return json.loads(text) if text else None


def register() -> None:
    """Adds a detector for each syntax to SGLang's table, and its name to the choices of `--tool-call-parser`."""
    for name in _server.names():
        made = type(f"SluiceDetector_{name}", (SluiceDetector,), {"syntax": name, "__module__": __name__})
        function_call_parser.FunctionCallParser.ToolCallParserEnum[f"sluice_{name}"] = made
        if f"sluice_{name}" not in parser_names.TOOL_CALL_PARSER_NAMES:
            parser_names.TOOL_CALL_PARSER_NAMES.append(f"sluice_{name}")
