//! What compiles and what does not, what the source code may contain, and what loops are compiled to.

mod bevy_methods;
mod bevy_paths;
mod error_index;
mod layers;
mod links;
mod public_paths;
mod slow;
mod tokens;
mod ui;
mod vectorization;
mod walks;
