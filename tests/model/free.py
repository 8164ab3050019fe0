"""The same model without a grammar, with the format's prompt: how many of its calls are well-formed, recovered or lost. Prints a table.

usage: build/model/bin/python tests/model/free.py build/sluice [--save FILE] [SYNTAX...]   (after tests/model/run build)
"""

import argparse
import json

import generate
import model

FORMATS = ["emoji_bracket", "scissors_cat", "caret", "smiley", "hermes", "json", "cline", "react", "action_json", "qwen3_coder",
           "tool_codeblock", "pythonic"]
TOOLS = generate.TOOLS[1]
QUESTIONS = ["Plan a trip of 2 days to Oslo.", "Find my notes about the garden.", "Search my notes for tax returns, oldest first.",
             "I want to go to Lima for a week.", "Which notes do I have on \"cats & dogs\"?"]
# such a small model calls nothing unless the conversation has a call
BEFORE, CALL = "Find my notes about cooking.", [{"name": "search_notes", "arguments": {"query": "cooking"}}]


def kind_of(sluice, syntax, text):
    """What became of an answer: "well-formed", "recovered", "lost", or "none" if it has no call and does not try."""
    line = {"syntax": syntax, "tools": TOOLS, "text": text}
    strict, usual = sluice.ask(options={"strict": True}, **line), sluice.ask(**line)
    names = {tool["name"] for tool in TOOLS}
    if strict["calls"] and all(call["status"] == "complete" for call in strict["calls"]) and not (
            {error["code"] for error in strict["errors"]} - {"schema_mismatch", "type_mismatch", "unknown_tool"}):  # the form counts
        return "well-formed", strict
    if any(call["status"] != "incomplete" and call["name"] in names for call in usual["calls"]):
        return "recovered", usual
    return "lost" if usual["calls"] or any(name in text for name in names) else "none", usual


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("--save", default="/dev/null")
    parser.add_argument("syntax", nargs="*")
    args = parser.parse_intermixed_args()
    sluice, writer, save = generate.Sluice(args.sluice), model.Model(), open(args.save, "w", encoding="utf-8")
    print("| format | tokens of a call | answers that try | well-formed | recovered | lost |\n|---|---|---|---|---|---|")
    for syntax in args.syntax or FORMATS:
        example = sluice.ask(op="prompt", syntax=syntax, tools=TOOLS)["text"].split("but the call:\n\n")[1].split("\n\nRules:")[0]
        prompt = sluice.ask(op="prompt", syntax=syntax, tools=TOOLS, options={"variant": "short"})["text"]
        counts = dict.fromkeys(("well-formed", "recovered", "lost", "none"), 0)
        shown = sluice.ask(op="render", syntax=syntax, calls=CALL).get("text", example)
        before = [{"role": "user", "content": BEFORE}, {"role": "assistant", "content": shown}]
        for question in QUESTIONS:
            for seed in (1, 2):
                pieces, ended = writer.write(prompt, question, before=before, tokens=80, seed=seed, temperature=0.7)
                kind, result = kind_of(sluice, syntax, "".join(pieces))
                counts[kind] += 1
                json.dump({"syntax": syntax, "kind": kind, "ended": ended, "text": "".join(pieces), "result": result}, save)
                save.write("\n")
                save.flush()
        tried = sum(counts.values()) - counts["none"]
        shares = " | ".join(str(counts[kind]) for kind in ("well-formed", "recovered", "lost"))
        print(f"| `{syntax}` | {writer.length(example)} | {tried} of {sum(counts.values())} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
