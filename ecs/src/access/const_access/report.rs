//! Reports failed checks as errors of the compiler.
//!
//! Tests: tests/ui/errors

use super::access::{ConstAccess, NamedAccess, YieldedOnce};
use super::conflict::{BorrowKind, Conflict};
use crate::util::const_panic::fail;

const HELP_TERM: &str = "help: borrow it once";
const HELP_ROW: &str = "help: borrow it once, as `&mut T` or `Mut<T>`";
const HELP_QUERY: &str = "help: if they are meant for different entities, say so with `With` and `Without` filters; if for \
                          different times, put them into a `ParamSet`";
const HELP_ROW_QUERY: &str = "help: if they are meant for different entities, say so with `with` and `without`, and filters of \
                              the query";
const NOTE_BRANCHES: &str =
    "note: the filters have too many branches: only what all of them have in common was compared\n";
const HELP_WORLD: &str = "help: `&World` reads every component and resource: take a query or `Res` for what is needed";
const HELP_RESOURCE: &str = "help: borrow it once, as `ResMut`";
const HELP_NON_SEND: &str = "help: borrow it once, as `NonSendMut`";
const HELP_MESSAGES: &str = "help: write with one `MessageWriter`, read and write with one `MessageMutator`, or put them into a \
                             `ParamSet`";
const HELP_MESSAGES_ONCE: &str = "help: read in a world system, with a `Query` in place of the rows; or take `Res<Messages<..>>`: \
                                  its `iter_current_update_messages` gives the messages of this frame to each row";
const HELP_REMOVALS_ONCE: &str = "help: read in a world system, with a `Query` in place of the rows";
const NOTE_FUNCTION: &str = "\nnote: the next lines show the function's name in braces, and `while instantiating` the place where it \
                             becomes a system; with `#[system]` above the function, this error points at the function and names \
                             its parameters";
pub(super) const NOTE_QUERY: &str = "\nnote: the next lines show the types of the query, and `while instantiating` the place where it is \
                                     made";
const HELP_LOOKUP: &str = "help: look up a component that the rows do not write, or collect what you need in a world system \
                           first";

const HELP_TARGET: &str = "help: an entity may be the target of one pair and the source of another: write what is new to another \
                           component, or into the value of the pair, and let a second system carry it over";

impl Conflict {
    /// Returns the text for the borrowed data, for instance "component `Health`", in parts.
    const fn what(&self) -> [&'static str; 3] {
        match self.kind {
            BorrowKind::Component | BorrowKind::Changes => ["component `", self.name, "`"],
            BorrowKind::AllComponents => ["every component", "", ""],
            BorrowKind::Resource => ["resource `", self.name, "`"],
            BorrowKind::Messages => ["resource `Messages<", self.name, ">`"],
            BorrowKind::NonSend => ["non-Send value `", self.name, "`"],
        }
    }

    /// Returns the text for how the two parameters borrow the data.
    const fn how(&self) -> &'static str {
        match self.kind {
            BorrowKind::Changes => ", one of them mutably and one for its changes\n",
            _ => ", one of them mutably\n",
        }
    }

    /// Returns the help for the conflict. If the conflict is about a component, the help is `of_components`.
    const fn help(&self, of_components: &'static str) -> &'static str {
        match self.kind {
            BorrowKind::Component | BorrowKind::AllComponents | BorrowKind::Changes => of_components,
            BorrowKind::Resource => HELP_RESOURCE,
            BorrowKind::Messages => HELP_MESSAGES,
            BorrowKind::NonSend => HELP_NON_SEND,
        }
    }

    /// Returns a note if the filters of the two queries were not compared completely; otherwise an empty text.
    const fn note(&self) -> &'static str {
        if self.unknown { NOTE_BRANCHES } else { "" }
    }

    /// Returns the text for the field of the first (0) or the second (1) parameter that contains the conflict.
    const fn field(&self, of: usize) -> [&'static str; 3] {
        in_field(self.fields[of])
    }
}

/// Returns the text for a field, for instance " (field `commands`)", in parts. Empty if there is no field.
const fn in_field(field: Option<&'static str>) -> [&'static str; 3] {
    match field {
        Some(field) => [" (field `", field, "`)"],
        None => [""; 3],
    }
}

/// Reports that one parameter of a system borrows data twice.
#[track_caller]
pub(super) const fn report_within(system: &str, param: &NamedAccess, conflict: Conflict) {
    let (who, what) = (["system `", system, "`: ", param.noun(), param.name, "`"], conflict.what());
    let help = if matches!(conflict.kind, BorrowKind::Messages) { HELP_MESSAGES } else { HELP_TERM };
    match conflict.fields {
        [Some(first), Some(second)] => {
            let fields = [" in its fields `", first, "` and `", second, "`, once mutably\n", help];
            fail(&[&who, &[" borrows "], &what, &fields]);
        }
        _ => fail(&[&who, &conflict.field(0), &[" borrows "], &what, &[" twice, once mutably\n", help]]),
    }
}

/// Reports that a parameter of a row system yields each value only once.
#[track_caller]
pub(super) const fn report_once(system: &str, param: &NamedAccess, field: Option<&'static str>, given: YieldedOnce) {
    let (what, help) = match given {
        YieldedOnce::Messages => ("message", HELP_MESSAGES_ONCE),
        YieldedOnce::Removals => ("removal", HELP_REMOVALS_ONCE),
    };
    let who = ["system `", system, "`: parameter `", param.name, "`"];
    fail(&[&who, &in_field(field), &[" gives each ", what, " once, so that only the first row would see it\n", help]]);
}

/// Reports that two parameters of a system borrow the same data.
#[track_caller]
pub(super) const fn report(system: &str, a: &NamedAccess, b: &NamedAccess, conflict: Conflict) {
    if a.is_target() && b.is_of_rows() || b.is_target() && a.is_of_rows() {
        let (row, target) = if a.is_of_rows() { (a, b) } else { (b, a) };
        let who = ["system `", system, "`: ", row.noun(), row.name, "` of the source and parameter `", target.name];
        let both = ["` of the target both borrow "];
        fail(&[&who, &both, &conflict.what(), &[conflict.how(), conflict.note(), HELP_TARGET]]);
    }
    if conflict.lookup && a.is_of_rows() != b.is_of_rows() {
        let ((row, lookup), at) = if a.is_of_rows() { ((a, b), 1) } else { ((b, a), 0) };
        let who = ["system `", system, "`: parameter `", row.name, "` writes component `", conflict.name];
        let other = ["` of each row, while `", lookup.name, "`"];
        let looks = [" looks it up in other entities, some of which have been changed already and some not\n"];
        fail(&[&who, &other, &conflict.field(at), &looks, &[conflict.note(), HELP_LOOKUP]]);
    }
    let help = if matches!(a.access, ConstAccess::World) || matches!(b.access, ConstAccess::World) {
        HELP_WORLD
    } else if a.is_of_rows() && b.is_of_rows() {
        HELP_ROW
    } else if a.is_of_rows() || b.is_of_rows() {
        HELP_ROW_QUERY
    } else {
        conflict.help(HELP_QUERY)
    };
    // The message reads "parameters `a` and `b`", or "parameter `a` and option `b`".
    let (first, second) = if a.is_option() == b.is_option() {
        (["system `", system, "`: ", "parameters `", a.name, "`"], [" and ", "`", b.name, "`"])
    } else {
        (["system `", system, "`: ", a.noun(), a.name, "`"], [" and ", b.noun(), b.name, "`"])
    };
    let (both, how) = ([" both borrow "], [conflict.how(), conflict.note(), help]);
    fail(&[&first, &conflict.field(0), &second, &conflict.field(1), &both, &conflict.what(), &how]);
}

/// Reports that a query borrows data twice.
#[track_caller]
pub(super) const fn report_of_query(conflict: Conflict) {
    fail(&[&["a query borrows "], &conflict.what(), &[" twice, once mutably\n", HELP_TERM, NOTE_QUERY]]);
}

/// Reports that a component occurs twice. `holder` is the start of the message, for instance "a bundle has".
#[track_caller]
pub(super) const fn report_twice(holder: &str, name: &str) {
    fail(&[&[holder, " component `", name, "` twice\nhelp: keep one of the two"]]);
}

/// The kinds of owners of parameters without names.
#[derive(Clone, Copy)]
pub(crate) enum Nameless {
    /// A function that is a system without `#[system]`.
    Function,
    /// The state of parameters outside of systems.
    SystemState,
}

impl Nameless {
    /// Returns the text after the position, as in "parameter 1 of a plain function".
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Function => " of a plain function",
            Self::SystemState => " of a `SystemState`",
        }
    }

    /// Returns the note that explains where the message of the compiler contains the name of the function. A constant cannot determine the
    /// name of a type.
    pub(super) const fn where_to_look(self) -> &'static str {
        match self {
            Self::Function => NOTE_FUNCTION,
            Self::SystemState => "",
        }
    }
}

/// Reports that a parameter without a name borrows data twice.
#[track_caller]
pub(super) const fn report_within_nameless(of: Nameless, at: &str, conflict: Conflict) {
    let (who, note) = (["parameter ", at, of.noun(), " borrows "], of.where_to_look());
    fail(&[&who, &conflict.what(), &[" twice, once mutably\n", HELP_TERM, note]]);
}

/// Reports that two parameters without names borrow the same data.
#[track_caller]
pub(super) const fn report_nameless(of: Nameless, first: &str, second: &str, conflict: Conflict) {
    let who = ["parameters ", first, " and ", second, of.noun(), " both borrow "];
    let end = [conflict.how(), conflict.note(), conflict.help(HELP_QUERY), of.where_to_look()];
    fail(&[&who, &conflict.what(), &end]);
}

/// Reports that a parameter tests for changes of a component that is never tracked. `note` explains where to find the parameter.
#[track_caller]
pub(super) const fn report_untracked(who: &[&str], found: Conflict, note: &str) {
    let asks = [" asks for changes of component `", found.name, "`, which is never tracked\n"];
    let help = ["help: remove `#[component(track = \"never\")]` from `", found.name, "`", note];
    fail(&[who, &found.field(0), &asks, &help]);
}

/// Reports that a disabling component is not stored in tables.
#[track_caller]
pub(super) const fn report_sparse(name: &str) {
    let who = ["component `", name, "` cannot disable entities, since it is in sparse storage: queries ask tables\n"];
    fail(&[&who, &["help: remove `storage = \"sparse\"` from `", name, "`"]]);
}
