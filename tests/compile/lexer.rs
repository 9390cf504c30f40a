//! The comments and string literals of Rust sources, which the token streams of `proc_macro2` leave out or merge.

/// A piece of text and its line.
pub(crate) type Piece = (usize, String);

/// The texts of a source.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Comments, line by line, without their markers: doc comments, too.
    pub(crate) comments: Vec<Piece>,
    pub(crate) strings: Vec<Piece>,
}

/// Splits a source into its comments and strings.
pub(crate) fn texts(source: &str) -> Texts {
    let mut texts = Texts::default();
    let bytes = source.as_bytes();
    let (mut i, mut line) = (0, 1);
    while i < bytes.len() {
        let rest = &source[i..];
        let is_after_word = i > 0 && is_word(bytes[i - 1]);
        let len = if rest.starts_with("//") {
            let len = rest.find('\n').unwrap_or(rest.len());
            texts.comments.push((line, rest[..len].trim_start_matches(['/', '!']).trim().to_owned()));
            len
        } else if rest.starts_with("/*") {
            let len = block_comment(rest);
            let lines = rest[2..len].trim_end_matches("*/").lines().enumerate();
            texts
                .comments
                .extend(lines.map(|(at, text)| (line + at, text.trim().trim_start_matches('*').trim().to_owned())));
            len
        } else if let Some(len) = raw_string(rest).filter(|_| !is_after_word).or_else(|| plain_string(rest)) {
            texts.strings.push((line, rest[..len].to_owned()));
            len
        } else if bytes[i] == b'\'' {
            character(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        line += rest[..len].matches('\n').count();
        i += len;
    }
    texts
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of a block comment, which may contain others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < text.len() {
        if text.as_bytes()[i..].starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if text.as_bytes()[i..].starts_with(b"*/") {
            depth -= 1;
            i += 2;
            if depth == 0 {
                return i;
            }
        } else {
            i += 1;
        }
    }
    text.len()
}

/// The length of a raw string, if one begins here.
fn raw_string(text: &str) -> Option<usize> {
    let rest = ["br", "cr", "r"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let body = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let len = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + len)
}

/// The length of a string with escapes, if one begins here.
fn plain_string(text: &str) -> Option<usize> {
    let body = text.strip_prefix('"')?;
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return Some(at + 2),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Some(text.len())
}

/// The length of a character literal, or of the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text[1..].char_indices();
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = 1 + at + escaped.len_utf8();
            text[from..].find('\'').map_or(1, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 2,
        _ => 1,
    }
}

#[test]
fn comments_and_strings_are_separated() {
    let source = "/// Doc \"no\".\nfn f<'a>(x: &'a str) { // one\n let y = ('\"', '\\'', \"a \\\" // b\", r#\"raw \"q\" \"#); /* two\n * three */ }";
    let found = texts(source);
    let comments = [(1, "Doc \"no\"."), (2, "one"), (3, "two"), (4, "three")];
    assert_eq!(found.comments, comments.map(|(line, text)| (line, text.to_owned())));
    assert_eq!(found.strings, [(3, "\"a \\\" // b\"".to_owned()), (3, "r#\"raw \"q\" \"#".to_owned())]);
}
