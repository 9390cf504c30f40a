//! Borrowed values of components, type-erased.
//!
//! A reference contains the descriptor of its component, so all its operations are checked: only code that states the right type, and the
//! functions of the descriptor, get the value. A reference never exposes bytes. Fields are read by name, and only as types of plain data:
//! fields may be private, and safe code must not bypass the invariants of their owner through them. For the same reason a field can be set
//! by name only if it is `pub`, or if the type that has the field has the option `editable`.
//!
//! Tests: tests/storage/erased/access.rs, tests/storage/erased/fields.rs, tests/storage/erased/paths.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{TypeId, type_name};
use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ptr::NonNull;

use super::descriptor::ComponentDescriptor;
use super::field::{Elements, Field};
use super::field_path::{FieldError, FieldPath, Step};
use crate::entity::{Entity, EntityMapper};

/// A borrowed value of a component, without its type.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health {
///     points: u32,
/// }
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let entity = world.spawn(Health { points: 3 }).id();
/// let value = world.get_by_id(entity, health).unwrap();
/// assert_eq!(value.downcast_ref::<Health>(), Some(&Health { points: 3 }));
/// assert_eq!(value.downcast_ref::<u32>(), None);
/// assert_eq!(value.field("points").unwrap().get::<u32>(), Some(&3));
/// assert_eq!(format!("{value:?}"), "Health { points: 3 }");
/// ```
#[derive(Clone, Copy)]
#[doc(alias("Ptr", "Reflect", "cursor"))]
pub struct ErasedRef<'a> {
    descriptor: &'static ComponentDescriptor,
    value: NonNull<u8>,
    marker: PhantomData<&'a ()>,
}

// SAFETY: it gives shared access to a value of a component; these are `Sync`.
unsafe impl Send for ErasedRef<'_> {}
// SAFETY: it gives shared access to a value of a component; these are `Sync`.
unsafe impl Sync for ErasedRef<'_> {}

impl<'a> ErasedRef<'a> {
    /// # Safety
    ///
    /// - The address holds a value of this component, which is valid for `'a`, and which no code changes for `'a`.
    pub(crate) unsafe fn new(descriptor: &'static ComponentDescriptor, value: NonNull<u8>) -> Self {
        Self { descriptor, value, marker: PhantomData }
    }

    /// Borrows a value as a value of the given component, resource or relation.
    ///
    /// # Panics
    ///
    /// If the values of the component are of another type.
    pub(crate) fn of<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, value: &'a T) -> Self {
        assert!(descriptor.describes::<T>(), "the value is of another type");
        Self { descriptor, value: NonNull::from(value).cast(), marker: PhantomData }
    }

    /// Returns the descriptor of the component.
    #[must_use]
    pub fn descriptor(self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    /// Returns the value, which must be of type `T`. Corresponds to the method of bevy_ecs's `Ptr`, but is safe, since the type is checked.
    /// [`downcast_ref`](Self::downcast_ref) does not panic.
    ///
    /// # Panics
    ///
    /// If the value is of another type.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3));
    /// assert_eq!(entity.get_by_id(health).unwrap().deref::<Health>(), &Health(3));
    /// ```
    #[must_use]
    #[track_caller]
    #[expect(clippy::should_implement_trait, reason = "bevy_ecs has it by this name, with a type parameter")]
    pub fn deref<T: 'static>(self) -> &'a T {
        self.downcast_ref().unwrap_or_else(|| panic_on_type::<T>(self.descriptor))
    }

    /// Returns the address of the value, which is valid for `'a`. It is for code that knows which layout
    /// [`LayoutDescription::new`](super::LayoutDescription::new) was given, and what the values are. The value must not be changed through
    /// the address.
    #[must_use]
    pub fn as_ptr(self) -> NonNull<u8> {
        self.value
    }

    /// Returns whether two values are equal; `None` if they are of different components, or if their type is not known to be `PartialEq`.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, PartialEq)]
    /// struct Health(u32);
    ///
    /// let [three, four] = [3, 4].map(|points| ErasedValue::of(Health(points)));
    /// assert_eq!(three.as_ref().try_eq(four.as_ref()), Some(false));
    /// ```
    #[must_use]
    pub fn try_eq(self, other: ErasedRef<'_>) -> Option<bool> {
        let eq = self.descriptor.functions.eq_fn().filter(|_| self.descriptor.is_same(other.descriptor))?;
        // SAFETY: both are values of the component that the function belongs to (checked above), and are borrowed.
        Some(unsafe { eq(self.value.as_ptr(), other.value.as_ptr()) })
    }

    /// Returns the value of a resource as text; `None` if its type has no [text form](super::TextForm).
    pub(crate) fn text(self) -> Option<String> {
        // SAFETY: the function belongs to the type of this value, which is borrowed.
        unsafe { (self.descriptor.persistence.write)(self.value.as_ptr()) }
    }

    /// Returns the field with this name, or at this [path](Self::try_field). `None` if the field does not exist, or if the type does not
    /// describe its fields.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health {
    ///     points: u32,
    /// }
    ///
    /// let value = ErasedValue::of(Health { points: 3 });
    /// assert_eq!(value.as_ref().field("points").unwrap().get(), Some(&3_u32));
    /// assert!(value.as_ref().field("colour").is_none());
    /// ```
    #[must_use]
    pub fn field(self, path: &str) -> Option<ErasedField<'a>> {
        self.try_field(path).ok()
    }

    /// Returns the field at a path. In a path, `name` and `.name` are fields, `.0` is a field of a tuple, and `[2]` is an element of a
    /// `Vec` or an array. If `weapon` is an `Option`, `weapon.damage` is a field of its content, and `weapon.0` is the whole content.
    ///
    /// All types along the path must describe themselves: by `#[derive(Component)]` or `#[derive(Describe)]`, or as listed at
    /// [`Describe`](trait@crate::component::Describe).
    ///
    /// # Errors
    ///
    /// If the path is not valid, or does not exist in this value. The error contains the path or the position of the problem.
    ///
    /// ```
    /// use strata_ecs::component::{Describe, ErasedValue};
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Describe)]
    /// struct Slot {
    ///     item: Option<(u32, f32)>,
    /// }
    /// #[derive(Component)]
    /// struct Bag {
    ///     slots: Vec<Slot>,
    /// }
    ///
    /// let bag = ErasedValue::of(Bag { slots: vec![Slot { item: None }, Slot { item: Some((7, 0.5)) }] });
    /// let bag = bag.as_ref();
    /// assert_eq!(bag.try_field("slots[1].item.1").unwrap().get(), Some(&0.5_f32));
    /// let error = bag.try_field("slots[0].item.1").unwrap_err();
    /// assert_eq!(error.to_string(), "`slots[0].item` is `None`");
    /// ```
    pub fn try_field(self, path: &str) -> Result<ErasedField<'a>, FieldError> {
        PathValue::value(self).walk(path, false)
    }

    /// Returns all fields, in the order of [`ComponentDescriptor::fields`].
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32, f32);
    ///
    /// let value = ErasedValue::of(Position(1.0, 2.0));
    /// let shown: Vec<String> = value.as_ref().fields().map(|field| format!("{}: {field:?}", field.name())).collect();
    /// assert_eq!(shown, ["0: 1.0", "1: 2.0"]);
    /// ```
    pub fn fields(self) -> impl ExactSizeIterator<Item = ErasedField<'a>> {
        PathValue::value(self).into_fields()
    }
}

/// Panics because the values of a component are not of type `T`.
#[cold]
#[track_caller]
pub(crate) fn panic_on_type<T>(descriptor: &ComponentDescriptor) -> ! {
    let (name, expected) = (descriptor.name(), descriptor.value_type_name());
    panic!("`{name}` has values of type `{expected}`, and no values of type `{}`", type_name::<T>())
}

impl_debug! {
    /// Uses the `Debug` of the type, if it is known to have one; otherwise shows the fields.
    [] ErasedRef<'_> => |this, f| match this.descriptor.functions.debug_fn() {
        // SAFETY: the value belongs to the component that the function was made for, and is borrowed.
        Some(debug) => unsafe { debug(this.value.as_ptr(), f) },
        None => debug_fields(this.descriptor.name(), this.fields(), f),
    }
}

fn debug_fields<'a>(
    name: &str,
    fields: impl Iterator<Item = ErasedField<'a>>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut shown = f.debug_struct(name);
    let mut count = 0;
    for field in fields {
        shown.field(field.name(), &field);
        count += 1;
    }
    if count == 0 { shown.finish_non_exhaustive() } else { shown.finish() }
}

/// A borrowed value that a path leads to, and its description.
///
/// Invariant: `at` is the address of a value that has `fields` and `elements`. The value is borrowed for `'a`, mutably if the path is
/// walked mutably.
#[derive(Clone, Copy)]
struct PathValue<'a> {
    of: &'static str,
    fields: &'static [Field],
    elements: Option<Elements>,
    /// `None` in a packed struct.
    at: Option<NonNull<u8>>,
    marker: PhantomData<&'a ()>,
}

impl<'a> PathValue<'a> {
    fn value(ErasedRef { descriptor, value, marker }: ErasedRef<'a>) -> Self {
        Self { of: descriptor.name(), fields: descriptor.fields(), elements: None, at: Some(value), marker }
    }

    fn field(ErasedField { field, at, marker }: ErasedField<'a>) -> Self {
        Self { of: field.type_name(), fields: field.fields(), elements: field.elements(), at, marker }
    }

    /// Returns a field of this value. `field` must be an item of `fields`.
    fn project(self, field: &'static Field) -> ErasedField<'a> {
        // SAFETY: the field belongs to the type of the value, which is borrowed for `'a`.
        let at = self.at.and_then(|at| unsafe { field.of_value(at) });
        ErasedField { field, at, marker: PhantomData }
    }

    fn into_fields(self) -> impl ExactSizeIterator<Item = ErasedField<'a>> {
        self.fields.iter().map(move |field| self.project(field))
    }

    /// Returns the value at a path. If `mutably` is true, this value must be borrowed mutably, and all fields along the path must be
    /// editable.
    fn walk(mut self, path: &str, mutably: bool) -> Result<ErasedField<'a>, FieldError> {
        let mut steps = FieldPath::new(path)?;
        loop {
            let before = steps.done();
            let step = steps.next_step()?;
            let field = self.step(step, &before, &steps.done(), mutably)?;
            if steps.is_at_end() {
                return Ok(field);
            }
            self = Self::field(field);
        }
    }

    /// Returns the field or element that a step of a path leads to. `before` is the path to this value; `after` is the path that includes
    /// the step.
    fn step(self, step: Step<'_>, before: &str, after: &str, mutably: bool) -> Result<ErasedField<'a>, FieldError> {
        match (step, self.elements) {
            (step, Some(option)) if option.is_option => match self.element(option, 0, before, mutably)? {
                some if step == Step::Field("0") => Ok(some),
                some => Self::field(some).step(step, before, after, mutably),
            },
            (Step::Index(index), Some(list)) => self.element(list, index, before, mutably),
            (Step::Index(_), None) => Err(FieldError::NotAList { path: before.into(), of: self.of }),
            (Step::Field(name), _) => {
                let Some(field) = self.fields.iter().find(|field| field.name() == name) else {
                    let fields = self.fields.iter().map(Field::name).collect();
                    return Err(FieldError::Unknown { of: self.of, name: name.into(), fields });
                };
                if mutably && !field.is_editable() {
                    return Err(FieldError::Private { path: after.into(), of: self.of });
                }
                Ok(self.project(field))
            }
        }
    }

    /// Returns an element of this value, which is a list or an `Option`. `elements` describes its elements, and `path` is the path to this
    /// value.
    fn element(
        self,
        elements: Elements,
        index: usize,
        path: &str,
        mutably: bool,
    ) -> Result<ErasedField<'a>, FieldError> {
        let at = self.at.ok_or_else(|| FieldError::Packed { path: path.into() })?;
        // SAFETY: the value is of the type that has the elements, and is borrowed for `'a`: mutably if `mutably`.
        let (first, len) = unsafe { elements.of_value(at, mutably) };
        if index >= len {
            return Err(match elements.is_option {
                true => FieldError::IsNone { path: path.into() },
                false => FieldError::OutOfBounds { list: path.into(), index, len },
            });
        }
        let field = (elements.element)();
        // The elements of a list are adjacent, so the distance between two of them is their size.
        let at = first.map_addr(|address| address.saturating_add(index * field.layout().size()));
        Ok(ErasedField { field, at: Some(at), marker: PhantomData })
    }
}

/// A field of a borrowed value, returned by [`ErasedRef::field`].
///
/// ```
/// use strata_ecs::component::{Describe, ErasedValue};
/// use strata_ecs::prelude::*;
///
/// #[derive(Describe)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
/// #[derive(Component)]
/// struct Body {
///     place: Point,
///     name: Option<String>,
/// }
///
/// let body = ErasedValue::of(Body { place: Point { x: 1.0, y: 2.0 }, name: None });
/// let place = body.as_ref().field("place").unwrap();
/// assert_eq!(place.field("y").unwrap().get::<f32>(), Some(&2.0));
/// assert_eq!(body.as_ref().field("name").unwrap().get::<Option<String>>(), Some(&None));
/// ```
#[derive(Clone, Copy)]
pub struct ErasedField<'a> {
    field: &'static Field,
    /// The address of the field's value; `None` for a field of a packed struct, and for a field inside of such a field.
    at: Option<NonNull<u8>>,
    marker: PhantomData<&'a ()>,
}

// SAFETY: it gives shared access to a field of a value that is `Sync`. A field that is not `Sync` itself is not of a type of plain data, so
// it cannot be read.
unsafe impl Send for ErasedField<'_> {}
// SAFETY: shared access gives shared access only to plain data, which is `Sync`.
unsafe impl Sync for ErasedField<'_> {}

impl<'a> ErasedField<'a> {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.field.name()
    }

    /// Returns the description of the field.
    #[must_use]
    pub fn description(self) -> &'static Field {
        self.field
    }

    /// Returns the value if its type is `T`. `None` for a field of a packed struct, which may be less aligned than its type.
    #[must_use]
    pub fn get<T: PlainData>(self) -> Option<&'a T> {
        if self.field.type_id() != Some(TypeId::of::<T>()) {
            return None;
        }
        // SAFETY: the field is of this type (checked above), and its value is borrowed for 'a.
        self.at.map(|at| unsafe { at.cast().as_ref() })
    }

    /// Returns the field of this field's value with this name, or at this [path](ErasedRef::try_field); `None` if it does not exist.
    #[must_use]
    pub fn field(self, path: &str) -> Option<Self> {
        self.try_field(path).ok()
    }

    /// Returns the field of this field's value at a path: see [`ErasedRef::try_field`]. If the value is a list, paths such as `[2]` lead to
    /// its elements.
    ///
    /// # Errors
    ///
    /// Same as [`ErasedRef::try_field`].
    pub fn try_field(self, path: &str) -> Result<Self, FieldError> {
        PathValue::field(self).walk(path, false)
    }

    /// Returns the fields of this field's value; empty if the type of the value does not describe itself.
    pub fn fields(self) -> impl ExactSizeIterator<Item = Self> {
        PathValue::field(self).into_fields()
    }
}

impl_debug! {
    /// Shows a value of the usual types of plain data, otherwise the fields of the value, and `..` if there are no known fields.
    [] ErasedField<'_> => |this, f| {
        macro_rules! if_plain {
            ($($Type:ty)*) => { $(
                if let Some(value) = this.get::<$Type>() {
                    return value.fmt(f);
                }
            )* };
        }
        if_plain! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char String Entity }
        match this.fields().len() {
            0 => f.write_str(".."),
            _ => debug_fields(this.field.type_name(), this.fields(), f),
        }
    }
}

/// Types that are only data: numbers, `bool`, `char`, `String`, `&'static str`, `Entity`, and options, vectors, boxes and arrays of these.
/// Reading a value of such a type through a private field cannot break an invariant of the field's owner.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Name {
///     text: String,
///     length: usize,
/// }
///
/// let mut world = World::new();
/// let hero = world.spawn(Name { text: "Ada".into(), length: 3 }).id();
/// let name = world.component_id::<Name>().unwrap();
/// let value = world.get_by_id(hero, name).unwrap();
/// assert_eq!(value.field("text").unwrap().get::<String>().unwrap(), "Ada");
/// assert_eq!(value.field("length").unwrap().get::<usize>().unwrap(), &3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read through a field: it is not one of the types of plain data",
    label = "not plain data",
    note = "read the fields of the value by name until they are numbers, texts, entities, or options and lists of these"
)]
pub trait PlainData: Sealed + 'static {}

pub trait Sealed {}

macro_rules! plain_data {
    ($([$($generics:tt)*] $Type:ty,)*) => { $(
        impl<$($generics)*> Sealed for $Type {}
        impl<$($generics)*> PlainData for $Type {}
    )* };
}

plain_data! {
    [] u8, [] u16, [] u32, [] u64, [] u128, [] usize, [] i8, [] i16, [] i32, [] i64, [] i128, [] isize, [] f32, [] f64,
    [] bool, [] char, [] String, [] &'static str, [] Entity, [] (),
    [T: PlainData] Option<T>, [T: PlainData] Vec<T>, [T: PlainData] Box<T>, [T: PlainData, const N: usize] [T; N],
}

/// A mutably borrowed value of a component, without its type and without ticks.
pub(crate) struct ErasedRefMut<'a> {
    // `ErasedRef` is `Send` as a shared reference, which needs only `Sync` values. A mutable reference needs `Send` values, and values of
    // components are `Send`.
    value: ErasedRef<'a>,
    marker: PhantomData<&'a mut ()>,
}

impl<'a> ErasedRefMut<'a> {
    /// # Safety
    ///
    /// - The address holds a value of this component, which is valid for `'a`, and which no other code accesses for `'a`.
    pub(crate) unsafe fn new(descriptor: &'static ComponentDescriptor, value: NonNull<u8>) -> Self {
        Self { value: ErasedRef { descriptor, value, marker: PhantomData }, marker: PhantomData }
    }

    /// Borrows a value as a value of the given component, resource or relation.
    ///
    /// # Panics
    ///
    /// If the values of the component are of another type.
    pub(crate) fn of<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, value: &'a mut T) -> Self {
        assert!(descriptor.describes::<T>(), "the value is of another type");
        let value = NonNull::from(value).cast();
        Self { value: ErasedRef { descriptor, value, marker: PhantomData }, marker: PhantomData }
    }

    /// Borrows the value for reading.
    pub(crate) fn as_ref(&self) -> ErasedRef<'_> {
        self.value
    }

    /// Borrows the value again, with a shorter lifetime.
    pub(crate) fn reborrow(&mut self) -> ErasedRefMut<'_> {
        ErasedRefMut { marker: PhantomData, ..*self }
    }

    /// Returns the descriptor of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.value.descriptor
    }

    /// Returns the address of the value.
    pub(crate) fn as_ptr(&self) -> NonNull<u8> {
        self.value.value
    }

    /// Replaces the value at a path and returns the old one.
    pub(crate) fn replace_field<T: 'static>(&mut self, path: &str, value: T) -> Result<T, FieldError> {
        let ErasedField { field, at, .. } = PathValue::value(self.value).walk(path, true)?;
        if field.type_id() != Some(TypeId::of::<T>()) {
            let (path, expected, found) = (path.into(), field.type_name(), type_name::<T>());
            return Err(FieldError::WrongType { path, expected, found });
        }
        let at = at.ok_or_else(|| FieldError::Packed { path: path.into() })?;
        // SAFETY: the field is of this type (checked above), and its value is borrowed mutably.
        Ok(mem::replace(unsafe { at.cast::<T>().as_mut() }, value))
    }

    /// Replaces the entities inside of the value. Returns false if the type of the value declares no entities.
    pub(crate) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) -> bool {
        let Some(map) = self.value.descriptor.functions.map_entities_fn() else { return false };
        // SAFETY: the value belongs to the component that the function was made for, and is borrowed mutably.
        unsafe { map(self.value.value.as_ptr(), mapper) };
        true
    }
}
