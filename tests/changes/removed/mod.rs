//! Removals: what is recorded, for which readers, and what becomes of the values.
//!
//! Random histories with vectors as the model are in `tests/model`.

mod drops;
mod params;
mod paths;
mod readers;
