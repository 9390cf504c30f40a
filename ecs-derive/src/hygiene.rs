//! Tokens of macro output.
//!
//! Tests: tests/ui/pass/names_of_generated_things_taken.rs

/// Like `quote!`, with spans by which local variables cannot collide with variables of the user, and items resolve where the macro is used.
macro_rules! hygienic {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

pub(crate) use hygienic;
