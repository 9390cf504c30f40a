//! The terms of a query, as data.
//!
//! A term describes how a query uses one component ([`Usage`]), or how several terms are combined ([`Group`]). A type that is a term
//! has a constant for that ([`ConstTerm`]), whose components are types. In a world the terms of a query are a list ([`Terms`]),
//! whose components are ids; a term that is made at run time only exists in the list. Plain functions derive all other properties of
//! a term from these two: the check at compile time, the access of a query, the sparse sets that lead to its entities, the tables
//! that match, and the texts for users.
//!
//! A term whose component and usage are known at run time only is `ConstTerm::AtRunTime` for the compiler, which then checks
//! nothing: its conflicts are found when the query or the system is made. `world/tests/dynamic_terms.rs` defines such terms and
//! compares them with typed ones.
//!
//! Tests: ecs/src/world/tests/dynamic_terms.rs

/// Runs an expression for each member of a slice, in a constant function, where there are no iterators. `member after before` also names
/// the members before it.
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

/// The first `Some` that an expression returns for a member of a slice, in a constant function.
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

/// The first `Some` among expressions, in a constant function. Those after it are not evaluated.
macro_rules! first_found {
    ($last:expr) => { $last };
    ($first:expr, $($others:expr),+) => {
        match $first {
            None => $crate::access::term::first_found!($($others),+),
            found => found,
        }
    };
}

/// Whether a condition holds for a member of a slice, in a constant function.
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
