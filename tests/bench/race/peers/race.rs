// What the adapters in Rust share: reads responses (JSON lines) from standard input, runs each, prints its result as a line of JSON.

use serde_json::{json, Value};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

/// What a parser made of a response: the calls as (name, arguments), and the text.
#[derive(Default)]
pub struct Outcome {
    pub calls: Vec<(String, String)>,
    pub text: String,
}

impl Outcome {
    /// One piece of a call, by its index in the response.
    pub fn piece(&mut self, index: usize, name: Option<&str>, arguments: &str) {
        while self.calls.len() <= index {
            self.calls.push(Default::default());
        }
        if let Some(name) = name {
            self.calls[index].0 = name.to_string();
        }
        self.calls[index].1.push_str(arguments);
    }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

/// The processor time of this program so far, in microseconds (Linux): a loaded machine does not change it.
fn processor_time() -> f64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(2, &mut time) };
    time.seconds as f64 * 1e6 + time.nanoseconds as f64 / 1e3
}

/// Runs every response. `one` parses one: family, chunks, tools; None if it has no parser for the family.
pub fn race(mut one: impl FnMut(&str, &[String], &Value) -> Option<Result<Outcome, String>>) {
    for line in std::io::stdin().lock().lines() {
        let response: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let family = response["family"].as_str().expect("a family");
        let chunks: Vec<String> =
            response["chunks"].as_array().expect("chunks").iter().map(|c| c.as_str().expect("a text").to_string()).collect();
        let (begin, mut best, mut result) = (Instant::now(), f64::MAX, None);
        loop {
            let start = processor_time();
            let outcome = one(family, &chunks, &response["tools"]);
            best = best.min(processor_time() - start);
            result = outcome.or(result);
            if result.is_none() || begin.elapsed() > Duration::from_millis(200) {
                break;
            }
        }
        let line = match result {
            None => json!({"skip": true}),
            Some(Err(error)) => json!({"error": error}),
            Some(Ok(o)) => json!({"us": best, "text": o.text,
                "calls": o.calls.iter().map(|c| json!({"name": c.0, "arguments": c.1})).collect::<Vec<_>>()}),
        };
        println!("{line}");
        std::io::stdout().flush().expect("flush");
    }
}
