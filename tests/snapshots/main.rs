//! Snapshots of worlds, and worlds that are restored.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

mod checksums;
mod histories;
mod parts;
mod layouts;
mod limits;
mod systems;
