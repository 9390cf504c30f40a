//! Tests of programs that compile and that do not, of the source code, and of the assembly of loops.

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
