//! Checks the part of the language of Graphviz that a schedule may be written in.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    Text(String),
    Arrow,
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    fn word(chars: &mut Peekable<Chars<'_>>) -> String {
        let mut word = String::new();
        while let Some(next) = chars.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
            word.push(next);
        }
        word
    }
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.peek().copied() {
        if next.is_ascii_alphanumeric() {
            tokens.push(Token::Name(word(&mut chars)));
            continue;
        }
        chars.next();
        match next {
            next if next.is_whitespace() => {}
            '"' => {
                let mut text = String::new();
                loop {
                    match chars.next().expect("the quote ends") {
                        '"' => break,
                        '\\' => text.push(chars.next().expect("something is escaped")),
                        '\n' => panic!("a line ends within quotes"),
                        other => text.push(other),
                    }
                }
                tokens.push(Token::Text(text));
            }
            '-' => {
                assert_eq!(chars.next(), Some('>'), "an arrow");
                tokens.push(Token::Arrow);
            }
            '{' | '}' | '[' | ']' | '=' | ',' | ';' => tokens.push(Token::Sign(next)),
            other => panic!("`{other}` outside of quotes"),
        }
    }
    tokens
}

/// Fails unless the text is a graph whose arrows lead between nodes that are defined, and to clusters that are.
#[track_caller]
pub(crate) fn check(text: &str) {
    let tokens = tokens(text);
    assert_eq!(tokens[..2], [Token::Name("digraph".to_owned()), Token::Sign('{')]);
    let mut parser = Parser { tokens: &tokens[2..], ..Parser::default() };
    parser.block();
    assert!(parser.tokens.is_empty(), "something comes after the graph");
    let unknown: Vec<_> = parser.used.difference(&parser.defined).collect();
    assert!(unknown.is_empty(), "{unknown:?} in {text}");
}

#[derive(Default)]
struct Parser<'a> {
    tokens: &'a [Token],
    defined: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Parser<'_> {
    fn next(&mut self) -> Token {
        let (first, rest) = self.tokens.split_first().expect("the graph goes on");
        self.tokens = rest;
        first.clone()
    }

    fn expect(&mut self, sign: char) {
        assert_eq!(self.next(), Token::Sign(sign));
    }

    fn name(&mut self) -> String {
        match self.next() {
            Token::Name(name) => name,
            other => panic!("{other:?} is no name"),
        }
    }

    fn block(&mut self) {
        while self.tokens.first() != Some(&Token::Sign('}')) {
            self.statement();
        }
        self.expect('}');
    }

    fn statement(&mut self) {
        let first = self.name();
        if first == "subgraph" {
            let name = self.name();
            assert!(name.starts_with("cluster") && self.defined.insert(name));
            self.expect('{');
            return self.block();
        }
        match self.tokens.first() {
            Some(Token::Sign('=')) => {
                self.next();
                assert!(matches!(self.next(), Token::Name(_) | Token::Text(_)));
            }
            Some(Token::Arrow) => {
                self.next();
                let to = self.name();
                self.used.extend([first, to]);
                self.attributes();
            }
            _ => {
                assert!(first == "node" || self.defined.insert(first));
                self.attributes();
            }
        }
        self.expect(';');
    }

    fn attributes(&mut self) {
        if self.tokens.first() != Some(&Token::Sign('[')) {
            return;
        }
        self.next();
        loop {
            let key = self.name();
            self.expect('=');
            match (key.as_str(), self.next()) {
                ("ltail" | "lhead", Token::Name(cluster)) => _ = self.used.insert(cluster),
                ("label" | "tooltip", Token::Text(text)) => assert!(!text.is_empty()),
                ("shape" | "style" | "penwidth", Token::Name(_)) => {}
                other => panic!("unknown attribute {other:?}"),
            }
            match self.next() {
                Token::Sign(',') => {}
                Token::Sign(']') => return,
                other => panic!("{other:?} among attributes"),
            }
        }
    }
}

#[test]
fn the_checker_refuses_what_is_no_graph() {
    let broken = [
        "digraph { a [label=\"x\"y\"]; }",
        "digraph { a [label=Vec<T>]; }",
        "digraph { a [label=\"x\"]; a -> b; }",
        "digraph { subgraph cluster1 { }",
        "digraph { a [label=\"x\"]; a -> a [lhead=cluster1]; }",
    ];
    for text in broken {
        strata_tests::panics::expect_panic(|| check(text));
    }
    check("digraph { subgraph cluster1 { a [label=\"Vec<\\\"\"]; } a -> a [lhead=cluster1, style=dashed]; }");
}
