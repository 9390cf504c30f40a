//! `#[system]` and `#[observer]`
//!
//! Stages: [`parse`] reads the function, [`options`] the attribute, [`model`] classifies each parameter, [`check`] reports invalid systems,
//! and [`expand`] writes the output: the item under the user's name ([`frame`]) and either the loop over rows ([`rows`], for the
//! instruction sets chosen by [`variants`]), the call of an observer with components of its target ([`target`]), or the plain call
//! ([`world`]). Row systems along a relationship are in [`along`], the filters of a system in [`filters`].
//!
//! A row system becomes a kernel, a function over slices of one length with a single counted loop around the user's function, and a plain
//! system that calls the kernel for each table. The core decides for which instruction sets the kernel is compiled, from a name in the
//! output (`Wide` or `Narrow`). The macro chooses the name from the options, the parameters, and whether the body contains `?` or `Err`; it
//! inspects nothing else in the body (`variants.rs`).
//!
//! Tests: ecs-derive/src/golden.rs, tests/ui/errors

mod attrs;
mod options;
mod parse;
mod conditional;
mod marks;
mod model;
mod check;
mod filters;
mod frame;
mod linked;
mod pairs;
mod same_type;
mod variants;
mod rows;
mod along;
mod target;
mod world;
mod expand;

use proc_macro2::TokenStream;

use self::model::Model;
use self::options::Word;
use self::parse::Function;
use crate::ctxt::Ctxt;

/// Expands `#[system]`.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_as(Word::System, attribute, item)
}

/// Expands `#[observer]`.
pub(crate) fn expand_observer(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_as(Word::Observer, attribute, item)
}

fn expand_as(word: Word, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => return with_errors(item, error.into_compile_error()),
    };
    if function.half_typed {
        return item;
    }
    let cx = Ctxt::new();
    let is_ours = |attr: &&syn::Attribute| Word::ALL.iter().any(|word| attr.path().is_ident(word.name()));
    if let Some(again) = function.attrs.iter().find(is_ours) {
        // Only the error is reported here. The second attribute expands the function.
        let message = if again.path().is_ident(word.name()) {
            format!("`#[{}]` is written twice\nhelp: remove one of the two", word.name())
        } else {
            "an observer is a system, and one of the two attributes says so\nhelp: remove `#[system]`".to_owned()
        };
        cx.error_over(again, message);
        return with_errors(item, cx.into_errors());
    }
    let options = options::read(&cx, word, attribute.clone());
    if let Some(receiver) = &function.receiver {
        let message = "a system is a free function, it has no `self`\n\
                       help: move the function out of the `impl`, or take a component: `name: &mut Type`";
        cx.error_over(receiver, message);
        return with_errors(item, cx.into_errors());
    }
    if cx.is_clean()
        && let Some(output) = conditional::defer(&options.private, word, &attribute, &function)
    {
        return with_errors(output, cx.into_errors());
    }
    let mut model = Model::new(&cx, function, options);
    pairs::add_inputs(&mut model);
    check::check(&cx, &model);
    let output = if cx.is_clean() { expand::expand(&model) } else { expand::stub(&model) };
    let output = with_errors(output, cx.into_errors());
    crate::expand::print(&model.function.ident, &output);
    output
}

/// Appends the errors to the output.
fn with_errors(mut output: TokenStream, errors: TokenStream) -> TokenStream {
    output.extend(errors);
    output
}
