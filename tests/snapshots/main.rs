//! Snapshots of worlds, and worlds that are restored.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

#[global_allocator]
static ALLOCATOR: strata_tests::alloc::Allocator = strata_tests::alloc::Allocator;

mod apps;
mod bounds;
mod broken_serde;
mod checksums;
mod compressed;
mod consumers;
mod contents;
mod copies;
mod deltas;
mod encoding;
mod fuzz;
mod histories;
mod hostile;
mod parts;
mod plain;
mod layouts;
mod living;
mod pairs;
mod replays;
mod requests;
mod ring;
mod saves;
mod selected;
mod selection;
mod limits;
mod systems;
mod text;
mod text_ron;
mod unknown;
mod versions;
