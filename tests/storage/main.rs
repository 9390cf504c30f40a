//! The data of a world, and structural changes: components, bundles, entities, tables, sparse storage, resources.

mod builder;
mod bundles;
mod cloning;
mod columns;
mod components;
mod descriptors;
mod entities;
mod erased;
mod hooks;
mod immutable;
mod inspect;
mod lifecycle;
mod listener_panics;
mod lookup;
mod made_columns;
mod non_send;
mod panic_places;
mod replaced;
mod required;
mod resources;
mod runs;
mod selections;
mod shrink;
mod sparse;
mod transfer;
mod transitions;
mod world;

/// Counts and fails for each thread by itself; tests that do not ask for it are not affected.
#[global_allocator]
static ALLOCATOR: strata_tests::alloc::Allocator = strata_tests::alloc::Allocator;
