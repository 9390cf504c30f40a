//! `#[row]` and `#[param]` on parameters: what one is where its type does not show it.

use syn::Meta;

use super::parse::Param;
use crate::ctxt::Ctxt;
use crate::suggest::nearest;

/// What the user says that a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Of the row.
    Row,
    /// A system parameter.
    Param,
}

/// Attributes that rustc knows on parameters.
const BUILT_IN: [&str; 7] = ["cfg", "cfg_attr", "allow", "warn", "deny", "expect", "doc"];

/// Takes the mark off the parameter; reports attributes that mean nothing there.
pub(super) fn take(cx: &Ctxt, param: &mut Param) -> Option<Mark> {
    let mut mark = None;
    param.attrs.retain(|attr| {
        let Some(name) = attr.path().get_ident().map(ToString::to_string) else { return true };
        let (found, name) = match name.as_str() {
            "row" => (Mark::Row, "row"),
            "param" => (Mark::Param, "param"),
            _ => {
                let Some(meant) = misspelt(&name) else { return true };
                let message =
                    format!("there is no attribute `{name}` for a parameter of a system: did you mean `#[{meant}]`?");
                cx.error_over(&attr.meta, message);
                // Taken for what is meant, so that the parameter is not reported, too.
                (if meant == "row" { Mark::Row } else { Mark::Param }, meant)
            }
        };
        if !matches!(attr.meta, Meta::Path(_)) {
            cx.error_over(&attr.meta, format_args!("`#[{name}]` takes no options\nhelp: write `#[{name}]`"));
        } else if mark.is_some() {
            let message = "a parameter is either of the row or of the system\nhelp: keep one of the marks";
            cx.error_over(&attr.meta, message);
        }
        mark = Some(found);
        false
    });
    mark
}

/// The mark that is meant by an attribute of another name.
fn misspelt(name: &str) -> Option<&'static str> {
    if BUILT_IN.contains(&name) { None } else { nearest(name, ["row", "param"]) }
}
