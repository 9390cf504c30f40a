//! The fields of structs, and the elements of lists, as data.
//!
//! The derive writes a function for each field, `|value: &T| (&raw const value.member).cast_mut()`. So the compiler proves that the field
//! exists. The function returns a pointer because a pointer has exactly the type of the member; a reference could be coerced to another
//! type. Offsets are only informative: no code reads a value at an offset.
//!
//! Tests: tests/storage/descriptors/fields.rs, tests/storage/erased/fields.rs

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::NonNull;
use core::slice;

use crate::entity::Entity;

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
    /// Returns the address of the field in a value: a `fn(&T) -> *mut F`, where `T` has the field and `ty` describes `F`. `None` for a
    /// field of a packed struct, which cannot be borrowed.
    project: Option<ProjectFn>,
    /// Whether code outside of the module of the type may set the field.
    is_editable: bool,
}

/// Returns the address of a field of a value.
///
/// # Safety
///
/// - The address holds a value of the type that has the field. The result is borrowed from it.
type ProjectFn = unsafe fn(NonNull<u8>) -> NonNull<u8>;

/// Functions that access the elements inside of a value: the items of a list, or the content of an `Option`.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    /// Returns the description of an element. This is a function because a type may have a list of its own type as a field.
    pub(super) element: fn() -> &'static Field,
    /// Whether the value with the elements is an `Option`.
    pub(super) is_option: bool,
    read: ElementsFn,
    write: ElementsFn,
}

/// Returns a pointer to the first element of a value, and the number of elements.
///
/// # Safety
///
/// - The address holds a value of the type that has the elements, and the value may be borrowed: mutably if the function is
///   [`Elements::write`]. The elements are borrowed from it.
type ElementsFn = unsafe fn(NonNull<u8>) -> (NonNull<u8>, usize);

/// A type whose values contain adjacent elements.
pub(super) trait HasElements: Sized {
    type Element: Described;
    /// Whether the value with the elements is an `Option`.
    const IS_OPTION: bool;

    fn elements(&self) -> &[Self::Element];
    fn elements_mut(&mut self) -> &mut [Self::Element];
}

macro_rules! has_elements {
    ($([$($parameters:tt)*] $Type:ty, $is_option:literal;)*) => { $(
        impl<$($parameters)*> HasElements for $Type {
            type Element = T;
            const IS_OPTION: bool = $is_option;

            fn elements(&self) -> &[T] {
                self.as_slice()
            }

            fn elements_mut(&mut self) -> &mut [T] {
                self.as_mut_slice()
            }
        }
    )* };
}

has_elements! {
    [T: Described, const N: usize] [T; N], false;
    [T: Described] Vec<T>, false;
    [T: Described] Option<T>, true;
}

impl Elements {
    /// Returns the functions that access the elements of values of type `L`.
    const fn of<L: HasElements>() -> Self {
        Self {
            element: ElementField::<L::Element>::field,
            is_option: L::IS_OPTION,
            read: |value| {
                // SAFETY: the address holds an `L` that may be borrowed (ensured by the caller of the function).
                let elements = unsafe { value.cast::<L>().as_ref() }.elements();
                (NonNull::from(elements).cast(), elements.len())
            },
            write: |value| {
                // SAFETY: the address holds an `L` that may be borrowed mutably (ensured by the caller of the function).
                let elements = unsafe { value.cast::<L>().as_mut() }.elements_mut();
                (NonNull::from(&mut *elements).cast(), elements.len())
            },
        }
    }

    /// Returns the address of the first element of a value, and the number of elements. The elements are adjacent.
    ///
    /// # Safety
    ///
    /// - The address holds a value of the type that has these elements, and no code changes the value while the elements are used. If
    ///   `mutably` is true, no other code has access to the value.
    pub(super) unsafe fn of_value(&self, value: NonNull<u8>, mutably: bool) -> (NonNull<u8>, usize) {
        let elements = if mutably { self.write } else { self.read };
        // SAFETY: the value is of the type that the functions were made for, and may be borrowed as the chosen one does (ensured by the
        // caller).
        unsafe { elements(value) }
    }
}

/// An element type that [describes itself](super::Describe).
pub(super) trait Described: Sized + 'static {
    /// The fields of the type.
    const ALL_FIELDS: Fields<Self>;
}

/// Holds the constant that describes an element of type `T`.
struct ElementField<T>(PhantomData<T>);

impl<T: Described> ElementField<T> {
    /// An element, as a field without a name.
    const FIELD: Field = Field {
        name: "[]",
        offset: 0,
        docs: "",
        ty: FieldTypeOf::<T>::new(T::ALL_FIELDS).ty,
        project: None,
        is_editable: true,
    };

    fn field() -> &'static Field {
        &Self::FIELD
    }
}

/// The properties of a [`Field`] that depend only on the type of the field.
#[derive(Clone, Copy)]
struct FieldType {
    layout: Layout,
    type_id: TypeId,
    type_name: fn() -> &'static str,
    fields: &'static [Field],
    elements: Option<Elements>,
    /// Whether values are plain bytes.
    plain: bool,
    /// Whether any bytes are a valid value.
    any_bytes: bool,
    /// Whether values of the type are known to contain entities.
    entities: bool,
}

/// A type whose values have no padding and no bytes that can be changed through a shared reference.
///
/// # Safety
///
/// - The type has these properties.
pub(super) unsafe trait PlainBytes: Sized {}

macro_rules! plain {
    ($($Type:ty)*) => { $(
        // SAFETY: these have no padding and no interior mutability. `Entity` is two numbers of 4 bytes each, in 8 bytes.
        unsafe impl PlainBytes for $Type {}
    )* };
}

/// A plain type for which any bytes are a valid value, and whose size is equal on every machine.
///
/// # Safety
///
/// - The type has these properties.
pub(super) unsafe trait AnyBytes: PlainBytes {}

macro_rules! any_bytes {
    ($($Type:ty)*) => { $(
        // SAFETY: any bytes are a valid number.
        unsafe impl AnyBytes for $Type {}
    )* };
}

any_bytes! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

plain! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char Entity }

const _: () = assert!(size_of::<Entity>() == 8);

/// A [`FieldType`] that describes `F`.
#[derive(Clone, Copy)]
pub struct FieldTypeOf<F> {
    ty: FieldType,
    /// Invariant in `F`: the field type of a subtype or supertype is not accepted.
    marker: PhantomData<fn(&F) -> &F>,
}

impl<F: 'static> FieldTypeOf<F> {
    /// Returns the field type for `F`. `fields` is empty if the fields of `F` are not known.
    pub(super) const fn new(fields: Fields<F>) -> Self {
        let (layout, type_id) = (Layout::new::<F>(), TypeId::of::<F>());
        let type_name = type_name::<F> as fn() -> &'static str;
        let Fields { list: fields, elements, plain, any_bytes, entities, .. } = fields;
        Self {
            ty: FieldType { layout, type_id, type_name, fields, elements, plain, any_bytes, entities },
            marker: PhantomData,
        }
    }

    /// Returns whether values of the type are known to contain entities.
    #[must_use]
    pub const fn holds_entities(self) -> bool {
        self.ty.entities
    }

    /// Declares that values contain no entities, for a field with `#[entities(ignore)]`.
    #[must_use]
    pub const fn ignoring_entities(self) -> Self {
        Self { ty: FieldType { entities: false, ..self.ty }, ..self }
    }
}

impl Field {
    /// Returns the name of the field. In a tuple struct it is a number such as `0`. The `r#` of a raw identifier is omitted.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the offset of the field from the start of the value, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the size and alignment of the type of the field. In a packed struct the address of the field may be less aligned.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.ty.layout
    }

    /// Returns the type of the field, if it is a type of the program.
    #[must_use]
    pub const fn type_id(&self) -> Option<TypeId> {
        Some(self.ty.type_id)
    }

    /// Returns the full name of the type, for messages. It may change with the compiler.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.ty.type_name)()
    }

    /// Returns the doc comment, without the space at the start of each line; empty if there is no doc comment.
    #[must_use]
    pub const fn docs(&self) -> &'static str {
        self.docs
    }

    /// Returns the fields of this field's type; empty if the type does not describe itself. Their offsets are relative to this field.
    #[must_use]
    pub const fn fields(&self) -> &'static [Self] {
        self.ty.fields
    }

    /// Returns whether the field can be set by its name: it is `pub`, or the type that has the field has the option `editable`.
    #[must_use]
    pub const fn is_editable(&self) -> bool {
        self.is_editable
    }

    /// Returns the functions that access the elements of the field; `None` if it is not a `Vec`, an array or an `Option`.
    pub(super) fn elements(&self) -> Option<Elements> {
        self.ty.elements
    }

    /// Returns the address of the field in a value; `None` for a field of a packed struct. The field may be changed if the value may be
    /// changed.
    ///
    /// # Safety
    ///
    /// - The address holds a value of the type that has this field, and no code changes it while the field is used. If the field is
    ///   changed, no other code accesses the value during that time.
    #[inline]
    pub(super) unsafe fn of_value(&self, value: NonNull<u8>) -> Option<NonNull<u8>> {
        // SAFETY: the value is of the type that the function was made for, and is not changed during the call (ensured by the caller).
        let field = unsafe { self.project?(value) };
        // The pointer that the function returns comes from a shared reference, so it permits reads only. Take its address with the
        // provenance of `value`, which permits what the caller may do.
        Some(value.with_addr(field.addr()))
    }
}

impl_debug!([] Field => |this, f| write!(f, "{}: {} at {}", this.name, this.type_name(), this.offset));

/// The fields of `T`, in the order of its definition. Only the derives create them.
pub struct Fields<T: ?Sized> {
    list: &'static [Field],
    /// Access to the elements, if `T` is a list or an `Option`.
    elements: Option<Elements>,
    /// Whether values of `T` are known to be plain bytes.
    plain: bool,
    /// Whether any bytes are a valid value of `T`. Implies `plain`.
    any_bytes: bool,
    /// Whether values of `T` are known to contain entities.
    entities: bool,
    /// Invariant in `T`: the fields of a subtype or supertype are not accepted.
    marker: PhantomData<fn(&T) -> &T>,
}

impl_copy! { [T: ?Sized] Fields<T>; }

impl<T: ?Sized> Fields<T> {
    /// No fields, for an enum, a unit struct, or a type whose fields are not known.
    pub const NONE: Self =
        Self { list: &[], elements: None, plain: false, any_bytes: false, entities: false, marker: PhantomData };

    /// Returns the fields.
    #[must_use]
    pub const fn list(&self) -> &'static [Field] {
        self.list
    }

    /// Returns whether values of the type are known to be plain bytes.
    pub(super) const fn are_plain(&self) -> bool {
        self.plain
    }

    /// Returns whether any bytes are a valid value of the type.
    pub(super) const fn take_any_bytes(&self) -> bool {
        self.any_bytes
    }

    /// Returns no fields, for a plain type.
    pub(super) const fn of_plain() -> Self
    where
        T: PlainBytes,
    {
        Self { plain: true, ..Self::NONE }
    }

    /// Returns no fields, for a type for which any bytes are a valid value.
    pub(super) const fn of_any_bytes() -> Self
    where
        T: AnyBytes,
    {
        Self { any_bytes: true, ..Self::of_plain() }
    }

    /// Records that values contain entities if `holds_some` is true.
    pub(super) const fn with_entities(self, holds_some: bool) -> Self {
        Self { entities: self.entities || holds_some, ..self }
    }

    /// Returns no fields but elements, for an array whose items have the fields `self`. The array is plain if its items are plain, because
    /// there is no padding between them.
    pub(super) const fn of_array<const N: usize>(self) -> Fields<[T; N]>
    where
        T: Described,
    {
        let elements = Some(Elements::of::<[T; N]>());
        Fields { elements, plain: self.plain, any_bytes: self.any_bytes, entities: self.entities, ..Fields::NONE }
    }

    /// Returns no fields but elements, for a list or an `Option`.
    pub(super) const fn of_elements() -> Self
    where
        T: HasElements,
    {
        Self { elements: Some(Elements::of::<T>()), ..Self::NONE }
    }
}

impl<T> Fields<T> {
    /// Marks the type as not plain. Used for tuples.
    pub(super) const fn not_plain(self) -> Self {
        Self { plain: false, any_bytes: false, ..self }
    }
}

impl_debug!([T: ?Sized] Fields<T> => |this, f| f.debug_list().entries(this.list).finish());

/// A [`Field`] of the type `T`.
#[repr(transparent)]
pub struct FieldOf<T> {
    field: Field,
    /// Invariant in `T`: a field of a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> &T>,
}

/// Returns the fields of `T`. The list must contain all fields of `T` and nothing else; the derives ensure this.
#[must_use]
pub const fn fields<T>(list: &'static [FieldOf<T>]) -> Fields<T> {
    // SAFETY: `FieldOf` is a transparent wrapper of `Field`, so the slice has the same layout.
    let list = unsafe { slice::from_raw_parts(list.as_ptr().cast::<Field>(), list.len()) };
    // A struct has no padding if the sizes of its fields add up to its size.
    let (mut plain, mut entities, mut size, mut at) = (true, false, 0, 0);
    while at < list.len() {
        entities |= list[at].ty.entities;
        plain &= list[at].ty.plain || list[at].ty.layout.size() == 0;
        size += list[at].ty.layout.size();
        at += 1;
    }
    let plain = plain && size == size_of::<T>() && !list.is_empty();
    Fields { list, plain, entities, ..Fields::NONE }
}

/// Returns the fields of a type whose author declares with `plain` that any bytes are a valid value. Checks that the declaration holds for
/// the type of each field. Only the derives call this function, for a type with the layout of C.
///
/// # Panics
///
/// At compile time, if some bytes are not a valid value of the type of a field, or if the type has padding or no size.
#[must_use]
#[track_caller]
pub const fn plain_fields<T>(fields: Fields<T>) -> Fields<T> {
    let mut at = 0;
    while at < fields.list.len() {
        // Fields of size 0 must have `any_bytes`, too: their type may be a proof token, which only its own author may create.
        assert!(
            fields.list[at].ty.any_bytes,
            "a field of a `plain` type is a number of fixed size, an array or `plain`"
        );
        at += 1;
    }
    assert!(
        fields.plain,
        "a `plain` type has a size and no padding: make the padding a field, or order fields by size"
    );
    Fields { any_bytes: true, ..fields }
}

/// Describes one field by its name, its offset in bytes, its doc comment and its type. `project` returns the address of the field in a
/// value.
#[must_use]
pub const fn field<T, F>(
    name: &'static str,
    offset: usize,
    docs: &'static str,
    project: fn(&T) -> *mut F,
    ty: FieldTypeOf<F>,
) -> FieldOf<T> {
    // SAFETY: references and pointers to sized types and `NonNull<u8>` are ABI-compatible: see "ABI compatibility" in the documentation of
    // `fn` pointers. The address satisfies the requirements of a reference by the safety conditions of `ProjectFn`. The address of a field
    // of a value is not null.
    let project = unsafe { transmute::<fn(&T) -> *mut F, ProjectFn>(project) };
    let field = Field { name, offset, docs, ty: ty.ty, project: Some(project), is_editable: false };
    FieldOf { field, marker: PhantomData }
}

/// Like [`field`], for a field that code outside of the module of the type may set.
#[must_use]
pub const fn pub_field<T, F>(
    name: &'static str,
    offset: usize,
    docs: &'static str,
    project: fn(&T) -> *mut F,
    ty: FieldTypeOf<F>,
) -> FieldOf<T> {
    let FieldOf { field, marker } = field(name, offset, docs, project, ty);
    FieldOf { field: Field { is_editable: true, ..field }, marker }
}

/// Like [`field`], for a field of a packed struct.
#[must_use]
pub const fn packed_field<T, F>(
    name: &'static str,
    offset: usize,
    docs: &'static str,
    _: fn(&T) -> *const F,
    ty: FieldTypeOf<F>,
) -> FieldOf<T> {
    let field = Field { name, offset, docs, ty: ty.ty, project: None, is_editable: false };
    FieldOf { field, marker: PhantomData }
}
