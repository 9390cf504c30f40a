//! The fields of structs, and the elements of lists, as data.
//!
//! A value of a field is reached by a function that the derive writes, `|value: &T| (&raw const value.member).cast_mut()`, so the compiler proves
//! that there is such a value. The pointer has exactly the type of the member: a reference could be coerced to another one. Offsets are for information: no code reads a value at one.

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
    /// From a value of the type that has the field to the field: a `fn(&T) -> *const F` for that type `T`, where `ty` is that of `F`. None
    /// in a packed struct, of whose fields there are no references.
    project: Option<ProjectFn>,
    /// Whether code outside of the module of the type may set it.
    is_editable: bool,
}

/// Goes from a value to one of its fields.
///
/// # Safety
///
/// - The address holds a value of the type that has the field. The result is borrowed from it.
type ProjectFn = unsafe fn(NonNull<u8>) -> NonNull<u8>;

/// How the elements inside of a value are reached: those of a list, or that of an `Option`.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    /// What is known of each. A function, since a type may have a list of itself as a field.
    pub(super) element: fn() -> &'static Field,
    /// Whether it is an `Option`.
    pub(super) is_option: bool,
    read: ElementsFn,
    write: ElementsFn,
}

/// Goes from a value to its elements: to the first one, and how many there are.
///
/// # Safety
///
/// - The address holds a value of the type that has the elements, and the value may be borrowed: mutably if the function is
///   [`Elements::write`]. The elements are borrowed from it.
type ElementsFn = unsafe fn(NonNull<u8>) -> (NonNull<u8>, usize);

/// Types of which a value has elements, one after the other.
pub(super) trait HasElements: Sized {
    type Element: Described;
    /// Whether it is an `Option`.
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
    /// Those of values of `L`.
    const fn of<L: HasElements>() -> Self {
        Self {
            element: Element::<L::Element>::field,
            is_option: L::IS_OPTION,
            read: |value| {
                // SAFETY: the address holds an `L` that may be borrowed.
                let elements = unsafe { value.cast::<L>().as_ref() }.elements();
                (NonNull::from(elements).cast(), elements.len())
            },
            write: |value| {
                // SAFETY: the address holds an `L` that may be borrowed mutably.
                let elements = unsafe { value.cast::<L>().as_mut() }.elements_mut();
                (NonNull::from(&mut *elements).cast(), elements.len())
            },
        }
    }

    /// The first element of a value and how many there are. Each follows the one before it at the distance of its size.
    ///
    /// # Safety
    ///
    /// - The address holds a value of the type that has these elements, and no code changes it while they are used. If `mutably`, no other
    ///   code has access to it.
    pub(super) unsafe fn of_value(&self, value: NonNull<u8>, mutably: bool) -> (NonNull<u8>, usize) {
        let elements = if mutably { self.write } else { self.read };
        // SAFETY: the caller's value is of the type that the functions were made for, and may be borrowed as the chosen one does.
        unsafe { elements(value) }
    }
}

/// A type that [describes itself](super::Describe), as a type of elements.
pub(super) trait Described: Sized + 'static {
    /// Its fields.
    const ALL_FIELDS: Fields<Self>;
}

/// A place for a constant.
struct Element<T>(PhantomData<T>);

impl<T: Described> Element<T> {
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

/// What a [`Field`] has of its type.
#[derive(Clone, Copy)]
struct FieldType {
    layout: Layout,
    type_id: TypeId,
    type_name: fn() -> &'static str,
    fields: &'static [Field],
    elements: Option<Elements>,
    /// Whether values are plain bytes.
    plain: bool,
    /// Whether any bytes are a value.
    any_bytes: bool,
    /// Whether values are known to hold entities.
    entities: bool,
}

/// Types of which values have neither padding nor anything that changes through a shared reference.
///
/// # Safety
///
/// - That holds.
pub(super) unsafe trait Plain: Sized {}

macro_rules! plain {
    ($($Type:ty)*) => { $(
        // SAFETY: all bytes of these are their value. `Entity` is two numbers of 4 bytes each, in 8 bytes.
        unsafe impl Plain for $Type {}
    )* };
}

/// Plain types of which any bytes are a value, and which are as large on every machine.
///
/// # Safety
///
/// - That holds.
pub(super) unsafe trait AnyBytes: Plain {}

macro_rules! any_bytes {
    ($($Type:ty)*) => { $(
        // SAFETY: each value of the bytes of a number is a number.
        unsafe impl AnyBytes for $Type {}
    )* };
}

any_bytes! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

plain! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char Entity }

const _: () = assert!(size_of::<Entity>() == 8);

/// A [`FieldType`] that is that of `F`.
#[derive(Clone, Copy)]
pub struct FieldTypeOf<F> {
    ty: FieldType,
    /// Neither a subtype's nor a supertype's will do.
    marker: PhantomData<fn(&F) -> &F>,
}

impl<F: 'static> FieldTypeOf<F> {
    /// With the fields of `F` if they are known.
    pub(super) const fn new(fields: Fields<F>) -> Self {
        let (layout, type_id) = (Layout::new::<F>(), TypeId::of::<F>());
        let type_name = type_name::<F> as fn() -> &'static str;
        let Fields { list: fields, elements, plain, any_bytes, entities, .. } = fields;
        Self {
            ty: FieldType { layout, type_id, type_name, fields, elements, plain, any_bytes, entities },
            marker: PhantomData,
        }
    }

    /// Whether values are known to hold entities.
    #[must_use]
    pub const fn holds_entities(self) -> bool {
        self.ty.entities
    }

    /// Of a field with `#[entities(ignore)]`.
    #[must_use]
    pub const fn ignoring_entities(self) -> Self {
        Self { ty: FieldType { entities: false, ..self.ty }, ..self }
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

    /// Whether the field can be set by its name: it is `pub`, or the type has the option `editable`.
    #[must_use]
    pub const fn is_editable(&self) -> bool {
        self.is_editable
    }

    /// The elements of the type of the field: a `Vec`, an array or an `Option`.
    pub(super) fn elements(&self) -> Option<Elements> {
        self.ty.elements
    }

    /// The field of a value; `None` in a packed struct. It may be changed if the value may be.
    ///
    /// # Safety
    ///
    /// - The address holds a value of the type that has this field, and no code changes it while the field is used. If the field is
    ///   changed, no other code has access to the value meanwhile.
    #[inline]
    pub(super) unsafe fn of_value(&self, value: NonNull<u8>) -> Option<NonNull<u8>> {
        // SAFETY: the caller's value is of the type that the function was made for, and is not changed during the call.
        let field = unsafe { self.project?(value) };
        // The result of the function comes from a shared reference, and may be read only. The address of the value may be used as the
        // caller may use the value.
        Some(value.with_addr(field.addr()))
    }
}

impl_debug!([] Field => |this, f| write!(f, "{}: {} at {}", this.name, this.type_name(), this.offset));

/// The fields of `T`, in the order of its definition. Only the derives make some.
pub struct Fields<T: ?Sized> {
    list: &'static [Field],
    /// For lists and options.
    elements: Option<Elements>,
    /// Whether values of `T` are plain bytes, as far as it is known.
    plain: bool,
    /// Whether any bytes are a value of `T`, which is plain then.
    any_bytes: bool,
    /// Whether values of `T` are known to hold entities.
    entities: bool,
    /// Neither a subtype's nor a supertype's fields will do.
    marker: PhantomData<fn(&T) -> &T>,
}

impl_copy! { [T: ?Sized] Fields<T>; }

impl<T: ?Sized> Fields<T> {
    /// No fields: those of an enum, of a unit struct, and of a type whose fields are not known.
    pub const NONE: Self =
        Self { list: &[], elements: None, plain: false, any_bytes: false, entities: false, marker: PhantomData };

    /// The fields.
    #[must_use]
    pub const fn list(&self) -> &'static [Field] {
        self.list
    }

    /// Whether values of the type are known to be plain bytes.
    pub(super) const fn are_plain(&self) -> bool {
        self.plain
    }

    /// Whether any bytes are a value of the type.
    pub(super) const fn take_any_bytes(&self) -> bool {
        self.any_bytes
    }

    /// None, of a type that is plain.
    pub(super) const fn of_plain() -> Self
    where
        T: Plain,
    {
        Self { plain: true, ..Self::NONE }
    }

    /// None, of a type of which any bytes are a value.
    pub(super) const fn of_any_bytes() -> Self
    where
        T: AnyBytes,
    {
        Self { any_bytes: true, ..Self::of_plain() }
    }

    /// The same, of a type of which this is known besides.
    pub(super) const fn with_entities(self, holds_some: bool) -> Self {
        Self { entities: self.entities || holds_some, ..self }
    }

    /// None, of an array, which is plain if its items are: there is nothing between them.
    pub(super) const fn of_array<const N: usize>(self) -> Fields<[T; N]>
    where
        T: Described,
    {
        let elements = Some(Elements::of::<[T; N]>());
        Fields { elements, plain: self.plain, any_bytes: self.any_bytes, entities: self.entities, ..Fields::NONE }
    }

    /// None, of a list or an `Option`: its elements.
    pub(super) const fn of_elements() -> Self
    where
        T: HasElements,
    {
        Self { elements: Some(Elements::of::<T>()), ..Self::NONE }
    }
}

impl<T> Fields<T> {
    /// The same, of a type that counts as not plain: a tuple.
    pub(super) const fn not_plain(self) -> Self {
        Self { plain: false, any_bytes: false, ..self }
    }
}

impl_debug!([T: ?Sized] Fields<T> => |this, f| f.debug_list().entries(this.list).finish());

/// A [`Field`] that is one of `T`.
#[repr(transparent)]
pub struct FieldOf<T> {
    field: Field,
    /// Neither a subtype's nor a supertype's will do.
    marker: PhantomData<fn(&T) -> &T>,
}

/// The fields of `T`: the derives list all of them, and nothing else.
#[must_use]
pub const fn fields<T>(list: &'static [FieldOf<T>]) -> Fields<T> {
    // SAFETY: a `FieldOf` is a `Field` and nothing else in memory.
    let list = unsafe { slice::from_raw_parts(list.as_ptr().cast::<Field>(), list.len()) };
    // If the fields take all the room there is no padding.
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

/// The same, of a type whose author says with `plain` that any bytes are a value, as the fields say it of their types. Only the derives
/// call this, for a type with the layout of C.
///
/// # Panics
///
/// While it is compiled, if the fields do not say it.
#[must_use]
#[track_caller]
pub const fn plain_fields<T>(fields: Fields<T>) -> Fields<T> {
    let mut at = 0;
    while at < fields.list.len() {
        // A type without a size may stand for a proof, which its own author would have to give away.
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

/// One of them: its name, how far it is from the beginning of the value, its doc comment, the way from a value to it, and its type.
#[must_use]
pub const fn field<T, F>(
    name: &'static str,
    offset: usize,
    docs: &'static str,
    project: fn(&T) -> *mut F,
    ty: FieldTypeOf<F>,
) -> FieldOf<T> {
    // SAFETY: references and pointers to types with a size and `NonNull<u8>` are ABI-compatible: see "ABI compatibility" in the
    // documentation of `fn` pointers. What a reference needs of the address, the caller of a `ProjectFn` promises. The address of
    // a field of a value is not null.
    let project = unsafe { transmute::<fn(&T) -> *mut F, ProjectFn>(project) };
    let field = Field { name, offset, docs, ty: ty.ty, project: Some(project), is_editable: false };
    FieldOf { field, marker: PhantomData }
}

/// As [`field`], of one that code outside of the module of the type may set.
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

/// As [`field`], of a packed struct.
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
