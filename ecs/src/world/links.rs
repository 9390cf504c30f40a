//! Keeps both sides of relationships consistent: the list of each target contains exactly the entities whose
//! relationship component points to it, each once.
//!
//! Before an operation, [`note_ending`] notes the links that the operation removes. After it, before observers and
//! hooks are notified, [`relink`] visits the noted entities and the new sources. It makes both sides agree by nested
//! operations, whose events are delivered with those of the operation. All ended links are removed before the first new
//! one is made. If a link is not allowed, its component is removed after listeners have been notified of its insertion.
//!
//! Tests: tests/relationships

mod list;
mod functions;
mod compare;
mod settle;
mod end;
mod rename;
mod tree;
mod arrange;

pub(crate) use self::arrange::{arrange_sources, part_circles};
pub(super) use self::compare::check_links;
pub(super) use self::end::end_linked;
pub(super) use self::functions::{LinkFunctions, linking, side_of};
pub(super) use self::list::{link_to, sources};
pub(super) use self::rename::{mend_before_move, move_sources, rename_before_move, rename_moved, take_others};
pub(crate) use self::rename::{names_entities, rename};
pub(super) use self::settle::{note_ending, relink};
pub(super) use self::tree::{LinkedTree, linked_tree};
