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
const BUILT_IN: [&str; 6] = ["cfg", "cfg_attr", "allow", "warn", "deny", "expect"];

/// Takes the mark off the parameter; reports attributes that mean nothing there.
pub(super) fn take(cx: &Ctxt, param: &mut Param) -> Option<Mark> {
    let mut mark = None;
    param.attrs.retain(|attr| {
        let found = match attr.path().get_ident().map(ToString::to_string).as_deref() {
            Some("row") => Mark::Row,
            Some("param") => Mark::Param,
            name => {
                return match name.and_then(|name| nearest(name, ["row", "param"])) {
                    Some(meant) if name.is_some_and(|name| !BUILT_IN.contains(&name) && name != "doc") => {
                        let message = format!(
                            "there is no attribute `{}` for a parameter of a system: did you mean `#[{meant}]`?",
                            name.unwrap_or_default()
                        );
                        cx.error_over(&attr.meta, message);
                        false
                    }
                    _ => true,
                };
            }
        };
        if !matches!(attr.meta, Meta::Path(_)) {
            cx.error_over(&attr.meta, "this attribute stands alone: `#[row]` or `#[param]`");
        } else if mark.is_some() {
            cx.error_over(&attr.meta, "a parameter is either of the row or of the system: keep one of the marks");
        }
        mark = Some(found);
        false
    });
    mark
}
