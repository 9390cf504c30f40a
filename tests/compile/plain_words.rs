//! Stands between cargo and rustc while the compile-fail cases are compiled, and removes from the messages the texts that change with each
//! release of rustc, so that the expected errors contain the texts of this library and their positions.
//!
//! Left out are the lists of types that implement a trait, which also grow with each implementation, and the label of an
//! error in a constant, which repeats that it is one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, ExitCode, Stdio};

const FIELD: &str = "\"rendered\":\"";

/// The label and the headline of an error in a constant.
const LABEL: &str = "evaluation of `";
const HEADLINE: &str = "evaluation panicked: ";

/// How a list of implementations begins, behind `= help: ` or `help: `.
const LIST: &str = "help: the following other types implement trait";

/// A line of a message as it is printed, without the codes for colours.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, code)) = rest.split_once("\\u001b[") {
        text.push_str(before);
        rest = code.split_once('m').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

/// Whether a line goes on with the list of implementations above it. A list with places in the source ends at the next
/// message; one without them is set in further than what follows it.
fn goes_on(line: &str, has_places: bool) -> bool {
    if has_places { !line.is_empty() && !line.starts_with(char::is_alphabetic) } else { line.starts_with("        ") }
}

/// The lines of a message, as they stand in JSON, without what is left out.
fn kept(message: &str) -> String {
    let mut list = None;
    let mut lines: Vec<String> = Vec::new();
    for line in message.split("\\n") {
        let text = plain(line);
        if let Some(has_places) = list
            && goes_on(&text, has_places)
        {
            continue;
        }
        list = text.trim_start().trim_start_matches("= ").starts_with(LIST).then(|| text.starts_with("help"));
        if list.is_some() {
            continue;
        }
        let line = line.replacen(HEADLINE, "", 1);
        lines.push(match line.split_once(LABEL) {
            Some((marks, _)) => marks.to_owned(),
            None => line,
        });
    }
    lines.join("\\n")
}

/// The end of a string in JSON that begins with `text`: where its closing quotation mark is.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// A line of rustc's output; any line that is no message stays as it is.
fn reworded(line: &str) -> String {
    let Some(start) = line.find(FIELD).map(|at| at + FIELD.len()) else { return line.to_owned() };
    let Some(end) = end_of_string(&line[start..]).map(|at| at + start) else { return line.to_owned() };
    format!("{}{}{}", &line[..start], kept(&line[start..end]), &line[end..])
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let rustc = arguments.next().expect("cargo names the compiler");
    let mut child = Command::new(rustc).args(arguments).stderr(Stdio::piped()).spawn().expect("the compiler starts");
    let output = BufReader::new(child.stderr.take().expect("it was asked for"));
    let mut errors = std::io::stderr().lock();
    for line in output.lines() {
        let line = line.expect("the compiler prints text");
        writeln!(errors, "{}", reworded(&line)).expect("cargo reads what the compiler prints");
    }
    let status = child.wait().expect("the compiler ends");
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
