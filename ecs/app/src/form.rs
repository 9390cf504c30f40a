//! The text form of the resources of this crate in files. It does not need `serde`, so files contain these resources even if the format
//! does not list them.
//!
//! A text is a list of words separated by spaces. Each type reads as many words as it writes.

use std::any::type_name;
use std::fmt::Write as _;
use std::time::Duration;

use strata_ecs::component::{Persistence, TextForm};

/// A value that can be a part of a state in a file: numbers, `bool`, `char`, `String`, `Duration`, states with
/// `derive(States)` or `derive(SubStates)`, and `Option`, `Vec`, arrays and tuples of these.
pub trait Words: Sized {
    /// Whether values can be written. This is false for a state if one of its fields cannot be written.
    const ARE_KNOWN: bool = true;

    /// Appends the words of a value to a text.
    fn write(&self, text: &mut String);

    /// Reads a value from the words at the beginning of a text, and removes these words from the text.
    fn read(text: &mut &str) -> Option<Self>;
}

/// Appends a word to a text.
pub fn write_word(word: &str, text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// Removes a word from the beginning of a text, and returns it.
pub fn read_word<'t>(text: &mut &'t str) -> Option<&'t str> {
    if text.is_empty() {
        return None;
    }
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    *text = rest;
    Some(word)
}

/// Reads a value from a text, which must contain nothing else.
pub(crate) fn read_all<T: Words>(text: &str) -> Result<T, String> {
    let mut left = text;
    T::read(&mut left).filter(|_| left.is_empty()).ok_or_else(|| format!("`{text}` is no `{}`", type_name::<T>()))
}

/// Returns the persistence of a resource that is saved as its words.
pub(crate) fn as_text<R: Words>() -> Persistence<R> {
    Persistence::Text(text_form_of())
}

/// Returns the text form of a type, which consists of its words.
pub(crate) const fn text_form_of<T: Words>() -> TextForm<T> {
    TextForm::new(T::write, read_all::<T>)
}

/// Implements `Words` for types whose values are one word, which `Display` writes and `FromStr` reads.
macro_rules! one_word {
    ($($T:ty)*) => { $(
        impl Words for $T {
            fn write(&self, text: &mut String) {
                write_word(&self.to_string(), text);
            }

            fn read(text: &mut &str) -> Option<Self> {
                read_word(text)?.parse().ok()
            }
        }
    )* };
}

one_word! { bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }

impl Words for char {
    fn write(&self, text: &mut String) {
        u32::from(*self).write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        Self::from_u32(u32::read(text)?)
    }
}

/// A string is preceded by its length in bytes, because it may contain spaces.
impl Words for String {
    fn write(&self, text: &mut String) {
        write_word("", text);
        // Writing to a string does not fail.
        _ = write!(text, "{}:{self}", self.len());
    }

    fn read(text: &mut &str) -> Option<Self> {
        let (len, rest) = text.split_once(':')?;
        let len: usize = len.parse().ok()?;
        let value = rest.get(..len)?;
        let rest = &rest[len..];
        *text = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
        Some(value.to_owned())
    }
}

/// A duration is written in nanoseconds.
impl Words for Duration {
    fn write(&self, text: &mut String) {
        self.as_nanos().write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        let nanos = u128::read(text)?;
        Some(Self::new(u64::try_from(nanos / 1_000_000_000).ok()?, (nanos % 1_000_000_000) as u32))
    }
}

/// The form of a state in files.
#[derive(Debug)]
pub enum StateForm<S> {
    /// The form is unknown: a format has to list the resources of the state, or leave them out.
    Unknown,
    /// The state is not written, because it is computed from other states.
    Computed,
    /// The state is written as words.
    Words {
        /// Appends the words of a value to a text.
        write: fn(&S, &mut String),
        /// Reads a value from the words at the beginning of a text, and removes these words from the text.
        read: fn(&mut &str) -> Option<S>,
    },
}

impl<T: Words> Words for Option<T> {
    const ARE_KNOWN: bool = T::ARE_KNOWN;

    fn write(&self, text: &mut String) {
        write_word(if self.is_some() { "some" } else { "none" }, text);
        self.iter().for_each(|value| value.write(text));
    }

    fn read(text: &mut &str) -> Option<Self> {
        match read_word(text)? {
            "some" => T::read(text).map(Some),
            "none" => Some(None),
            _ => None,
        }
    }
}

impl<T: Words> Words for Vec<T> {
    const ARE_KNOWN: bool = T::ARE_KNOWN;

    fn write(&self, text: &mut String) {
        self.len().write(text);
        self.iter().for_each(|value| value.write(text));
    }

    fn read(text: &mut &str) -> Option<Self> {
        let len = usize::read(text)?;
        // `len` is not trusted. Each value takes at least one word, except values of a type without fields.
        let mut all = Self::new();
        for _ in 0..len {
            if text.is_empty() {
                return None;
            }
            all.push(T::read(text)?);
        }
        Some(all)
    }
}

impl<T: Words, const N: usize> Words for [T; N] {
    const ARE_KNOWN: bool = T::ARE_KNOWN;

    fn write(&self, text: &mut String) {
        self.iter().for_each(|value| value.write(text));
    }

    fn read(text: &mut &str) -> Option<Self> {
        let all: Vec<T> = (0..N).map(|_| T::read(text)).collect::<Option<_>>()?;
        all.try_into().ok()
    }
}

macro_rules! tuples {
    ($(($($T:ident $at:tt),*))*) => { $(
        impl<$($T: Words),*> Words for ($($T,)*) {
            const ARE_KNOWN: bool = $($T::ARE_KNOWN)&&*;

            fn write(&self, text: &mut String) {
                $(self.$at.write(text);)*
            }

            fn read(text: &mut &str) -> Option<Self> {
                Some(($($T::read(text)?,)*))
            }
        }
    )* };
}

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

/// Implements `Words` for a struct that is converted to and from one value.
macro_rules! text_form {
    ($Type:ty $(where $S:ident: $Bound:ident)?, |$value:ident| $field:expr, |$field_value:ident| $make:expr) => {
        impl$(<$S: $Bound>)? $crate::form::Words for $Type {
            fn write(&self, text: &mut String) {
                let $value = self;
                $crate::form::Words::write($field, text);
            }

            fn read(text: &mut &str) -> Option<Self> {
                let $field_value = $crate::form::Words::read(text)?;
                Some($make)
            }
        }
    };
}
pub(crate) use text_form;

/// A field of a state. Its constant `FORM` determines whether the field can be written: if the type of the field implements `Words`, the
/// inherent constant applies, otherwise the constant of [`Unwritten`].
pub struct Field<T>(std::marker::PhantomData<T>);

/// The functions that write and read a field.
pub struct FieldForm<T> {
    /// Appends the value to a text.
    pub write: fn(&T, &mut String),
    /// Reads the value from the beginning of a text.
    pub read: fn(&mut &str) -> Option<T>,
}

/// The fallback for a [`Field`] whose type has no words.
pub trait Unwritten {
    /// The type of the field.
    type Type;

    /// The field cannot be written.
    const FORM: Option<FieldForm<Self::Type>> = None;
}

impl<T> Unwritten for Field<T> {
    type Type = T;
}

impl<T: Words> Field<T> {
    /// The functions of the field; `None` if a part of it cannot be written.
    pub const FORM: Option<FieldForm<T>> =
        if T::ARE_KNOWN { Some(FieldForm { write: T::write, read: T::read }) } else { None };
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::time::Duration;

    use super::{Words, read_all};

    fn comes_back<T: Words + PartialEq + Debug>(value: T) {
        let mut text = String::new();
        value.write(&mut text);
        assert_eq!(read_all::<T>(&text).as_ref(), Ok(&value), "{text}");
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        comes_back((u64::MAX, i8::MIN, true, 'ß'));
        comes_back(0.1_f64 + 0.2);
        comes_back([String::new(), "a b:c 3:".to_owned()]);
        comes_back(vec![Some("x y".to_owned()), None]);
        comes_back((Duration::MAX, Duration::from_nanos(1)));
    }

    #[test]
    fn a_text_that_is_no_value_is_refused() {
        assert!(read_all::<u32>("").is_err());
        assert!(read_all::<u32>("1 2").is_err());
        assert!(read_all::<String>("9:short").is_err());
        assert!(read_all::<Vec<u32>>("99999999999 1").is_err());
        assert!(read_all::<Duration>("99999999999999999999999999999999999").is_err());
        assert_eq!(read_all::<bool>("yes"), Err("`yes` is no `bool`".to_owned()));
    }
}
