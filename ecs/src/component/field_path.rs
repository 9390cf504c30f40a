//! Paths to fields, such as `weapon.damage` and `slots[2].count`, and their errors.
//!
//! Tests: tests/storage/erased/paths.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The error of reading or setting a field by its path.
///
/// ```
/// use strata_ecs::component::{ErasedValue, FieldError};
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Bag {
///     slots: Vec<u32>,
///     weight: f32,
/// }
///
/// let bag = ErasedValue::of(Bag { slots: vec![1, 2], weight: 0.5 });
/// let error = bag.as_ref().try_field("slots[7]").unwrap_err();
/// assert_eq!(error, FieldError::OutOfBounds { list: "slots".into(), index: 7, len: 2 });
/// let error = bag.as_ref().try_field("slot[1]").unwrap_err();
/// assert!(error.to_string().ends_with("Bag` has no field `slot`; it has `slots`, `weight`"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FieldError {
    /// The path is not valid. A path consists of steps such as `name`, `.name`, `.0` and `[2]`.
    Syntax {
        /// The path.
        path: String,
        /// The position of the problem in the path, in bytes.
        at: usize,
        /// The expected syntax at this position.
        expected: &'static str,
    },
    /// The type has no field with this name.
    Unknown {
        /// The full name of the type.
        of: &'static str,
        /// The name in the path.
        name: String,
        /// The names of the fields of the type; empty if the type does not describe itself.
        fields: Vec<&'static str>,
    },
    /// The type has no elements, so it cannot be indexed, as in `[2]`.
    NotAList {
        /// The path to the value.
        path: String,
        /// The full name of the type of the value.
        of: &'static str,
    },
    /// The index is not less than the length of the list or array.
    OutOfBounds {
        /// The path to the list.
        list: String,
        /// The index in the path.
        index: usize,
        /// The number of elements.
        len: usize,
    },
    /// The value is `None`, so it has no content.
    IsNone {
        /// The path to the value.
        path: String,
    },
    /// The field is in a packed struct, where it may be less aligned than its type.
    Packed {
        /// The path to the field.
        path: String,
    },
    /// The field is private, so it cannot be set: the code of the type that has the field may rely on its value.
    Private {
        /// The path to the field.
        path: String,
        /// The full name of the type that has the field.
        of: &'static str,
    },
    /// The new value has another type than the value at the path.
    WrongType {
        /// The path to the value.
        path: String,
        /// The full name of the type of the value.
        expected: &'static str,
        /// The full name of the type of the new value.
        found: &'static str,
    },
}

impl_error! {
    [] FieldError => |this, f| match this {
        Self::Syntax { path, at, expected } => {
            write!(f, "`{path}` is no path of a field: expected {expected} at {at}")
        }
        Self::Unknown { of, name, fields } if fields.is_empty() => write!(
            f,
            "`{of}` has no field `{name}`: its fields are not described; derive `Describe` for it if it is a struct"
        ),
        Self::Unknown { of, name, fields } => {
            write!(f, "`{of}` has no field `{name}`; it has `{}`", fields.join("`, `"))
        }
        Self::NotAList { path, of } if path.is_empty() => {
            write!(f, "`{of}` has no elements: only a `Vec` or an array has")
        }
        Self::NotAList { path, of } => {
            write!(f, "`{path}` is a `{of}`, which has no elements: only a `Vec` or an array has")
        }
        Self::OutOfBounds { list, index, len } => {
            write!(f, "`{list}` has {len} elements, and none with index {index}")
        }
        Self::IsNone { path } => write!(f, "`{path}` is `None`"),
        Self::Packed { path } => {
            write!(f, "`{path}` is a field of a packed struct, which cannot be borrowed; copy the whole value")
        }
        Self::Private { path, of } => write!(
            f,
            "`{path}` is a private field of `{of}` and cannot be set by its name: make it `pub`, or write \
             `#[component(editable)]` or `#[describe(editable)]` above the type"
        ),
        Self::WrongType { path, expected, found } => {
            write!(f, "`{path}` is a `{expected}`, and cannot be set to a `{found}`")
        }
    }
}

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step<'p> {
    /// `name` or `.name`
    Field(&'p str),
    /// `[2]`
    Index(usize),
}

/// Iterates over the steps of a path.
pub(super) struct FieldPath<'p> {
    text: &'p str,
    /// The position of the next step, in bytes.
    at: usize,
}

impl<'p> FieldPath<'p> {
    /// Returns the steps of a path. An empty path is not valid.
    ///
    /// # Errors
    ///
    /// If the path is not valid.
    pub(super) fn new(text: &'p str) -> Result<Self, FieldError> {
        let mut checked = Self { text, at: 0 };
        loop {
            checked.next_step()?;
            if checked.is_at_end() {
                return Ok(Self { text, at: 0 });
            }
        }
    }

    /// Returns the part of the path before the next step.
    pub(super) fn done(&self) -> String {
        self.text[..self.at].to_string()
    }

    /// Returns whether there is no further step.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Returns the next step, and advances past it. There must be a further step.
    pub(super) fn next_step(&mut self) -> Result<Step<'p>, FieldError> {
        let rest = &self.text[self.at..];
        match rest.strip_prefix('[') {
            Some(list) => self.index(list),
            None => self.field(rest),
        }
    }

    fn index(&mut self, rest: &'p str) -> Result<Step<'p>, FieldError> {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let begin = self.at + 1;
        if digits == 0 {
            return Err(self.error(begin, "an index"));
        }
        let index = rest[..digits].parse().map_err(|_| self.error(begin, "a smaller index"))?;
        if !rest[digits..].starts_with(']') {
            return Err(self.error(begin + digits, "`]`"));
        }
        self.at = begin + digits + 1;
        Ok(Step::Index(index))
    }

    fn field(&mut self, rest: &'p str) -> Result<Step<'p>, FieldError> {
        let (name, begin) = match rest.strip_prefix('.') {
            Some(name) => (name, self.at + 1),
            None if self.at == 0 => (rest, 0),
            None => return Err(self.error(self.at, "`.` or `[`")),
        };
        let end = name.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(name.len());
        if end == 0 {
            return Err(self.error(begin, "the name of a field"));
        }
        self.at = begin + end;
        Ok(Step::Field(&name[..end]))
    }

    fn error(&self, at: usize, expected: &'static str) -> FieldError {
        FieldError::Syntax { path: self.text.to_string(), at, expected }
    }
}
