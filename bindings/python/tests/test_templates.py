"""The chat templates in the newest wheels that have some, TRL's and vLLM's: Sluice finds or infers a syntax for each that writes calls, which
reads every turn that the template does not write ambiguously."""

import os
import zipfile

import pytest
import servers

pytest.importorskip("jinja2", reason="Jinja2 is not installed")

from sluice import chat_template  # noqa: E402


def templates(package):
    """The texts of a wheel's templates by their names."""
    wheel = servers.fetched(package)
    with zipfile.ZipFile(wheel) as archive:
        texts = {os.path.basename(name): archive.read(name).decode() for name in archive.namelist() if name.endswith((".jinja", ".jinja2"))}
    return {name: text for name, text in texts.items() if "messages" in text}


@pytest.mark.parametrize("package", ["trl", "vllm"])
def test_the_templates_of(package, tmp_path, capsys):
    count = calls = 0
    for name, text in templates(package).items():
        count += 1
        try:
            found = chat_template.infer({"chat_template": text}, folder=str(tmp_path))
        except chat_template.TemplateError:
            continue  # it writes no calls
        calls += 1
        assert found.reads == found.total, f"{name}: {found.report}"
    assert calls
    with capsys.disabled():
        print(f"\n{package}: {calls} of {count} templates write calls")
