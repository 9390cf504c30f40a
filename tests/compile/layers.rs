//! The layers of the crates: every file uses only what stands before it.
//!
//! The order is the order of the `mod` items in `lib.rs`, and inside a folder the order of the items in its `mod.rs`. So no files use each
//! other in a circle. The checker lexes the sources, so comments, doc comments and strings do not count, and it fails on
//!
//! - a path into a later module, whether imported or written out;
//! - a path through the crate root (`crate::World`), which hides which module is meant;
//! - a folder's `mod.rs` and a file in the folder that use each other (passing a name on is no use);
//! - `super::super`, which leaves the folder without naming where it goes;
//! - `unsafe` in a file that is not on [`UNSAFE_FILES`], and an entry there that is not needed;
//! - a file that no `mod` item reaches, because nothing above would look into it.
//!
//! - files over 600 lines and functions over 60 lines, tests excepted;
//! - in the crates that name their tests, a file without a test file in its folder and without a line `//! Tests: tests/AREA/file.rs` with
//!   paths that exist.
//!
//! A module named `tests` may use all of its parent. `pub use crate::reexports::name::*` passes on names of the public map.

mod scan;
mod judge;
mod sizes;
mod tests_of_files;
mod the_checker;

use self::judge::check;
use crate::tokens::{read_sources, root};

/// A crate whose layers are checked.
struct Crate {
    folder: &'static str,
    /// The name by which the crate may name itself.
    name: &'static str,
    unsafe_files: &'static [&'static str],
    /// Whether each file names its tests.
    names_tests: bool,
}

const CRATES: [Crate; 4] = [
    Crate { folder: "ecs/src", name: "strata_ecs", unsafe_files: UNSAFE_FILES, names_tests: true },
    Crate { folder: "ecs-derive/src", name: "strata_ecs_derive", unsafe_files: &[], names_tests: true },
    Crate { folder: "ecs/app/src", name: "strata_app", unsafe_files: &[], names_tests: true },
    Crate { folder: "ecs/save/src", name: "strata_save", unsafe_files: &[], names_tests: true },
];

/// The files of `ecs/src` that may contain the word `unsafe`.
const UNSAFE_FILES: &[&str] = &[
    "structure/bundle/mod.rs",
    "structure/bundle/parts.rs",
    "structure/bundle/row_writer.rs",
    "structure/bundle/transfer.rs",
    "structure/cell.rs",
    "query/change/entity.rs",
    "query/change/ticks.rs",
    "storage/column.rs",
    "storage/column/copy.rs",
    "util/aligned_memory.rs",
    "storage/column_places.rs",
    // A constant for lists of messages names a function for their clones.
    "component/description.rs",
    "component/constructor.rs",
    "system/commands/api.rs",
    "component/field.rs",
    "component/functions.rs",
    "component/erased_ref.rs",
    "component/erased_slice.rs",
    "component/erased_vec.rs",
    "entity/id_stream.rs",
    "entity/unique.rs",
    "util/id_map.rs",
    "util/interner.rs",
    "util/mailbox.rs",
    "storage/message/copy.rs",
    "storage/non_send.rs",
    "util/origin.rs",
    "util/pool/parts.rs",
    "util/prefetch.rs",
    "util/pool/share.rs",
    "query/ahead.rs",
    "query/block_iter.rs",
    "query/handle.rs",
    "query/contiguous.rs",
    "query/cursor.rs",
    "query/fetch.rs",
    "query/filter.rs",
    "query/fold.rs",
    "query/iter.rs",
    "query/lens.rs",
    "query/linked.rs",
    "query/find.rs",
    "query/many.rs",
    "query/combinations.rs",
    "query/matching_rows.rs",
    "query/nested.rs",
    "query/pairs.rs",
    "query/par.rs",
    "query/row_ranges.rs",
    "query/select.rs",
    "query/partition.rs",
    "query/terms/any_of.rs",
    "query/terms/changed.rs",
    "query/terms/component.rs",
    "query/terms/entity.rs",
    "query/terms/has.rs",
    "query/terms/new_pairs.rs",
    "query/terms/option.rs",
    "query/terms/or.rs",
    "query/terms/pairs.rs",
    "query/terms/slices.rs",
    "query/terms/source.rs",
    "query/terms/tuple.rs",
    "query/terms/whole.rs",
    "query/terms/spawned.rs",
    "query/terms/with.rs",
    "query/view.rs",
    "query/blocks.rs",
    "structure/queue/arena.rs",
    "structure/queue/pattern.rs",
    "relations/relation/payload.rs",
    "relations/relation/storage.rs",
    "relations/relationship/settled.rs",
    "structure/removal/log/copy.rs",
    "structure/removal/log.rs",
    "structure/removal/reader.rs",
    "structure/removal/record.rs",
    "storage/resource/copy.rs",
    "storage/resource.rs",
    "schedule/fused.rs",
    "schedule/parallel.rs",
    "schedule/run.rs",
    "schedule/steps.rs",
    "util/simd.rs",
    "storage/sparse/copy.rs",
    "storage/sparse/set.rs",
    "storage/sparse/storage.rs",
    "structure/store/addition.rs",
    "structure/store/apply.rs",
    "structure/store/bulk.rs",
    "structure/store/change.rs",
    "structure/store/change_spec.rs",
    "structure/store/copies.rs",
    "structure/store/columns.rs",
    "structure/store/despawn.rs",
    "structure/store/dynamic.rs",
    "structure/store/entity_at.rs",
    "structure/store/event_observers.rs",
    "structure/store/execute.rs",
    "structure/store/located.rs",
    "structure/store/make.rs",
    "structure/store/phases.rs",
    "structure/store/mod.rs",
    "structure/store/events.rs",
    "structure/store/required.rs",
    "structure/store/spawn.rs",
    "structure/store/structure.rs",
    "structure/store/transfer.rs",
    "system/base.rs",
    "system/blocks.rs",
    "system/function.rs",
    "system/linked_rows.rs",
    "system/par.rs",
    "system/param_function.rs",
    "system/rows.rs",
    "system/param.rs",
    "system/params/commands.rs",
    "system/params/deferred.rs",
    // Parameters whose type, or number, a builder says: as the others, each is a source, and a proof that it adds its access.
    "system/params/dynamic.rs",
    "system/params/filtered_resources.rs",
    "system/params/vec.rs",
    "system/params/lookup.rs",
    "system/params/non_send.rs",
    // What `single.rs` had, for all parameters.
    "system/params/query.rs",
    "system/params/removed.rs",
    "system/params/resource.rs",
    "system/params/set.rs",
    "system/params/single.rs",
    "system/params/tuples.rs",
    "system/params/world.rs",
    "system/tasks.rs",
    "storage/table.rs",
    "storage/table/bulk.rs",
    "storage/table/copy.rs",
    "storage/table/moves.rs",
    "storage/table/tables.rs",
    "storage/table/shrink.rs",
    "storage/table/watch.rs",
    "storage/tracking/column.rs",
    "storage/tracking/rows.rs",
    "world/cast.rs",
    // Its terms are not those of the library.
    "world/tests/dynamic_terms.rs",
    "world/tests/row_cursor.rs",
];

#[test]
fn every_file_uses_only_what_stands_before_it() {
    let complaints = CRATES.iter().flat_map(|checked| {
        let sources = read_sources(&root().join(checked.folder));
        let mut complaints = check(&sources, checked.name, checked.unsafe_files);
        complaints.extend(sizes::check(&sources));
        if checked.names_tests {
            complaints.extend(tests_of_files::check(&sources, |path| root().join(path).exists()));
        }
        complaints.into_iter().map(|complaint| format!("{}/{complaint}", checked.folder))
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}
