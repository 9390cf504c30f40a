//! The code of a crate as flat tokens, and which lines are tests.
//!
//! Test code is an item under `#[test]` or a `#[cfg(..)]` that demands tests, and each file that only `#[cfg(test)] mod name;` reaches.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::tokens::{Sources, is_ident, is_punct, module_folder};

/// The longest file and the longest function, in lines.
pub(crate) const MOST_FILE_LINES: usize = 600;
pub(crate) const MOST_FUNCTION_LINES: usize = 60;

/// A token, or one delimiter of a group.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) is_word: bool,
    pub(crate) lines: [usize; 2],
}

/// The code of a file.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) tokens: Vec<Token>,
    /// The number of lines.
    pub(crate) lines: usize,
    /// The lines of test code.
    tests: BTreeSet<usize>,
    /// The modules that are compiled for tests only.
    test_modules: Vec<String>,
}

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function<'c> {
    pub(crate) name: &'c str,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

/// The files of a crate that are not test code as a whole.
pub(crate) fn read_code(sources: &Sources) -> BTreeMap<&str, Code> {
    let mut files: BTreeMap<&str, Code> = sources.iter().map(|(file, text)| (file.as_str(), Code::of(text))).collect();
    let of_file = |(file, code): (&&str, &Code)| {
        let folder = module_folder(file);
        code.test_modules.iter().map(|module| format!("{folder}{module}")).collect::<Vec<_>>()
    };
    let tests: Vec<String> = files.iter().flat_map(of_file).collect();
    let is_test =
        |file: &str| tests.iter().any(|test| *file == format!("{test}.rs") || file.starts_with(&format!("{test}/")));
    files.retain(|file, _| !is_test(file));
    files
}

impl Code {
    pub(crate) fn of(text: &str) -> Self {
        let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("sources lex: {error}"));
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let mut code = Self { tokens, lines: text.lines().count(), tests: BTreeSet::new(), test_modules: Vec::new() };
        code.find_tests();
        code
    }

    fn find_tests(&mut self) {
        let mut i = 0;
        while i < self.tokens.len() {
            let start = i;
            let (mut end, mut is_test) = (i, false);
            while self.is(end, "#") && self.is(end + 1, "[") {
                let next = self.after_group(end + 1);
                is_test |= self.is_test_attribute(end + 2, next - 1);
                end = next;
            }
            if !is_test {
                i = end.max(i + 1);
                continue;
            }
            let item_end = self.item_end(end);
            let words: Vec<&str> = self.tokens[end..item_end].iter().map(|token| token.text.as_str()).collect();
            if let [.., "mod", name, ";"] = words[..] {
                self.test_modules.push(name.to_owned());
            }
            self.tests.extend(self.tokens[start].lines[0]..=self.tokens[item_end - 1].lines[1]);
            i = item_end;
        }
    }

    fn is_test_attribute(&self, start: usize, end: usize) -> bool {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.text.as_str()).collect();
        match words.first() {
            Some(&"test") => true,
            Some(&"cfg") => words.contains(&"test") && !words.contains(&"not") && !words.contains(&"any"),
            _ => false,
        }
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.text == text)
    }

    /// The index after the group that opens at an index.
    fn after_group(&self, open: usize) -> usize {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.tokens.len()
    }

    /// The index after an item: after its first block in braces or its semicolon.
    fn item_end(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            match self.tokens[at].text.as_str() {
                "(" | "[" => at = self.after_group(at),
                "{" => return self.after_group(at),
                ";" => return at + 1,
                _ => at += 1,
            }
        }
        at
    }

    /// Whether the file has tests, or names a file of tests.
    pub(crate) fn has_tests(&self) -> bool {
        !self.tests.is_empty()
    }

    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.tests.contains(&line)
    }

    /// The number of lines that are no test code, with comments and empty lines.
    pub(crate) fn lines_without_tests(&self) -> usize {
        (1..=self.lines).filter(|line| !self.is_test(*line)).count()
    }

    /// The lines with a token that is no test code.
    pub(crate) fn code_lines(&self) -> usize {
        let lines: BTreeSet<usize> = self.tokens.iter().flat_map(|token| token.lines[0]..=token.lines[1]).collect();
        lines.iter().filter(|line| !self.is_test(**line)).count()
    }

    /// The pairs of consecutive tokens that begin with a word outside of tests.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&Token, &Token)> {
        let pairs = self.tokens.windows(2).map(|pair| (&pair[0], &pair[1]));
        pairs.filter(|(first, _)| first.is_word && !self.is_test(first.lines[0]))
    }

    pub(crate) fn functions(&self) -> Vec<Function<'_>> {
        let mut functions = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let is_start = token.is_word && token.text == "fn" && !self.is_test(token.lines[0]);
            let Some(name) = self.tokens.get(at + 1).filter(|name| is_start && name.is_word) else { continue };
            let end = self.item_end(at + 2);
            if self.is(end - 1, "}") {
                let (line, last) = (token.lines[0], self.tokens[end - 1].lines[1]);
                functions.push(Function { name: &name.text, line, lines: last - line + 1 });
            }
        }
        functions
    }
}

/// Appends the tokens of a stream without doc comments; groups become their delimiters and their contents.
fn flatten(stream: TokenStream, into: &mut Vec<Token>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut i = 0;
    while i < tokens.len() {
        if let Some(len) = doc_comment(&tokens[i..]) {
            i += len;
            continue;
        }
        match &tokens[i] {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => unreachable!("sources have no invisible groups"),
                };
                let lines = |span: proc_macro2::Span| [span.start().line, span.end().line];
                into.push(Token { text: open.to_owned(), is_word: false, lines: lines(group.span_open()) });
                flatten(group.stream(), into);
                into.push(Token { text: close.to_owned(), is_word: false, lines: lines(group.span_close()) });
            }
            token => {
                let lines = [token.span().start().line, token.span().end().line];
                let is_word = matches!(token, TokenTree::Ident(_));
                into.push(Token { text: token.to_string(), is_word, lines });
            }
        }
        i += 1;
    }
}

/// The number of tokens of a doc comment, if one begins here: `#[doc = ".."]` with or without `!`.
fn doc_comment(tokens: &[TokenTree]) -> Option<usize> {
    let bang = usize::from(tokens.get(1).is_some_and(|next| is_punct(next, '!')));
    let TokenTree::Group(group) = tokens.get(1 + bang)? else { return None };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    match &inner[..] {
        [name, _, TokenTree::Literal(_)] if is_punct(&tokens[0], '#') && is_ident(name, "doc") => Some(2 + bang),
        _ => None,
    }
}

#[test]
fn tests_are_found_and_not_counted() {
    let text = "fn a() {\n    b();\n}\n\n/// Doc.\n#[test]\nfn c() {\n}\n#[cfg(all(test, unix))]\nmod tests { fn d() {} }\n#[cfg(not(test))]\nfn e() {}\n";
    let code = Code::of(text);
    let functions: Vec<_> = code
        .functions()
        .iter()
        .map(|function| (function.name, function.line, function.lines))
        .map(|(name, line, lines)| (name.to_owned(), line, lines))
        .collect();
    assert_eq!(functions, [("a".to_owned(), 1, 3), ("e".to_owned(), 12, 1)]);
    assert_eq!((code.code_lines(), code.lines_without_tests()), (5, 7));
}

#[test]
fn files_of_tests_are_left_out() {
    let files = [("lib.rs", "mod a;\n#[cfg(test)]\nmod tests;"), ("a.rs", ""), ("tests.rs", ""), ("tests/deep.rs", "")];
    let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(read_code(&sources).into_keys().collect::<Vec<_>>(), ["a.rs", "lib.rs"]);
}
