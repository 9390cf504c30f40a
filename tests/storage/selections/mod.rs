//! Many entities changed at once. Random histories, compared with changes entity by entity, are in `tests/model`.

mod explicit;
mod panics;
pub(crate) mod parts;
mod queue;
