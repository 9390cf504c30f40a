//! The functions and types of `ecs/src`, found by a lexer.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::tokens::{is_punct, word};

/// A function with a body.
#[derive(Debug, Default)]
pub(super) struct Function {
    /// The type or trait of the `impl` or `trait` block; empty outside of one, `(..)` for tuples and `[..]` for slices.
    pub(super) owner: String,
    pub(super) name: String,
    /// The lines with a token, from the word `fn` to the closing brace: no comments and no empty lines.
    pub(super) lines: usize,
    /// The names that are called in the body: `name(`, `.name(` and `Type::name`.
    pub(super) calls: BTreeSet<String>,
    /// All words of the signature and the body.
    words: BTreeSet<String>,
}

impl Function {
    /// The name as the lists write it.
    pub(super) fn path(&self) -> String {
        if self.owner.is_empty() { self.name.clone() } else { format!("{}::{}", self.owner, self.name) }
    }
}

/// The code of a file, without tests.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) functions: Vec<Function>,
    /// The lines with a token that is not part of a doc comment or a test.
    pub(super) code_lines: usize,
}

/// All files, by their path in `ecs/src`.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) files: BTreeMap<String, File>,
    /// The types and traits that are defined outside of functions.
    types: BTreeSet<String>,
}

impl Sources {
    pub(super) fn new(texts: &BTreeMap<String, String>) -> Self {
        let mut sources = Self::default();
        let mut tests = Vec::new();
        for (path, text) in texts {
            let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path} does not lex: {error}"));
            let mut scan = Scan {
                file: File::default(),
                types: &mut sources.types,
                lines: BTreeSet::new(),
                tests: &mut tests,
                path,
            };
            scan.items(tokens, "");
            scan.file.code_lines = scan.lines.len();
            let file = scan.file;
            sources.files.insert(path.clone(), file);
        }
        for module in tests {
            sources.files.retain(|path, _| *path != format!("{module}.rs") && !path.starts_with(&format!("{module}/")));
        }
        sources
    }

    /// The types of this crate that some functions name, and those that they belong to.
    pub(super) fn nouns<'f>(&self, functions: impl Iterator<Item = &'f Function>) -> BTreeSet<&'f str> {
        let words = functions.flat_map(|function| function.words.iter().chain([&function.owner]));
        words.filter(|word| self.types.contains(*word)).map(String::as_str).collect()
    }
}

/// Reads one file.
struct Scan<'a> {
    file: File,
    types: &'a mut BTreeSet<String>,
    /// The lines with code.
    lines: BTreeSet<usize>,
    /// Modules that are compiled for tests only, as paths without `.rs`.
    tests: &'a mut Vec<String>,
    path: &'a str,
}

impl Scan<'_> {
    /// Items of a module or of a block of `owner`, or the arms of a macro.
    fn items(&mut self, tokens: TokenStream, owner: &str) {
        let tokens: Vec<TokenTree> = without_docs(tokens);
        let mut i = 0;
        while i < tokens.len() {
            let rest = &tokens[i..];
            if let [hash, TokenTree::Group(attribute), ..] = rest
                && is_punct(hash, '#')
                && is_test(attribute)
            {
                let end = item_end(rest);
                self.test_module(&rest[..end]);
                i += end;
                continue;
            }
            let end = match word(&tokens[i]).as_deref() {
                Some("fn") if rest.get(1).and_then(word).is_some() => self.function(rest, owner),
                Some("impl" | "trait") => self.block(rest),
                Some("struct" | "enum" | "union" | "type") if owner.is_empty() => {
                    self.types.extend(rest.get(1).and_then(word));
                    1
                }
                _ => 1,
            };
            if end == 1 {
                self.token(&tokens[i], owner);
            }
            i += end;
        }
    }

    /// A token outside of functions. A group may have functions in it: a module, or an arm of a macro.
    fn token(&mut self, token: &TokenTree, owner: &str) {
        match token {
            TokenTree::Group(group) => {
                self.lines.extend([group.span_open().start().line, group.span_close().end().line]);
                self.items(group.stream(), owner);
            }
            other => self.lines.extend(span_lines(other)),
        }
    }

    /// A function; how many tokens it has.
    fn function(&mut self, tokens: &[TokenTree], owner: &str) -> usize {
        let end = item_end(tokens);
        let lines = all_lines(&tokens[..end]);
        self.lines.extend(&lines);
        if let (Some(TokenTree::Group(body)), Some(name)) = (tokens.get(end - 1), tokens.get(1).and_then(word)) {
            let mut function = Function { owner: owner.to_owned(), name, lines: lines.len(), ..Function::default() };
            calls(&flat(body.stream()), &mut function.calls);
            function.words = flat(tokens[..end].iter().cloned().collect()).iter().filter_map(word).collect();
            self.file.functions.push(function);
        }
        end
    }

    /// An `impl` or `trait` block; how many tokens it has.
    fn block(&mut self, tokens: &[TokenTree]) -> usize {
        let end = item_end(tokens);
        let Some(TokenTree::Group(body)) = tokens.get(end - 1).filter(|_| end > 1) else { return 1 };
        let owner = match word(&tokens[0]).as_deref() {
            Some("trait") => tokens.get(1).and_then(word).unwrap_or_default(),
            _ => self_type(&tokens[1..end - 1]),
        };
        if word(&tokens[0]).is_some_and(|kind| kind == "trait") {
            self.types.insert(owner.clone());
        }
        self.lines.extend(all_lines(&tokens[..end - 1]));
        self.lines.extend([body.span_open().start().line, body.span_close().end().line]);
        self.items(body.stream(), &owner);
        end
    }

    /// Notes the file of `#[cfg(test)] mod name;`.
    fn test_module(&mut self, item: &[TokenTree]) {
        let words: Vec<String> = item.iter().filter_map(word).collect();
        if let [.., kind, name] = &words[..]
            && kind == "mod"
            && item.last().is_some_and(|last| is_punct(last, ';'))
        {
            let folder = self.path.strip_suffix("mod.rs").or_else(|| self.path.strip_suffix("lib.rs"));
            let folder = folder.map_or_else(|| format!("{}/", self.path.trim_end_matches(".rs")), str::to_owned);
            self.tests.push(format!("{folder}{name}"));
        }
    }
}

/// Tokens without the attributes that doc comments are lexed as.
fn without_docs(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let bang = usize::from(tokens.get(i + 1).is_some_and(|next| is_punct(next, '!')));
        match tokens.get(i + 1 + bang) {
            Some(TokenTree::Group(group)) if is_punct(&tokens[i], '#') && is_doc(group) => i += 2 + bang,
            _ => {
                kept.push(tokens[i].clone());
                i += 1;
            }
        }
    }
    kept
}

fn is_doc(attribute: &Group) -> bool {
    let mut tokens = attribute.stream().into_iter();
    attribute.delimiter() == Delimiter::Bracket
        && tokens.next().is_some_and(|first| word(&first).as_deref() == Some("doc"))
        && tokens.next().is_some_and(|second| is_punct(&second, '='))
}

/// Whether an attribute is `#[test]`, or `#[cfg(..)]` that asks for tests.
fn is_test(attribute: &Group) -> bool {
    let words: Vec<String> = flat(attribute.stream()).iter().filter_map(word).collect();
    match words.first().map(String::as_str) {
        Some("test") => true,
        Some("cfg") => {
            words.iter().any(|word| word == "test") && !words.iter().any(|word| word == "not" || word == "any")
        }
        _ => false,
    }
}

/// The length of an item: to its first block in braces or its semicolon.
fn item_end(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_punct(other, ';'),
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |at| at + 1)
}

/// The last name of the type that an `impl` block is for, from the tokens between `impl` and the block.
fn self_type(header: &[TokenTree]) -> String {
    let (mut name, mut depth) = (String::new(), 0);
    for (i, token) in header.iter().enumerate() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !(i > 0 && is_punct(&header[i - 1], '-')) => {
                depth -= 1
            }
            TokenTree::Ident(word) if depth == 0 && word == "for" => name.clear(),
            TokenTree::Ident(word) if depth == 0 && word == "where" => break,
            TokenTree::Ident(word) if depth == 0 => name = word.to_string(),
            TokenTree::Group(group) if depth == 0 && name.is_empty() => {
                name = if group.delimiter() == Delimiter::Parenthesis { "(..)" } else { "[..]" }.to_owned();
            }
            _ => {}
        }
    }
    name
}

/// Tokens in their order, with those of groups after an empty group that stands for the delimiters.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in without_docs(tokens) {
        if let TokenTree::Group(group) = &token {
            all.push(TokenTree::Group(Group::new(group.delimiter(), TokenStream::new())));
            all.extend(flat(group.stream()));
        } else {
            all.push(token);
        }
    }
    all
}

/// The names that are called: before an opening parenthesis, with or without generic arguments between, or after `Type::`.
fn calls(tokens: &[TokenTree], names: &mut BTreeSet<String>) {
    for (i, token) in tokens.iter().enumerate() {
        let Some(name) = word(token).filter(|name| name.starts_with(|first: char| first.is_lowercase())) else {
            continue;
        };
        if i > 0 && word(&tokens[i - 1]).is_some_and(|before| before == "fn") {
            continue;
        }
        let mut next = i + 1;
        if let [a, b, c, ..] = &tokens[next..]
            && is_punct(a, ':')
            && is_punct(b, ':')
            && is_punct(c, '<')
        {
            next = after_generics(tokens, next + 2);
        }
        let is_called =
            matches!(tokens.get(next), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let after_type = i >= 3
            && is_punct(&tokens[i - 1], ':')
            && is_punct(&tokens[i - 2], ':')
            && word(&tokens[i - 3]).is_some_and(|before| before.starts_with(|first: char| first.is_uppercase()));
        if is_called || after_type {
            names.insert(name);
        }
    }
}

/// The place after the generic arguments that begin at a `<`.
fn after_generics(tokens: &[TokenTree], start: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        if is_punct(token, '<') {
            depth += 1;
        } else if is_punct(token, '>') && !is_punct(&tokens[i - 1], '-') {
            depth -= 1;
            if depth == 0 {
                return i + 1;
            }
        }
    }
    tokens.len()
}

/// The lines of tokens, with those in groups.
fn all_lines(tokens: &[TokenTree]) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    for token in without_docs(tokens.iter().cloned().collect()) {
        match &token {
            TokenTree::Group(group) => {
                lines.extend([group.span_open().start().line, group.span_close().end().line]);
                lines.extend(all_lines(&group.stream().into_iter().collect::<Vec<_>>()));
            }
            other => lines.extend(span_lines(other)),
        }
    }
    lines
}

/// The lines of a token that is not a group. A string may have several.
fn span_lines(token: &TokenTree) -> std::ops::RangeInclusive<usize> {
    token.span().start().line..=token.span().end().line
}
