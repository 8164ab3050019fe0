// Dynamo's second parser: the crate `dynamo-parsers-v2`, by its ordered ("unified") interface.
#[path = "../race.rs"]
mod race;

use dynamo_parsers_v2::{
    create_unified_parser_for_family, Tool, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput, UnifiedParserStartingState,
};

fn main() {
    let (mut known, mut tools): (String, Vec<Tool>) = Default::default();
    race::race(|family, chunks, list| {
        if !matches!(family, "qwen3_coder" | "glm47" | "kimi_k2") {
            return None;
        }
        if known != family {
            let own = list.as_array().expect("tools").iter().map(|tool| &tool["function"]);
            tools = own
                .map(|f| Tool {
                    name: f["name"].as_str().unwrap_or_default().to_string(),
                    description: None,
                    parameters: f["parameters"].clone(),
                    strict: None,
                })
                .collect();
            known = family.to_string();
        }
        Some(parsed(family, chunks, &tools).map_err(|error| error.to_string()))
    });
}

fn parsed(family: &str, chunks: &[String], tools: &[Tool]) -> Result<race::Outcome, Box<dyn std::error::Error>> {
    let mut parser = create_unified_parser_for_family(family, tools)?;
    parser.initialize_request(UnifiedParserInit { starting_state: UnifiedParserStartingState::Response, ..Default::default() })?;
    let mut outcome = race::Outcome::default();
    let mut take = |output: UnifiedParserOutput| {
        for event in output.events {
            match event {
                UnifiedParserEvent::Text(text) => outcome.text.push_str(&text),
                UnifiedParserEvent::ToolCall(call) => outcome.piece(call.tool_index, call.name.as_deref(), &call.arguments),
                _ => {}
            }
        }
    };
    for chunk in chunks {
        let mut output = UnifiedParserOutput::default();
        parser.parse_into(chunk, &mut output)?;
        take(output);
    }
    take(parser.finish_at_eos()?);
    Ok(outcome)
}
