//! What the terms of a query say, as data.
//!
//! A term says what it does with one component ([`Usage`]), or how several terms belong together ([`Group`]). A term that
//! is a type says so in a constant ([`ConstTerm`]), whose components are types. In a world the terms of a query are a list
//! ([`Terms`]), whose components are numbers; a term that is made at run time is in the list only. Everything else that
//! has to be known of a term follows from these two by plain functions: the check by the compiler, what a query borrows,
//! which sparse storages lead to its entities, which tables match, and what a user is told of it.
//!
//! A term whose component and usage are known at run time only is `ConstTerm::AtRunTime` to the compiler, which checks
//! nothing then: its conflicts are found when the query or the system is made. `world/tests/dynamic_terms.rs` defines such
//! terms and compares them with typed ones.

mod usage;
mod constant;
mod list;

pub(crate) use self::constant::{ConstComponent, ConstTerm, TermFacts};
pub(crate) use self::list::{Members, Term, TermComponent, TermEntry, Terms, short_name};
pub(crate) use self::usage::{Group, Usage};
