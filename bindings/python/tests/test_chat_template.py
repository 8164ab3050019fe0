"""From a chat template to a syntax, on templates made here."""

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

{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}{% if m.content or not loop.first %}
{% endif %}<tool_call>
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


def test_the_command(tmp_path):
    path = tmp_path / "chat.jinja"
    path.write_text(QWEN)
    ran = subprocess.run([sys.executable, "-m", "sluice", "infer", "--template", str(path)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert "hermes" in ran.stdout and "return inherit" in ran.stdout
