"""Syntaxes of chat templates, with templates made here."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("jinja2", reason="Jinja2 is not installed")

import sluice  # noqa: E402
from sluice import chat_template  # noqa: E402

QWEN = """{%- if tools %}<|im_start|>system
Tools: {{ tools | tojson }}<|im_end|>
{% endif %}{%- for m in messages %}{%- if m.role == 'tool' %}<|im_start|>user
<tool_response>
{{ m.content }}
</tool_response><|im_end|>
{% else %}<|im_start|>{{ m.role }}
{% if m.reasoning_content %}<think>
{{ m.reasoning_content }}
</think>

{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}{% if m.content or not loop.first %}{{ '\\n' }}{% endif %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endif %}{%- endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

STRANGE = """{%- for m in messages %}@{{ m.role }}: {% if m.content %}{{ m.content }}{% endif %}{% for c in m.tool_calls or [] %}<<run:{{ c.function.name }}>>{{ c.function.arguments | tojson }}<<end>>{% endfor %}<|over|>
{% endfor %}{%- if add_generation_prompt %}@assistant: {% endif %}"""


def test_a_known_syntax():
    found = sluice.from_chat_template(QWEN)
    assert (found.syntax, found.known, found.reads) == ("hermes", True, found.total)
    assert found.end_of_turn == "<|im_end|>" and not found.starts_in_reasoning
    assert "{content}" in found.result


def test_a_new_format(tmp_path):
    found = sluice.from_chat_template(STRANGE, name="strange_py", folder=str(tmp_path))
    assert not found.known and found.reads == found.total, found.report
    text = 'Hi <<run:f>>{"a": 1}<<end>>'
    assert sluice.parse(found.syntax, text).calls[0].arguments == {"a": 1}
    assert "<<run:" in found.script


def test_the_same_with_all_known_syntaxes_hidden(tmp_path):
    found = sluice.from_chat_template(QWEN, hidden=True, name="own_py", folder=str(tmp_path))
    assert not found.known and found.reads == found.total, found.report


def test_tokenizer_configurations(tmp_path):
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"chat_template": [{"name": "default", "template": "{{ messages }}"}, {"name": "tool_use", "template": QWEN}],
                                "eos_token": {"content": "<|im_end|>"},
                                "added_tokens_decoder": {"1": {"content": "<tool_call>", "special": True}}}))
    found = sluice.from_chat_template(path)
    assert found.syntax == "hermes" and found.special == ["<tool_call>"]


@pytest.mark.parametrize("template, what", [("{{ 1 ", "Jinja"), ("{% for m in messages %}{{ m.content }}{% endfor %}", "no tool calls"),
                                            ("{{ raise_exception('not me') }}", "not me")])
def test_templates_without_calls_are_refused(template, what):
    with pytest.raises(chat_template.TemplateError, match=what):
        sluice.from_chat_template(template)


# a format that labels content and reasoning, with ids, the name twice, and content after another marker
CHANNELS = """{%- for m in messages %}{% if m.role != 'assistant' %}<|start|>{{ m.role }}<|body|>{{ m.content }}<|stop|>{% else %}<|start|>me{% if m.reasoning %} for=self<|body|>{{ m.reasoning }}<|next|><|start|>me{% endif %}{% for c in m.tool_calls or [] %}{% if not loop.first %}<|next|><|start|>me{% endif %} for={{ c.function.name }}<|body|><run id="{{ c.id }}" tool="{{ c.function.name }}">
{% for k, v in c.function.arguments.items() %}<arg name="{{ k }}">{{ v if v is string else v | tojson }}</arg>
{% endfor %}</run>{% endfor %}{% if m.content and not m.tool_calls %} to the user<|body|>{{ m.content }}{% endif %}<|stop|>{% endif %}{% endfor %}{%- if add_generation_prompt %}<|start|>me{% endif %}"""

# a known format with other markers of reasoning, which the prompt opens
OTHER_REASONING = """{%- for m in messages %}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}<ponder>
{% if m.reasoning_content %}{{ m.reasoning_content }}
{% endif %}</ponder>
{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}{{ '\\n' }}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
<ponder>
{% endif %}"""

# quotes that are not escaped, and numbers in quotes
LOSSY = """{%- for m in messages %}@{{ m.role }}: {{ m.content or '' }}{% for c in m.tool_calls or [] %}<<{{ c.function.name }}({% for k, v in c.function.arguments.items() %}{{ k }}="{{ v }}"{{ ', ' if not loop.last }}{% endfor %})>>{% endfor %}<|over|>
{% endfor %}{%- if add_generation_prompt %}@assistant: {% endif %}"""


def test_channels_ids_and_names_that_stand_twice(tmp_path):
    found = sluice.from_chat_template(CHANNELS, name="channels_py", folder=str(tmp_path))
    assert not found.known
    result = sluice.parse(found.syntax, ' for=self<|body|>hm<|next|><|start|>me for=f<|body|><run id="call7" tool="f">\n<arg name="a">b</arg>\n</run>')
    assert (result.reasoning, result.content, result.calls[0].id, result.calls[0].arguments) == ("hm", None, "call7", {"a": "b"}), found.script
    assert sluice.parse(found.syntax, " to the user<|body|>Hello").content == "Hello"


def test_a_known_format_with_other_reasoning(tmp_path):
    found = sluice.from_chat_template(OTHER_REASONING, name="ponder_py", folder=str(tmp_path))
    assert found.reads == found.total and "this is `hermes` with changes" in found.report, found.report
    result = sluice.parse(found.syntax, 'hm\n</ponder>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', prompt="<ponder>\n")
    assert (result.reasoning, result.content, len(result.calls)) == ("hm", None, 1)


def test_what_a_template_loses_is_told(tmp_path):
    found = sluice.from_chat_template(LOSSY, name="lossy_py", folder=str(tmp_path))
    assert found.lost and "the template loses a number in the quotes of texts" in found.report


def test_the_command(tmp_path):
    path = tmp_path / "chat.jinja"
    path.write_text(QWEN)
    ran = subprocess.run([sys.executable, "-m", "sluice", "infer", "--template", str(path)], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert "hermes" in ran.stdout and "return inherit" in ran.stdout
