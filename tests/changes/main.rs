//! Change detection, messages and removals: what a consumer sees of what happened.

mod change_detection;
mod changes;
mod frames;
mod messages;
mod removed;
mod resources_of_rows;
mod row_changes;
mod spawned;
