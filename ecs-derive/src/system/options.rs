//! The options of `#[system(..)]` and `#[observer(..)]`.
//!
//! Tests: tests/ui/errors

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::parse::{Parse, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Token, Type};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;

/// The attribute that declares the system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// `#[system]`
    System,
    /// `#[observer]`: a system whose first parameter is `On<E>`.
    Observer,
}

impl Word {
    /// Both attributes.
    pub(super) const ALL: [Self; 2] = [Self::System, Self::Observer];

    /// Returns the name of the attribute.
    pub(super) fn name(self) -> &'static str {
        match self {
            Word::System => "system",
            Word::Observer => "observer",
        }
    }

    /// Returns the options that the attribute accepts.
    fn grammar(self) -> &'static Grammar {
        match self {
            Word::System => &GRAMMAR,
            Word::Observer => &OBSERVER,
        }
    }
}

/// Builds the grammar of an attribute from the options that both attributes have and the additional options.
macro_rules! grammar {
    ($attribute:literal $(, $own:expr)*) => {
        Grammar {
            attribute: $attribute,
            known: &[
                Known { name: "with", usage: "with(A, B)" },
                Known { name: "without", usage: "without(A, B)" },
                Known { name: "any", usage: "any(A, B)" },
                Known { name: "allow", usage: "allow(A, B)" },
                Known { name: "added", usage: "added(A, B)" },
                Known { name: "changed", usage: "changed(A, B)" },
                $($own,)*
                Known { name: "run_if", usage: "run_if(condition, ..)" },
                Known { name: "associated", usage: "associated" },
                CRATE,
            ],
        }
    };
}

/// The options of `#[observer]`, which has no loop.
const OBSERVER: Grammar = grammar!("#[observer]");

/// The options of `#[system]`.
const GRAMMAR: Grammar = grammar!(
    "#[system]",
    Known { name: "par", usage: "par" },
    Known { name: "down", usage: "down = ChildOf" },
    Known { name: "up", usage: "up = ChildOf" },
    Known { name: "pairs", usage: "pairs = Relation" },
    Known { name: "simd", usage: "simd = off" },
    Known { name: "pipeline", usage: "pipeline = off" }
);

/// The options that select rows.
const FILTERS: [&str; 6] = ["with", "without", "any", "allow", "added", "changed"];

/// The relationship along which a system visits entities.
pub(super) struct Along {
    /// The name of the option, as written: `down` or `up`.
    pub(super) option: proc_macro2::Ident,
    /// The component of the sources.
    pub(super) relation: Type,
    /// Whether sources come before their targets.
    pub(super) upwards: bool,
}

impl Along {
    /// Returns the name of the option.
    pub(super) fn name(&self) -> &'static str {
        if self.upwards { "up" } else { "down" }
    }
}

/// The pairs that a system visits.
pub(super) struct PairsOf {
    /// The name of the option, as written: `pairs`.
    pub(super) option: proc_macro2::Ident,
    /// The relation: the type of the values.
    pub(super) relation: Type,
    /// Whether the pair must have been added since the last run.
    pub(super) added: bool,
    /// Whether the value of the pair must have changed since the last run.
    pub(super) changed: bool,
}

/// The parsed options.
pub(super) struct Options {
    /// The attribute.
    pub(super) word: Word,
    /// Path of the core's module.
    pub(super) private: TokenStream,
    /// Rows must have all of these components.
    pub(super) with: Vec<Type>,
    /// Rows must not have any of these components.
    pub(super) without: Vec<Type>,
    /// If not empty: rows must have at least one of these components.
    pub(super) any: Vec<Type>,
    /// Rows may have these components, which otherwise disable entities.
    pub(super) allow: Vec<Type>,
    /// All of these components must have been added to the row since the last run.
    pub(super) added: Vec<Type>,
    /// All of these components must have changed in the row since the last run.
    pub(super) changed: Vec<Type>,
    /// The name of the option `par`, if present: the rows are divided among threads.
    pub(super) par: Option<proc_macro2::Ident>,
    /// If present: the rows are visited along a relationship.
    pub(super) along: Option<Along>,
    /// If present: the pairs of each row are visited.
    pub(super) pairs: Option<PairsOf>,
    /// The name of the option `simd = off`, if present: the loop is compiled once.
    pub(super) simd_off: Option<proc_macro2::Ident>,
    /// The name of the option `pipeline = off`, if present: the loop is not part of a pipeline.
    pub(super) pipeline_off: Option<proc_macro2::Ident>,
    /// The system runs only if all of these conditions hold.
    pub(super) run_if: Vec<Expr>,
    /// Whether the function is in an `impl`.
    pub(super) associated: bool,
    /// The options as text, for the documentation.
    pub(super) text: String,
    /// The names of the options that select rows, as written.
    pub(super) filters: Vec<proc_macro2::Ident>,
}

/// Parses the tokens between the parentheses of the attribute.
pub(super) fn read(cx: &Ctxt, word: Word, tokens: TokenStream) -> Options {
    let grammar = word.grammar();
    let mut options = Vec::new();
    let text = spaced(&tokens);
    grammar.parse(cx, tokens, &mut options);
    let (mut added, mut changed) = (list(cx, &options, "added"), list(cx, &options, "changed"));
    let along = along(cx, &options);
    let pairs = pairs(cx, &options, &mut added, &mut changed);
    if let (Some(along), Some(pairs)) = (&along, &pairs) {
        let message = format!(
            "a system goes either through pairs or {} a relationship\nhelp: remove one of the two options",
            along.name()
        );
        cx.error_at(pairs.option.span(), message);
    }
    Options {
        word,
        private: private_path(cx, grammar, &options),
        with: list(cx, &options, "with"),
        without: list(cx, &options, "without"),
        any: list(cx, &options, "any"),
        allow: list(cx, &options, "allow"),
        added,
        changed,
        par: flag(cx, &options, "par").cloned(),
        along,
        pairs,
        simd_off: off(cx, &options, "simd").cloned(),
        pipeline_off: off(cx, &options, "pipeline").cloned(),
        run_if: list(cx, &options, "run_if"),
        text,
        associated: flag(cx, &options, "associated").is_some(),
        filters: options
            .iter()
            .filter(|option| FILTERS.iter().any(|filter| option.name == filter))
            .map(|option| option.name.clone())
            .collect(),
    }
}

/// Formats tokens with the spaces that a programmer would write.
fn spaced(tokens: &TokenStream) -> String {
    let replaced =
        [(" (", "("), (" ,", ","), (" <", "<"), ("< ", "<"), (" >", ">"), (" :: ", "::"), (" ::", "::"), ("& ", "&")];
    replaced.iter().fold(tokens.to_string(), |text, (from, to)| text.replace(from, to))
}

/// Returns the name of the option `name`, if present. Reports a value, because the option takes none.
fn flag<'a>(cx: &Ctxt, options: &'a [Opt], name: &str) -> Option<&'a proc_macro2::Ident> {
    let option = options.iter().find(|option| option.name == name)?;
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    Some(&option.name)
}

/// Parses `down = ..` or `up = ..`.
fn along(cx: &Ctxt, options: &[Opt]) -> Option<Along> {
    let mut found = None;
    for option in options.iter().filter(|option| option.name == "down" || option.name == "up") {
        let Value::Equals(tokens) = &option.value else {
            GRAMMAR.misuse(cx, option);
            continue;
        };
        let Ok(relation) = syn::parse2::<Type>(tokens.clone()) else {
            GRAMMAR.misuse(cx, option);
            continue;
        };
        if found.is_some() {
            let message = "a system goes either down a relationship or up\nhelp: keep one of the two options";
            cx.error_at(option.name.span(), message);
        }
        found = Some(Along { option: option.name.clone(), relation, upwards: option.name == "up" });
    }
    found
}

/// Parses `pairs = ..`. If the list `added` or `changed` contains the relation, the relation is removed from the list, and the result
/// records that.
fn pairs(cx: &Ctxt, options: &[Opt], added: &mut Vec<Type>, changed: &mut Vec<Type>) -> Option<PairsOf> {
    let option = options.iter().find(|option| option.name == "pairs")?;
    let Value::Equals(tokens) = &option.value else {
        GRAMMAR.misuse(cx, option);
        return None;
    };
    let Ok(relation) = syn::parse2::<Type>(tokens.clone()) else {
        GRAMMAR.misuse(cx, option);
        return None;
    };
    let is_asked = |list: &mut Vec<Type>| {
        let before = list.len();
        list.retain(|ty| !is_same(ty, &relation));
        list.len() < before
    };
    let (added, changed) = (is_asked(added), is_asked(changed));
    Some(PairsOf { option: option.name.clone(), relation, added, changed })
}

/// Returns whether two types have the same tokens.
pub(super) fn is_same(a: &Type, b: &Type) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

/// Returns the name of the option `name`, if present. Reports any other value than `off`.
fn off<'a>(cx: &Ctxt, options: &'a [Opt], name: &str) -> Option<&'a proc_macro2::Ident> {
    let option = options.iter().find(|option| option.name == name)?;
    match &option.value {
        Value::Equals(tokens) if !tokens.is_empty() => {
            if !syn::parse2::<proc_macro2::Ident>(tokens.clone()).is_ok_and(|value| value == "off") {
                let message = format_args!(
                    "`{name}` has no value but `off`: without the option it is on\n\
                     help: remove it, or write `{name} = off`"
                );
                cx.error_over(tokens, message);
            }
        }
        _ => GRAMMAR.misuse(cx, option),
    }
    Some(&option.name)
}

/// Returns the items in the list of the option `name`.
fn list<T: Parse>(cx: &Ctxt, options: &[Opt], name: &str) -> Vec<T> {
    let Some(option) = options.iter().find(|option| option.name == name) else { return Vec::new() };
    match &option.value {
        Value::List(tokens) if !tokens.is_empty() => {
            match Punctuated::<T, Token![,]>::parse_terminated.parse2(tokens.clone()) {
                Ok(list) => list.into_iter().collect(),
                Err(error) => {
                    GRAMMAR.misuse_at(cx, option, error.span());
                    Vec::new()
                }
            }
        }
        _ => {
            GRAMMAR.misuse(cx, option);
            Vec::new()
        }
    }
}
