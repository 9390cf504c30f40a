//! The terms of a query, as data.
//!
//! A term describes how a query uses one component ([`Usage`]), or how several terms are combined ([`Group`]). Each type that is a term has
//! a constant ([`ConstTerm`]), in which components are types. In a world the terms of a query are a list ([`Terms`]), in which components
//! are ids. A term that is made at run time exists only in the list. All other properties of a term are computed from the constant or the
//! list by plain functions: the check at compile time, the access of a query, the sparse sets that contain its entities, the tables that
//! match, and the texts for users.
//!
//! If the component and the usage of a term are known only at run time, its constant is `ConstTerm::AtRunTime`. Nothing is checked at
//! compile time for such a term: its conflicts are found when the query or the system is made. `world/tests/dynamic_terms.rs` defines such
//! terms and compares them with typed terms.
//!
//! Tests: ecs/src/world/tests/dynamic_terms.rs

/// Evaluates an expression for each member of a slice, in a constant function, where iterators cannot be used. With `member after before`,
/// `before` is the slice of the members before `member`.
macro_rules! each_in {
    ($member:ident in $members:expr => $run:expr) => {
        $crate::access::term::each_in!($member after _before in $members => $run)
    };
    ($member:ident after $before:ident in $members:expr => $run:expr) => {{
        let (members, mut at): (&[_], usize) = ($members, 0);
        while at < members.len() {
            let ($before, $member) = (members.split_at(at).0, &members[at]);
            $run;
            at += 1;
        }
    }};
}

/// Evaluates an expression for the members of a slice, and returns the first `Some`, in a constant function.
macro_rules! find_in {
    ($member:ident $(after $before:ident)? in $members:expr => $find:expr) => {
        'found: {
            $crate::access::term::each_in!($member $(after $before)? in $members => {
                if let found @ Some(_) = $find {
                    break 'found found;
                }
            });
            None
        }
    };
}

/// Returns the first of several expressions that is `Some`, in a constant function. The following expressions are not evaluated.
macro_rules! first_found {
    ($last:expr) => { $last };
    ($first:expr, $($others:expr),+) => {
        match $first {
            None => $crate::access::term::first_found!($($others),+),
            found => found,
        }
    };
}

/// Returns whether a condition holds for any member of a slice, in a constant function.
macro_rules! any_in {
    ($member:ident in $members:expr => $holds:expr) => {
        'found: {
            $crate::access::term::each_in!($member in $members => {
                if $holds {
                    break 'found true;
                }
            });
            false
        }
    };
}

pub(crate) use {any_in, each_in, find_in, first_found};

mod usage;
mod constant;
mod list;

pub(crate) use self::constant::{ConstComponent, ConstTerm, TermFacts};
pub(crate) use self::list::{Term, TermComponent, TermEntry, TermMembers, Terms};
pub(crate) use self::usage::{Group, Usage};
