//! What is known of who changed what: with the feature `track_location`.

mod hooks;
mod origins;
