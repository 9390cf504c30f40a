//! `#[row]`, `#[param]`, `#[parent]`, `#[children]`, `#[pair]` and `#[target]` on parameters: the role of a parameter whose type does not
//! show it.
//!
//! Tests: tests/ui/pass/marked_parameters.rs

use syn::Meta;

use super::parse::Param;
use crate::ctxt::Ctxt;
use crate::suggest::nearest;

/// The role that the user gives a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Query data of the row.
    Row,
    /// A system parameter.
    Param,
    /// Components of the row's target, in a system with `down`.
    Parent,
    /// Components of the row's sources, in a system with `up`.
    Children,
    /// The value of the pair, in a system over the pairs of a relation.
    Pair,
    /// Components of the pair's target, in a system over pairs.
    Target,
}

impl Mark {
    /// All marks.
    const ALL: [Self; 6] = [Self::Row, Self::Param, Self::Parent, Self::Children, Self::Pair, Self::Target];

    /// Returns the name of the attribute.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Param => "param",
            Self::Parent => "parent",
            Self::Children => "children",
            Self::Pair => "pair",
            Self::Target => "target",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.name() == name)
    }
}

/// Attributes that rustc accepts on parameters.
const BUILT_IN: [&str; 7] = ["cfg", "cfg_attr", "allow", "warn", "deny", "expect", "doc"];

/// Removes the mark from a parameter, and returns it. Reports misspelt and repeated marks.
pub(super) fn take(cx: &Ctxt, param: &mut Param) -> Option<Mark> {
    let mut mark = None;
    param.attrs.retain(|attr| {
        let Some(name) = attr.path().get_ident().map(ToString::to_string) else { return true };
        let found = match Mark::named(&name) {
            Some(mark) => mark,
            None => {
                let Some(meant) = misspelt(&name) else { return true };
                let (message, meant_name) = ("there is no attribute", meant.name());
                cx.error_over(
                    &attr.meta,
                    format!("{message} `{name}` for a parameter of a system: did you mean `#[{meant_name}]`?"),
                );
                // The mark is accepted as the intended one, so that the parameter is not reported as well.
                meant
            }
        };
        let name = found.name();
        if !matches!(attr.meta, Meta::Path(_)) {
            cx.error_over(&attr.meta, format_args!("`#[{name}]` takes no options\nhelp: write `#[{name}]`"));
        } else if mark.is_some() {
            let message = "a parameter has one mark\nhelp: keep one of the two";
            cx.error_over(&attr.meta, message);
        }
        mark = Some(found);
        false
    });
    mark
}

/// Returns the mark whose name is nearest to the name of an unknown attribute, if one is near enough.
fn misspelt(name: &str) -> Option<Mark> {
    if BUILT_IN.contains(&name) {
        return None;
    }
    nearest(name, Mark::ALL.map(Mark::name)).and_then(Mark::named)
}
