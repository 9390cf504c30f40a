//! `#[require(..)]`: the components that a component requires.
//!
//! Each item of the list is a component, with a value unless the default value is meant. The spelling of a path decides whether its last
//! name is a type, or a variant, a constant or a function of a type.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Meta, Path, PathArguments, Token, Type, TypePath, token};

use crate::ctxt::Ctxt;
use crate::generics::type_params;
use crate::hygiene::hygienic;
use crate::item::Item;
use crate::types::find_word;

/// The name of the attribute.
const NAME: &str = "require";

/// The end of each message about invalid items.
const FORMS: &str = "valid forms: `Health` for its default, `Health(100)`, `Health { points: 100 }`, `Health::FULL`, `Health = expression`";

/// A required component.
pub(crate) struct Required {
    /// The component.
    ty: Type,
    /// The value of the component, if it is not the default value.
    value: Option<TokenStream>,
}

impl Required {
    /// Returns the span at which errors about the component are shown.
    fn span(&self) -> Span {
        Span::mixed_site().located_at(self.ty.span())
    }
}

/// Collects the required components of all attributes of an item.
pub(crate) fn collect(cx: &Ctxt, item: &Item) -> Vec<Required> {
    let mut all = Vec::new();
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident(NAME)) {
        match list(attr) {
            Some(tokens) => parse(cx, item, tokens, &mut all),
            None => {
                let message = format!(
                    "`#[require(..)]` needs at least one component: name those that an entity is to get too\n{FORMS}"
                );
                cx.error_over(&attr.meta, message);
            }
        }
    }
    item.reject_inner_helper(cx, NAME);
    all
}

/// Returns the tokens between the parentheses, if there are any.
fn list(attr: &Attribute) -> Option<TokenStream> {
    match &attr.meta {
        Meta::List(list) if !list.tokens.is_empty() => Some(list.tokens.clone()),
        _ => None,
    }
}

/// Parses the list of one attribute. After an error, parsing continues after the next comma.
fn parse(cx: &Ctxt, item: &Item, tokens: TokenStream, all: &mut Vec<Required>) {
    let parser = |input: ParseStream<'_>| -> syn::Result<()> {
        while !input.is_empty() {
            match parse_one(item, input) {
                Ok(required) => admit(cx, item, required, all),
                Err(error) => {
                    cx.error(error);
                    while !input.is_empty() && !input.peek(Token![,]) {
                        input.parse::<TokenTree>()?;
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    let _reported = cx.ok(parser.parse2(tokens));
}

/// Adds a required component. Reports it if it is the component of the derive, or a duplicate.
fn admit(cx: &Ctxt, item: &Item, required: Required, all: &mut Vec<Required>) {
    let text = required.ty.to_token_stream().to_string();
    if is_item(item, &required.ty) {
        let message =
            format!("component `{}` cannot require itself: it is there anyway, so leave this out", item.ident);
        cx.error_over(&required.ty, message);
    } else if all.iter().any(|earlier| earlier.ty.to_token_stream().to_string() == text) {
        let message = format!("component `{}` is required twice: keep one of the two", compact(&text));
        cx.error_over(&required.ty, message);
    } else {
        all.push(required);
    }
}

/// Returns whether a type is spelled like the item of the derive.
fn is_item(item: &Item, ty: &Type) -> bool {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return false };
    if path.is_ident("Self") {
        return true;
    }
    let (_, own, _) = item.generics.split_for_impl();
    match path.segments.last().filter(|last| path.segments.len() == 1 && last.ident == item.ident) {
        Some(last) => {
            last.arguments.is_empty() || last.arguments.to_token_stream().to_string() == quote!(#own).to_string()
        }
        None => false,
    }
}

/// Parses one item of the list.
fn parse_one(item: &Item, input: ParseStream<'_>) -> syn::Result<Required> {
    if input.peek(Token![<]) {
        let ty = input.parse()?;
        return Ok(Required { ty, value: parse_value(input)? });
    }
    if !input.peek(Ident::peek_any) && !input.peek(Token![::]) {
        let found: TokenTree = input.parse()?;
        let message = format!("`{found}` is not the name of a component\n{FORMS}");
        return Err(syn::Error::new(found.span(), message));
    }
    let path: Path = input.parse()?;
    let is_call = input.peek(token::Paren);
    let has_arguments = is_call || input.peek(token::Brace);
    let arguments = if has_arguments { Some(input.parse::<TokenTree>()?) } else { None };
    if arguments.is_none() && input.peek(Token![=]) {
        return Ok(Required { ty: type_of(path), value: parse_value(input)? });
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        let message = format!("expected `,` before the next component\n{FORMS}");
        return Err(input.error(message));
    }
    let owner = owner(item, &path, is_call);
    if arguments.is_none() && owner.is_none() {
        return Ok(Required { ty: type_of(path), value: None });
    }
    let expression = turbofish(path.clone());
    Ok(Required { ty: type_of(owner.unwrap_or(path)), value: Some(quote!(#expression #arguments)) })
}

/// Parses `= expression`, if it follows.
fn parse_value(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    if !input.peek(Token![=]) {
        return Ok(None);
    }
    let equals: Token![=] = input.parse()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(equals.span(), "the value is missing: write an expression behind `=`"));
    }
    Ok(Some(input.parse::<Expr>()?.into_token_stream()))
}

/// Returns the type to which the variant, constant or function belongs that a path names; `None` if the path names a type.
fn owner(item: &Item, path: &Path, is_call: bool) -> Option<Path> {
    let mut segments = path.segments.iter().rev();
    let (last, before) = (segments.next()?, segments.next()?);
    let is_of_type = starts_upper(&before.ident) && (starts_upper(&last.ident) || is_call);
    // In `T::Name`, where `T` is a type parameter, the name is an associated type.
    let is_of_parameter = path.segments.len() == 2 && type_params(&item.generics).contains(&&before.ident);
    if !is_of_type || (is_of_parameter && !is_call) {
        return None;
    }
    let mut owner = path.clone();
    owner.segments.pop();
    owner.segments.pop_punct();
    Some(owner)
}

fn starts_upper(ident: &Ident) -> bool {
    ident.unraw().to_string().starts_with(char::is_uppercase)
}

fn type_of(path: Path) -> Type {
    Type::Path(TypePath { attrs: Vec::new(), qself: None, path })
}

/// Converts a path to expression syntax: `Marker::<T>`.
fn turbofish(mut path: Path) -> Path {
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    path
}

/// Formats the text of a type as a user would write it.
fn compact(text: &str) -> String {
    text.replace(" :: ", "::").replace(" < ", "<").replace(" >", ">").replace(" ,", ",")
}

/// Returns the bounds for required types that depend on type parameters. Other types are checked without a bound.
pub(crate) fn bounds(item: &Item, all: &[Required]) -> Vec<TokenStream> {
    let params = type_params(&item.generics);
    let depends = |ty: &Type| params.iter().any(|param| find_word(ty.to_token_stream(), &param.to_string()).is_some());
    let bound = |required: &Required| {
        let ty = &required.ty;
        let value = required.value.is_none().then(|| quote_spanned!(required.span()=> + __strata::DefaultValue));
        quote_spanned!(required.span()=> #ty: __strata::Component #value)
    };
    all.iter().filter(|required| depends(&required.ty)).map(bound).collect()
}

/// Returns the constant and the method that list the required components; nothing if no component is required.
pub(crate) fn method(all: &[Required]) -> TokenStream {
    if all.is_empty() {
        return TokenStream::new();
    }
    let each = all.iter().map(|required| {
        let ty = &required.ty;
        match &required.value {
            Some(value) => {
                quote_spanned!(required.span()=> __strata::RequirementList::add::<#ty, _>(list, || { #value });)
            }
            None => quote_spanned!(required.span()=> __strata::RequirementList::add_default::<#ty>(list);),
        }
    });
    hygienic! {
        const REQUIRES: bool = true;

        // The values are the user's tokens inside a generated closure; lints about the combination do not concern the user.
        #[allow(clippy::needless_update, clippy::blocks_in_conditions, clippy::redundant_closure)]
        fn requirements<__L: __strata::RequirementList>(list: &mut __L) {
            #(#each)*
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Required, collect};
    use crate::ctxt::Ctxt;
    use crate::item::Item;
    use quote::{ToTokens as _, quote};

    fn parse(tokens: proc_macro2::TokenStream) -> (Vec<(String, Option<String>)>, String) {
        let cx = Ctxt::new();
        let item: Item = syn::parse2(quote!(
            #[require(#tokens)]
            struct Me<T>(T);
        ))
        .expect("an item");
        let text = |tokens: proc_macro2::TokenStream| tokens.to_string().replace(' ', "");
        let plain = |all: Required| (text(all.ty.to_token_stream()), all.value.map(text));
        (collect(&cx, &item).into_iter().map(plain).collect(), cx.into_errors().to_string())
    }

    fn one(tokens: proc_macro2::TokenStream) -> (String, Option<String>) {
        let (mut all, errors) = parse(tokens);
        assert_eq!((all.len(), errors.as_str()), (1, ""));
        all.remove(0)
    }

    #[test]
    fn the_spelling_of_a_path_tells_types_from_what_belongs_to_them() {
        let value = |ty: &str, value: &str| (ty.to_owned(), Some(value.to_owned()));
        assert_eq!(one(quote!(A)), ("A".into(), None));
        assert_eq!(one(quote!(a::b::A)), ("a::b::A".into(), None));
        assert_eq!(one(quote!(T::Other)), ("T::Other".into(), None));
        assert_eq!(one(quote!(A<T>(1, 2))), value("A<T>", "A::<T>(1,2)"));
        assert_eq!(one(quote!(a::A { x: 1 })), value("a::A", "a::A{x:1}"));
        assert_eq!(one(quote!(A::One)), value("A", "A::One"));
        assert_eq!(one(quote!(a::A::ONE)), value("a::A", "a::A::ONE"));
        assert_eq!(one(quote!(A::Two(2))), value("A", "A::Two(2)"));
        assert_eq!(one(quote!(A::new(1))), value("A", "A::new(1)"));
        assert_eq!(one(quote!(a::small(1))), value("a::small", "a::small(1)"));
        assert_eq!(one(quote!(A = f::<u8, u8>(1 < 2) + 3)), value("A", "f::<u8,u8>(1<2)+3"));
        assert_eq!(one(quote!(<T as Pick>::Out)), ("<TasPick>::Out".into(), None));
    }

    #[test]
    fn one_mistake_is_one_error() {
        for wrong in
            [quote!(5), quote!("A"), quote!(A, A), quote!(Me<T>), quote!(Self), quote!(A =), quote!(A B), quote!(&A)]
        {
            let (_, errors) = parse(quote!(#wrong, Last));
            assert_eq!(errors.matches("compile_error").count(), 1, "{wrong}: {errors}");
        }
        assert_eq!(one(quote!(Me<u8>)).0, "Me<u8>");
        assert_eq!(parse(quote!(5, A, 6)).1.matches("compile_error").count(), 2);
    }
}
