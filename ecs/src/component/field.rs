//! The fields of structs, as data.

use core::alloc::Layout;
use core::any::{TypeId, type_name};
use core::fmt;
use core::marker::PhantomData;

/// A field of a component, of a resource, or of a type that [describes itself](trait@crate::component::Describe).
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Describe};
/// use strata_ecs::prelude::*;
///
/// #[derive(Describe)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// #[derive(Component)]
/// struct Body {
///     /// In meters.
///     place: Point,
///     mass: f64,
/// }
///
/// let fields = ComponentDescriptor::of::<Body>().fields();
/// assert_eq!(fields.iter().map(|field| field.name()).collect::<Vec<_>>(), ["place", "mass"]);
/// assert_eq!(fields[0].docs(), "In meters.");
/// assert_eq!(fields[0].offset(), std::mem::offset_of!(Body, place));
/// assert_eq!(fields[0].fields()[1].name(), "y");
/// assert_eq!(fields[1].type_id(), Some(std::any::TypeId::of::<f64>()));
/// ```
#[derive(Clone, Copy)]
pub struct Field {
    name: &'static str,
    offset: usize,
    layout: Layout,
    type_id: Option<TypeId>,
    type_name: fn() -> &'static str,
    docs: &'static str,
    fields: &'static [Field],
}

impl Field {
    /// The name: a number, as in `0`, of a tuple struct's. Raw identifiers are without their `r#`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How many bytes after the beginning of the value the field begins.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Size and alignment of the type of the field. In a packed struct the address of the field may be less aligned.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// The type of the field, if it is a type of the program.
    #[must_use]
    pub const fn type_id(&self) -> Option<TypeId> {
        self.type_id
    }

    /// The full name of the type, for messages. It may change with the compiler.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.type_name)()
    }

    /// The doc comment, without the space that its lines begin with; empty if there is none.
    #[must_use]
    pub const fn docs(&self) -> &'static str {
        self.docs
    }

    /// The fields of this field's type, if that describes itself; none otherwise. Their offsets are those in that type.
    #[must_use]
    pub const fn fields(&self) -> &'static [Self] {
        self.fields
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}", self.name, self.type_name(), self.offset)
    }
}

/// The fields of `T`, in the order of its definition. Only the derives make some.
pub struct Fields<T: ?Sized> {
    list: &'static [Field],
    /// Neither a subtype's nor a supertype's fields will do.
    marker: PhantomData<fn(&T) -> &T>,
}

impl<T: ?Sized> Clone for Fields<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Fields<T> {}

impl<T: ?Sized> Fields<T> {
    /// No fields: those of an enum, of a unit struct, and of a type whose fields are not known.
    pub const NONE: Self = Self { list: &[], marker: PhantomData };

    /// The fields.
    #[must_use]
    pub const fn list(&self) -> &'static [Field] {
        self.list
    }
}

impl<T: ?Sized> fmt::Debug for Fields<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list).finish()
    }
}

/// What the derives call for the fields of `T`, which are all in the list and nothing else is.
#[must_use]
pub const fn fields<T>(_none: Fields<T>, list: &'static [Field]) -> Fields<T> {
    Fields { list, marker: PhantomData }
}

/// What the derives call for a field with the type `T`, and with these fields of its own.
#[must_use]
pub const fn field<T: 'static>(
    name: &'static str,
    offset: usize,
    docs: &'static str,
    fields: &'static [Field],
) -> Field {
    let (layout, type_id) = (Layout::new::<T>(), Some(TypeId::of::<T>()));
    Field { name, offset, layout, type_id, type_name: type_name::<T>, docs, fields }
}
