//! Commands: recorded while systems run, applied later, alone and in groups.

mod commands;
mod made;
mod groups;
mod own;
