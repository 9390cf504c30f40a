//! Makes names readable: modules are left out where the short name is unambiguous.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

/// Returns a name without the modules of the paths in it. The name of a closure keeps the function that contains it.
///
/// `game::physics::step<game::Fast>` is `step<Fast>`.
pub(super) fn short(name: &str) -> String {
    shortened(name, 1)
}

/// Shortens a name like [`short`], but keeps `segments_kept` segments of each path.
fn shortened(name: &str, segments_kept: usize) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let len = path_len(rest);
        if len == 0 {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        // A path after a qualified type begins with `::`, as in `<T as Trait>::method`, so its first segment is empty.
        let segments: Vec<&str> = rest[..len].split("::").collect();
        let is_own = |segment: &&str| !segment.is_empty() && !segment.starts_with('{');
        let mut own = (0..segments.len()).rev().filter(|at| is_own(&segments[*at]));
        let start = own.nth(segments_kept - 1).unwrap_or(0);
        if start > 0 && segments[..start].iter().all(|segment| segment.is_empty()) {
            text.push_str("::");
        }
        text.push_str(&segments[start..].join("::"));
        rest = &rest[len..];
    }
    text
}

/// Returns the length of the path at the beginning of a text, without type arguments.
fn path_len(text: &str) -> usize {
    let mut len = 0;
    while let Some(next) = text[len..].chars().next() {
        if text[len..].starts_with("::") {
            len += 2;
        } else if next.is_alphanumeric() || "_{}#".contains(next) {
            len += next.len_utf8();
        } else {
            break;
        }
    }
    len
}

/// Returns a distinct name for each item: with as many modules as are needed to distinguish it from the others, and
/// with a number if the same item occurs several times.
pub(super) fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let full: Vec<&str> = all.collect();
    let mut texts: Vec<String> = full.iter().map(|name| short(name)).collect();
    for segments in 2..8 {
        let mut meanings: HashMap<&str, Option<&str>> = HashMap::new();
        for (text, name) in texts.iter().zip(&full) {
            // The meaning is `None` if several items have this text.
            let meaning = meanings.entry(text).or_insert(Some(name));
            *meaning = meaning.filter(|other| other == name);
        }
        let unclear: Vec<bool> = texts.iter().map(|text| meanings[text.as_str()].is_none()).collect();
        drop(meanings);
        for (at, name) in full.iter().enumerate().filter(|(at, _)| unclear[*at]) {
            texts[at] = shortened(name, segments);
        }
    }
    let mut uses: HashMap<&str, (usize, usize)> = HashMap::new();
    full.iter().for_each(|name| uses.entry(name).or_default().0 += 1);
    for (text, name) in texts.iter_mut().zip(&full) {
        let (count, number) = uses.entry(name).or_default();
        *number += 1;
        if *count > 1 {
            text.push_str(&alloc::format!(" #{number}"));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_have_no_modules() {
        let names = [
            ("gravity", "gravity"),
            ("game::physics::gravity", "gravity"),
            ("game::main::{{closure}}", "main::{{closure}}"),
            ("game::main::{{closure}}::{{closure}}", "main::{{closure}}::{{closure}}"),
            ("{{closure}}", "{{closure}}"),
            ("game::step<alloc::vec::Vec<game::Fast>, 3>", "step<Vec<Fast>, 3>"),
            ("<game::A as game::Step<core::option::Option<u8>>>::step", "<A as Step<Option<u8>>>::step"),
            ("game::read.pipe(game::io::write)", "read.pipe(write)"),
            ("(game::A, &mut game::b::B)", "(A, &mut B)"),
            ("component `game::Äpfel`", "component `Äpfel`"),
            ("game::Grid<[f32; 4]>::step", "Grid<[f32; 4]>::step"),
        ];
        for (name, expected) in names {
            assert_eq!(short(name), expected);
        }
    }

    #[test]
    fn names_that_would_be_the_same_are_told_apart() {
        let all = ["x::a::move", "x::b::move", "x::a::stop", "x::a::draw", "x::a::draw"];
        assert_eq!(distinct(all.into_iter()), ["a::move", "b::move", "stop", "draw #1", "draw #2"]);
        let all = ["game::move", "game::a::move", "game::a::{{closure}}", "game::b::a::{{closure}}"];
        assert_eq!(distinct(all.into_iter()), ["game::move", "a::move", "game::a::{{closure}}", "b::a::{{closure}}"]);
    }
}
