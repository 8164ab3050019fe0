// SGLang's model gateway: the crate `tool-parser`.
#[path = "../race.rs"]
mod race;

use futures_util::FutureExt;
use openai_protocol::common::Tool;
use tool_parser::ParserFactory;

fn main() {
    let factory = ParserFactory::new();
    let (mut known, mut tools): (String, Vec<Tool>) = Default::default();
    race::race(|family, chunks, list| {
        let name = match family {
            "hermes" => "qwen",
            "qwen3_coder" => "qwen_xml",
            "glm47" => "glm47_moe",
            "kimi_k2" => "kimik2",
            "llama3_json" => "llama",
            "deepseek_v31" => "deepseek31",
            _ => return None,
        };
        if known != family {
            tools = serde_json::from_value(list.clone()).expect("tools");
            known = family.to_string();
        }
        let mut parser = factory.registry().create_parser(name)?;
        let mut outcome = race::Outcome::default();
        for chunk in chunks {
            let result = match parser.parse_incremental(chunk, &tools).now_or_never().expect("no waiting") {
                Ok(result) => result,
                Err(error) => return Some(Err(error.to_string())),
            };
            outcome.text.push_str(&result.normal_text);
            for call in result.calls {
                outcome.piece(call.tool_index, call.name.as_deref(), &call.parameters);
            }
        }
        for call in parser.get_unstreamed_tool_args().unwrap_or_default() {
            outcome.piece(call.tool_index, call.name.as_deref(), &call.parameters);
        }
        outcome.text.push_str(&parser.take_unstreamed_normal_text());
        Some(Ok(outcome))
    });
}
