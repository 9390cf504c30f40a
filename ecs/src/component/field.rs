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
    docs: &'static str,
    ty: FieldType,
}

/// What a [`Field`] has of its type.
#[derive(Clone, Copy)]
pub struct FieldType {
    layout: Layout,
    type_id: TypeId,
    type_name: fn() -> &'static str,
    fields: &'static [Field],
}

impl FieldType {
    /// That of `T`, with the fields of `T` if they are known.
    pub(super) const fn of<T: 'static>(fields: Fields<T>) -> Self {
        Self { layout: Layout::new::<T>(), type_id: TypeId::of::<T>(), type_name: type_name::<T>, fields: fields.list }
    }
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
        self.ty.layout
    }

    /// The type of the field, if it is a type of the program.
    #[must_use]
    pub const fn type_id(&self) -> Option<TypeId> {
        Some(self.ty.type_id)
    }

    /// The full name of the type, for messages. It may change with the compiler.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.ty.type_name)()
    }

    /// The doc comment, without the space that its lines begin with; empty if there is none.
    #[must_use]
    pub const fn docs(&self) -> &'static str {
        self.docs
    }

    /// The fields of this field's type, if that describes itself; none otherwise. Their offsets are those in that type.
    #[must_use]
    pub const fn fields(&self) -> &'static [Self] {
        self.ty.fields
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

/// The fields of `T`: the derives list all of them, and nothing else.
#[must_use]
pub const fn fields<T>(list: &'static [Field]) -> Fields<T> {
    Fields { list, marker: PhantomData }
}

/// One of them: its name, how far it is from the beginning of the value, its doc comment and its type.
#[must_use]
pub const fn field(name: &'static str, offset: usize, docs: &'static str, ty: FieldType) -> Field {
    Field { name, offset, docs, ty }
}
