//! What compiles and what does not, what the source code may contain, and what loops are compiled to.

mod bevy_methods;
mod bevy_paths;
mod code;
mod error_index;
mod layers;
mod lexer;
mod links;
mod prose;
mod public_paths;
mod ratchet;
mod slow;
mod tokens;
mod ui;
mod vectorization;
mod walks;
