//! The collector of errors.
//!
//! Every stage reports into one [`Ctxt`] instead of returning at the first error, so that a build shows all errors of an item. Dropping a
//! collector without [`Ctxt::into_errors`] panics: a lost error would let wrong code through.
//!
//! Tests: tests/ui/fail, tests/ui/errors

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects the errors of one macro invocation.
pub(crate) struct Ctxt {
    /// `None` once [`Ctxt::into_errors`] has been called.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    /// Creates an empty collector.
    pub(crate) fn new() -> Self {
        Ctxt { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports `message` at one span.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.error(syn::Error::new(span, message));
    }

    /// Reports `message` over all of `tokens`.
    pub(crate) fn error_over(&self, tokens: impl ToTokens, message: impl Display) {
        self.error(syn::Error::new_spanned(tokens, message));
    }

    /// Reports an error, for example one that syn returned.
    pub(crate) fn error(&self, error: syn::Error) {
        self.errors.borrow_mut().as_mut().expect("the collector is still open").push(error);
    }

    /// Returns the value, or reports the error and returns `None`.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.error(error)).ok()
    }

    /// Returns whether nothing has been reported so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.errors.borrow().as_ref().is_some_and(Vec::is_empty)
    }

    /// Closes the collector, and returns one `compile_error!` per error, in the order of the reports.
    pub(crate) fn into_errors(self) -> TokenStream {
        let errors = self.errors.borrow_mut().take().expect("the collector is closed once");
        errors.iter().map(syn::Error::to_compile_error).collect()
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        assert!(
            thread::panicking() || self.errors.get_mut().is_none(),
            "the errors of a macro invocation were not looked at"
        );
    }
}
