//! A heuristic that decides which loops are compiled for several instruction sets.
//!
//! A loop gets faster if the compiler vectorizes it. It does not if each row may end the loop, or if the loop calls functions that are not
//! inlined: then a variant only costs compile time and space. The body is not parsed: only a few unambiguous tokens count, and in doubt the
//! loop gets variants. Loops that only assign, and loops over `Mut`, were measured to gain a factor of two.

use proc_macro2::{TokenStream, TokenTree};

use super::model::{Kind, Model};
use crate::types::plain_path;

/// Returns whether the loop is compiled for wider instruction sets, too.
pub(super) fn are_worth_it(model: &Model) -> bool {
    model.options.simd_off.is_none()
        && model.options.pairs.is_none()
        && reads_values(model)
        && !records(model)
        && (model.returns_nothing() || !may_end_early(model.function.body.clone()))
}

/// Returns whether rows provide values to compute with.
fn reads_values(model: &Model) -> bool {
    model.rows().any(|input| !matches!(input.kind, Kind::Has | Kind::Entity))
}

/// Returns whether rows record commands or messages. Recording grows a list, which is a call.
fn records(model: &Model) -> bool {
    model.system_params().any(|input| {
        let last = plain_path(&input.param.ty).and_then(|path| path.segments.last());
        last.is_some_and(|last| last.ident == "Commands" || last.ident == "MessageWriter")
    })
}

/// Returns whether the body contains `?`, or `Err` outside of the patterns of `match` and `let`. Call this only for functions with a return
/// type.
fn may_end_early(body: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Ident(ident) => ident == "Err" && !is_pattern(&tokens[at + 1..]),
        TokenTree::Group(group) => may_end_early(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

/// Returns whether the name before these tokens is a pattern with fields: the fields are then followed by `=`, `=>`, `|` or `if`.
fn is_pattern(rest: &[TokenTree]) -> bool {
    match rest {
        [TokenTree::Group(_), TokenTree::Punct(punct), ..] => matches!(punct.as_char(), '=' | '|'),
        [TokenTree::Group(_), TokenTree::Ident(word), ..] => word == "if",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::are_worth_it;
    use crate::ctxt::Ctxt;
    use crate::system::model::Model;
    use crate::system::options;

    fn judge(options: TokenStream, function: TokenStream) -> bool {
        let cx = Ctxt::new();
        let options = options::read(&cx, options::Word::System, options);
        let function = syn::parse2(function).expect("a function");
        let worth_it = are_worth_it(&Model::new(&cx, function, options));
        assert_eq!(cx.into_errors().to_string(), "");
        worth_it
    }

    fn worth_it(function: TokenStream) -> bool {
        judge(TokenStream::new(), function)
    }

    #[test]
    fn loops_have_variants_unless_something_speaks_against_it() {
        assert!(worth_it(quote!(
            fn f(a: &mut A, b: &B) {
                a.0 += b.0;
            }
        )));
        assert!(worth_it(quote!(
            fn f(a: Mut<A>, b: Option<&B>) {
                helper(a, b)
            }
        )));
        assert!(worth_it(quote!(
            fn f(#[row] a: Alias, total: ResMut<Total>) {
                total.0 += a.0
            }
        )));
        assert!(worth_it(quote!(
            fn f(a: &mut A, b: &B) {
                a.0 = b.0;
            }
        )));
    }

    #[test]
    fn an_option_turns_them_off() {
        assert!(!judge(
            quote!(simd = off),
            quote!(
                fn f(a: &mut A, b: &B) {
                    a.0 += b.0;
                }
            )
        ));
        assert!(judge(
            quote!(pipeline = off),
            quote!(
                fn f(a: &mut A, b: &B) {
                    a.0 += b.0;
                }
            )
        ));
    }

    #[test]
    fn ids_alone_are_nothing_to_compute_with() {
        assert!(!worth_it(quote!(
            fn f(id: Entity, has: Has<A>, count: ResMut<Count>) {
                count.0 += 1;
            }
        )));
        assert!(worth_it(quote!(
            fn f(id: Entity, a: &A, count: ResMut<Count>) {
                count.0 += a.0;
            }
        )));
    }

    #[test]
    fn a_loop_that_records_has_none() {
        assert!(!worth_it(quote!(
            fn f(id: Entity, a: &A, mut commands: Commands) {
                commands.entity(id).despawn()
            }
        )));
        assert!(!worth_it(quote!(
            fn f(a: &A, mut told: ecs::MessageWriter<'_, Told>) {
                told.write(Told);
            }
        )));
        assert!(worth_it(quote!(
            fn f(commands: &Commands) {}
        )));
    }

    #[test]
    fn a_loop_that_any_row_may_end_has_none() {
        assert!(!worth_it(quote!(
            fn f(a: &A) -> Result {
                if a.0 > 1 {
                    Err("more than one")?
                }
                Ok(())
            }
        )));
        assert!(!worth_it(quote!(
            fn f(a: &mut A) -> Result<(), E> {
                {
                    a.step()?
                }
                Ok(())
            }
        )));
        assert!(!worth_it(quote!(
            fn f(a: &mut A) -> Result {
                match a.0 {
                    0 => Err(E),
                    _ => Ok(()),
                }
            }
        )));
        assert!(worth_it(quote!(
            fn f(a: &mut A) -> Result {
                if a.0 > 1 {
                    return Ok(());
                }
                a.0 += 1;
                Ok(())
            }
        )));
    }

    #[test]
    fn errors_that_stay_in_the_row_do_not_end_the_loop() {
        assert!(worth_it(quote!(
            fn f(a: &mut A) {
                a.0 = a.next().and_then(|next| Some(next? + 1)).unwrap_or(0);
            }
        )));
        assert!(worth_it(quote!(
            fn f(a: &mut A) -> Result {
                if let Err(_) = a.next() {
                    a.0 = 0;
                }
                Ok(())
            }
        )));
        assert!(worth_it(quote!(
            fn f(a: &mut A) -> Result {
                match a.next() {
                    Err(0) | Err(1) => {}
                    Err(_) if a.0 == 0 => {}
                    Ok(b) => a.0 = b,
                }
                Ok(())
            }
        )));
    }
}
