// vLLM's front end in Rust: the crate `vllm-parser` of its sources.
#[path = "../race.rs"]
mod race;

use std::sync::Arc;
use vllm_parser::tool::{
    DeepSeekV31ToolParser, Glm47MoeToolParser, HermesToolParser, KimiK2ToolParser, Llama3JsonToolParser, Qwen3CoderToolParser, Tool,
    ToolParser, ToolParserEvent, ToolParserOutput,
};
use vllm_tokenizer::{test_utils::TestTokenizer, DecodedText, DynTokenizer};

fn main() {
    let tokenizer: DynTokenizer = Arc::new(TestTokenizer::new()); // none of these parsers looks at tokens
    let (mut known, mut tools): (String, Vec<Tool>) = Default::default();
    race::race(|family, chunks, list| {
        if known != family {
            let functions = list.as_array().expect("tools").iter().map(|tool| tool["function"].clone());
            tools = serde_json::from_value(serde_json::Value::Array(functions.collect())).expect("tools");
            known = family.to_string();
        }
        let parser = match family {
            "hermes" => HermesToolParser::create(&tools, tokenizer.clone()),
            "qwen3_coder" => Qwen3CoderToolParser::create(&tools, tokenizer.clone()),
            "glm47" => Glm47MoeToolParser::create(&tools, tokenizer.clone()),
            "kimi_k2" => KimiK2ToolParser::create(&tools, tokenizer.clone()),
            "llama3_json" => Llama3JsonToolParser::create(&tools, tokenizer.clone()),
            "deepseek_v31" => DeepSeekV31ToolParser::create(&tools, tokenizer.clone()),
            _ => return None,
        };
        let mut parser = match parser {
            Ok(parser) => parser,
            Err(error) => return Some(Err(error.to_string())),
        };
        let mut outcome = race::Outcome::default();
        let mut take = |output: ToolParserOutput| {
            for event in output.events {
                match event {
                    ToolParserEvent::Text(text) => outcome.text.push_str(&text),
                    ToolParserEvent::ToolCall(call) => outcome.piece(call.tool_index, call.name.as_deref(), &call.arguments),
                }
            }
        };
        let mut failed = false;
        for chunk in chunks {
            let mut output = ToolParserOutput::default();
            if failed {
                output.push_text(chunk.as_str());
            } else if parser.parse_into(DecodedText::unattributed(chunk.as_str()), &mut output).is_err() {
                failed = true; // as in its server: what is held is text, and all that follows
                output.push_text(parser.reset());
            }
            take(output);
        }
        if !failed {
            let output = parser.finish().unwrap_or_else(|_| {
                let mut rest = ToolParserOutput::default();
                rest.push_text(parser.reset());
                rest
            });
            take(output);
        }
        Some(Ok(outcome))
    });
}
