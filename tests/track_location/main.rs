//! The callers of changes: with the feature `track_location`.

mod hooks;
mod origins;
