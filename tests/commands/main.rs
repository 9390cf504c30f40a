//! Commands: recorded while systems run, applied later, alone and in groups.

mod commands;
mod entities_beside;
mod made;
mod groups;
mod own;
