//! Tokens of macro output.
//!
//! Tests: tests/ui/pass/names_of_generated_things_taken.rs

/// `quote!` whose local variables cannot collide with the user's and whose items resolve where the macro is used.
macro_rules! hygienic {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

pub(crate) use hygienic;
