//! The functions for values of a component or resource, as type-erased function pointers.
//!
//! Tests: tests/storage/descriptors/functions.rs

use core::alloc::Layout;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::mem::{needs_drop, transmute};
use core::ptr;

use crate::entity::EntityMapper;

/// Drops adjacent values; the arguments are the address of the first value and the number of values. If the drop of one value panics, the
/// remaining values are still dropped. If another drop then panics, the process aborts.
///
/// # Safety
///
/// - The address holds this number of values of the type that the function was made for. The values are not used afterwards.
pub type DropFn = unsafe fn(*mut u8, usize);

/// Clones the value at the first address to the second address.
///
/// # Safety
///
/// - The first address holds a value of the type that the function was made for, and no other code changes it.
/// - The second address is valid for a value of this type, and uninitialized. If `Clone` panics, it is uninitialized afterwards.
pub type CloneFn = unsafe fn(*const u8, *mut u8);

/// Writes the default value to an address.
///
/// # Safety
///
/// - The address is valid for a value of the type that the function was made for, and uninitialized. If `Default` panics it is
///   uninitialized afterwards.
pub type DefaultFn = unsafe fn(*mut u8);

/// Returns whether two values are equal.
///
/// # Safety
///
/// - Both addresses hold values of the type that the function was made for, and no other code changes them.
pub type EqFn = unsafe fn(*const u8, *const u8) -> bool;

/// Adds a value to a hash.
///
/// # Safety
///
/// - The address holds a value of the type that the function was made for, and no other code changes it.
pub type HashFn = unsafe fn(*const u8, &mut dyn Hasher);

/// Writes the `Debug` output of a value.
///
/// # Safety
///
/// - The address holds a value of the type that the function was made for, and no other code changes it.
pub type DebugFn = unsafe fn(*const u8, &mut fmt::Formatter<'_>) -> fmt::Result;

/// Writes a value as text; returns `None` if its type has no text form. The safety conditions are those of [`DebugFn`].
pub(crate) type WriteTextFn = unsafe fn(*const u8) -> Option<alloc::string::String>;

/// Replaces the entities inside of a value.
///
/// # Safety
///
/// - The address holds a value of the type that the function was made for, and no other code uses it.
pub type MapEntitiesFn = unsafe fn(*mut u8, &mut dyn EntityMapper);

/// The functions for values of a component or resource. A function exists if the type is known to implement the trait that it requires.
///
/// The derives find the functions: nothing has to be registered. For a type with parameters only the bounds of its definition count:
/// `struct Slots<T: Clone>(T)` with `#[derive(Clone)]` can be cloned, but without the bound `Clone` in the definition it cannot be cloned,
/// even if `T` is a type that is `Clone`. All functions are `unsafe` to call, since the type of the values is not checked.
///
/// ```
/// use strata_ecs::component::ComponentDescriptor;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Clone, PartialEq)]
/// struct Health(u32);
///
/// let functions = ComponentDescriptor::of::<Health>().functions();
/// assert!(functions.clone_fn().is_some() && functions.eq_fn().is_some());
/// assert!(functions.default_fn().is_none() && functions.debug_fn().is_none());
/// ```
#[derive(Clone, Copy)]
pub struct ComponentFunctions {
    pub(super) drop: Option<DropFn>,
    pub(super) clone: Option<CloneFn>,
    /// Whether values are `Copy`.
    pub(super) copy: bool,
    pub(super) forbids_clone: bool,
    /// Whether values are cloned only together with the whole world.
    pub(super) only_in_copies: bool,
    pub(super) default: Option<DefaultFn>,
    pub(super) eq: Option<EqFn>,
    pub(super) hash: Option<HashFn>,
    /// Whether values are plain bytes: they have no padding, and no bytes that can be changed through a shared reference.
    pub(super) plain: bool,
    /// Whether any bytes are a valid value. Implies `plain`.
    pub(super) any_bytes: bool,
    pub(super) debug: Option<DebugFn>,
    pub(super) map_entities: Option<MapEntitiesFn>,
}

/// The method by which several values of a type are copied.
#[derive(Clone, Copy)]
pub(crate) enum CopyMethod {
    /// Copies the bytes, since the type is `Copy`.
    Bytes,
    /// Calls the function for each value.
    Clone(CloneFn),
}

/// Casts a function of references to a function of addresses. The two signatures differ only in this: where `$To` has `*const u8` or `*mut
/// u8`, `$From` has `&T` or `&mut T` for a sized type.
macro_rules! erased {
    ($function:ident: $From:ty, $To:ty) => {
        // SAFETY: the types are ABI-compatible: see "ABI compatibility" in the documentation of `fn` pointers. The addresses satisfy the
        // requirements of references, for their lifetime, by the safety conditions of `$To`.
        unsafe { transmute::<$From, $To>($function) }
    };
}

/// Writes methods that return a function; `None` if the function does not exist.
macro_rules! getters {
    ($($(#[$doc:meta])* fn $name:ident() -> $field:ident: $Function:ty;)*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(&self) -> Option<$Function> {
            self.$field
        }
    )* };
}

/// Writes methods that set a function.
macro_rules! setters {
    ($($(#[$doc:meta])* fn $name:ident($field:ident: $Function:ty);)*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $field: $Function) -> Self {
            self.functions.$field = Some($field);
            self
        }
    )* };
}

/// Constructors of a [`ComponentFunctions`] for values of type `T`. Each of them adds one function.
impl ComponentFunctions {
    pub(super) const fn none() -> Self {
        Self {
            drop: None,
            clone: None,
            copy: false,
            forbids_clone: false,
            only_in_copies: false,
            default: None,
            eq: None,
            hash: None,
            plain: false,
            any_bytes: false,
            debug: None,
            map_entities: None,
        }
    }

    /// Returns whether both have the same functions. If `of_one_type` is true, both are for values of the same type: then two functions
    /// that exist count as equal. The exception is the function that maps entities, because the user chooses it.
    pub(super) fn agree(&self, other: &Self, of_one_type: bool) -> bool {
        /// Returns whether neither function exists, or both exist and are the same function. If `$any` is true, two functions that exist
        /// count as the same.
        macro_rules! same {
            ($field:ident, $any:expr) => {
                match (self.$field, other.$field) {
                    (Some(own), Some(other)) => $any || ptr::fn_addr_eq(own, other),
                    (own, other) => own.is_none() && other.is_none(),
                }
            };
        }
        same!(drop, of_one_type)
            && same!(clone, of_one_type)
            && self.copy == other.copy
            && self.only_in_copies == other.only_in_copies
            && same!(default, of_one_type)
            && same!(eq, of_one_type)
            && same!(hash, of_one_type)
            && self.plain == other.plain
            && self.any_bytes == other.any_bytes
            && same!(debug, of_one_type)
            && same!(map_entities, false)
    }

    /// Adds the function that drops values of `T`, if they need to be dropped.
    pub(super) const fn with_drop<T>(self) -> Self {
        Self { drop: if const { needs_drop::<T>() } { Some(drop_values::<T>) } else { None }, ..self }
    }

    pub(super) const fn with_clone<T: Clone>(self) -> Self {
        Self { clone: Some(clone_value::<T>), ..self }
    }

    pub(super) const fn with_copy<T: Copy>(self) -> Self {
        Self { clone: Some(clone_value::<T>), copy: true, ..self }
    }

    pub(super) const fn without_clone(self) -> Self {
        Self { clone: None, copy: false, forbids_clone: true, ..self }
    }

    /// Declares that values are cloned only together with the whole world.
    pub(super) const fn with_clone_only_in_copies(self) -> Self {
        Self { only_in_copies: true, ..self }
    }

    /// Returns the method by which several values are copied at once; `None` if values cannot be copied.
    pub(crate) const fn copying(&self) -> Option<CopyMethod> {
        match self.clone {
            Some(_) if self.copy => Some(CopyMethod::Bytes),
            Some(clone) => Some(CopyMethod::Clone(clone)),
            None => None,
        }
    }

    pub(super) const fn with_default<T: Default>(self) -> Self {
        Self { default: Some(default_value::<T>), ..self }
    }

    pub(super) const fn with_eq<T: PartialEq>(self) -> Self {
        let eq: fn(&T, &T) -> bool = T::eq;
        Self { eq: Some(erased!(eq: fn(&T, &T) -> bool, EqFn)), ..self }
    }

    pub(super) const fn with_hash<T: Hash>(self) -> Self {
        Self { hash: Some(hash_value::<T>), ..self }
    }

    pub(super) const fn with_debug<T: fmt::Debug>(self) -> Self {
        let debug: fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result = T::fmt;
        Self { debug: Some(erased!(debug: fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result, DebugFn)), ..self }
    }

    pub(super) const fn with_map_entities<T>(self, map: fn(&mut T, &mut dyn EntityMapper)) -> Self {
        Self { map_entities: Some(erased!(map: fn(&mut T, &mut dyn EntityMapper), MapEntitiesFn)), ..self }
    }

    /// Returns the function that clones a value; `None` if the type is not known to be `Clone`, or if its values must not be cloned.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Name(String);
    ///
    /// let clone = ComponentDescriptor::of::<Name>().functions().clone_fn().unwrap();
    /// let (name, mut copy) = (Name("ann".into()), MaybeUninit::<Name>::uninit());
    /// // SAFETY: there is a value of the type, and room for one.
    /// unsafe { clone((&raw const name).cast(), copy.as_mut_ptr().cast()) };
    /// // SAFETY: it has just been written.
    /// assert_eq!(unsafe { copy.assume_init() }.0, name.0);
    /// ```
    #[must_use]
    pub const fn clone_fn(&self) -> Option<CloneFn> {
        if self.only_in_copies { None } else { self.clone }
    }

    /// Returns whether the type is known to be `Copy` and its values may be cloned. If so, a copy of the bytes of a value is a clone of the
    /// value.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Copy)]
    /// struct Health(u32);
    /// #[derive(Component, Clone)]
    /// struct Name(String);
    ///
    /// assert!(ComponentDescriptor::of::<Health>().functions().is_copy());
    /// assert!(!ComponentDescriptor::of::<Name>().functions().is_copy());
    /// ```
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        self.copy && self.clone_fn().is_some()
    }

    /// Returns whether values are known to be plain bytes: numbers, `bool`, `char`, [`Entity`](crate::entity::Entity), arrays of these, and
    /// structs of these without padding. The fields of a struct are known if it is a component or [describes
    /// itself](derive@crate::component::Describe). Plain values with equal bytes are equal.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position([f32; 3]);
    /// #[derive(Component)]
    /// struct Padded(u8, u32);
    /// #[derive(Component)]
    /// struct Name(String);
    ///
    /// assert!(ComponentDescriptor::of::<Position>().functions().is_plain());
    /// assert!(!ComponentDescriptor::of::<Padded>().functions().is_plain());
    /// assert!(!ComponentDescriptor::of::<Name>().functions().is_plain());
    /// ```
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns whether any bytes of the size of a value are a valid value. This holds if the type has the option `plain`, as in
    /// `#[component(plain)]`.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(plain)]
    /// #[repr(C)]
    /// struct Position([f32; 3]);
    /// #[derive(Component)]
    /// struct Percent(u8);
    ///
    /// assert!(ComponentDescriptor::of::<Position>().functions().take_any_bytes());
    /// assert!(!ComponentDescriptor::of::<Percent>().functions().take_any_bytes());
    /// ```
    #[must_use]
    pub const fn take_any_bytes(&self) -> bool {
        self.any_bytes
    }

    getters! {
        /// Returns the function that drops values; `None` if values need not be dropped.
        ///
        /// ```
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component)]
        /// struct Name(String);
        ///
        /// let drop = ComponentDescriptor::of::<Name>().functions().drop_fn().unwrap();
        /// let mut name = std::mem::ManuallyDrop::new(Name("ann".into()));
        /// // SAFETY: there is one value of the type, which is not used any more.
        /// unsafe { drop((&raw mut name).cast(), 1) };
        /// ```
        fn drop_fn() -> drop: DropFn;

        /// Returns the function that makes the default value; `None` if the type is not known to be `Default`.
        ///
        /// ```
        /// use std::mem::MaybeUninit;
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component, Default)]
        /// struct Health(u32);
        ///
        /// let default = ComponentDescriptor::of::<Health>().functions().default_fn().unwrap();
        /// let mut health = MaybeUninit::<Health>::uninit();
        /// // SAFETY: there is room for a value of the type.
        /// unsafe { default(health.as_mut_ptr().cast()) };
        /// // SAFETY: it has just been written.
        /// assert_eq!(unsafe { health.assume_init() }.0, 0);
        /// ```
        fn default_fn() -> default: DefaultFn;

        /// Returns the function that compares two values; `None` if the type is not known to be `PartialEq`.
        ///
        /// ```
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component, PartialEq)]
        /// struct Health(u32);
        ///
        /// let eq = ComponentDescriptor::of::<Health>().functions().eq_fn().unwrap();
        /// let [a, b] = [Health(1), Health(2)];
        /// // SAFETY: both are values of the type.
        /// assert!(!unsafe { eq((&raw const a).cast(), (&raw const b).cast()) });
        /// ```
        fn eq_fn() -> eq: EqFn;

        /// Returns the function that adds a value to a hash; `None` if the type is not known to be `Hash`.
        ///
        /// ```
        /// use std::hash::{BuildHasher, RandomState};
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component, Hash)]
        /// struct Name(String);
        ///
        /// let hash = ComponentDescriptor::of::<Name>().functions().hash_fn().unwrap();
        /// let (name, state) = (Name("ann".into()), RandomState::new());
        /// let mut hasher = state.build_hasher();
        /// // SAFETY: it is a value of the type.
        /// unsafe { hash((&raw const name).cast(), &mut hasher) };
        /// assert_eq!(std::hash::Hasher::finish(&hasher), state.hash_one(&name));
        /// ```
        fn hash_fn() -> hash: HashFn;

        /// Returns the function that writes a value as text; `None` if the type is not known to be `Debug`.
        ///
        /// ```
        /// use std::fmt;
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component, Debug)]
        /// struct Health(u32);
        ///
        /// let debug = ComponentDescriptor::of::<Health>().functions().debug_fn().unwrap();
        /// let health = Health(3);
        /// // SAFETY: it is a value of the type.
        /// let text = fmt::from_fn(|f| unsafe { debug((&raw const health).cast(), f) }).to_string();
        /// assert_eq!(text, "Health(3)");
        /// ```
        fn debug_fn() -> debug: DebugFn;

        /// Returns the function that replaces the entities inside of a value; `None` if the type declares no entities. See
        /// [`MapEntities`](trait@crate::entity::MapEntities).
        ///
        /// ```
        /// use strata_ecs::component::ComponentDescriptor;
        /// use strata_ecs::prelude::*;
        ///
        /// #[derive(Component)]
        /// struct Target(Entity);
        ///
        /// let mut world = World::new();
        /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
        /// let mut target = Target(a);
        /// let map = ComponentDescriptor::of::<Target>().functions().map_entities_fn().unwrap();
        /// // SAFETY: it is a value of the type.
        /// unsafe { map((&raw mut target).cast(), &mut (a, b)) };
        /// assert_eq!(target.0, b);
        /// ```
        fn map_entities_fn() -> map_entities: MapEntitiesFn;
    }
}

impl_debug!([] ComponentFunctions => |this, f| {
    let all = [
        ("drop", this.drop.is_some()),
        ("clone", this.clone_fn().is_some()),
        ("default", this.default.is_some()),
        ("eq", this.eq.is_some()),
        ("hash", this.hash.is_some()),
        ("debug", this.debug.is_some()),
        ("map_entities", this.map_entities.is_some()),
    ];
    f.debug_list().entries(all.iter().filter(|(_, is_known)| *is_known).map(|(name, _)| name)).finish()
});

/// The layout of values whose type the program does not know, such as values of a script, and the functions for these values.
///
/// [`ComponentDescriptor::builder_of_layout`](super::ComponentDescriptor::builder_of_layout) starts the descriptor of a component with such
/// values.
///
/// ```
/// use std::alloc::Layout;
/// use strata_ecs::component::{ComponentDescriptor, LayoutDescription};
///
/// // SAFETY: no function is added, and values are 8 bytes of any kind.
/// let description = unsafe { LayoutDescription::new(Layout::new::<[u32; 2]>()) };
/// let handle = ComponentDescriptor::builder_of_layout("script:handle", description).build();
/// assert_eq!((handle.layout().size(), handle.value_type_id()), (8, None));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LayoutDescription {
    pub(super) layout: Layout,
    pub(super) functions: ComponentFunctions,
}

/// Each of these methods adds one function. The caller of [`LayoutDescription::new`] ensures that the function fits the values.
impl LayoutDescription {
    /// Returns a description with a layout and no functions: values are not dropped.
    ///
    /// # Safety
    ///
    /// - Values of this layout can be moved by copying their bytes, may be sent to other threads, and may be shared between threads.
    /// - All functions that are added are for values of this layout, and do what their types document.
    ///
    /// # Panics
    ///
    /// If the size is not a multiple of the alignment. It must be a multiple because values are stored adjacently.
    #[must_use]
    pub const unsafe fn new(layout: Layout) -> Self {
        assert!(layout.size().is_multiple_of(layout.align()), "the size of a value is not a multiple of its alignment");
        Self { layout, functions: ComponentFunctions::none() }
    }

    setters! {
        /// Adds the function that drops values.
        fn with_drop(drop: DropFn);

        /// Adds the function that clones a value.
        fn with_clone(clone: CloneFn);

        /// Adds the function that makes the default value.
        fn with_default(default: DefaultFn);

        /// Adds the function that compares two values.
        fn with_eq(eq: EqFn);

        /// Adds the function that adds a value to a hash.
        fn with_hash(hash: HashFn);

        /// Adds the function that writes a value as text.
        fn with_debug(debug: DebugFn);

        /// Adds the function that replaces the entities inside of a value.
        fn with_map_entities(map_entities: MapEntitiesFn);
    }
}

/// # Safety
///
/// - Same as [`DropFn`], made for `T`.
unsafe fn drop_values<T>(values: *mut u8, count: usize) {
    // SAFETY: `values` points to `count` valid values of `T` that are not used again (ensured by the caller).
    unsafe { ptr::drop_in_place(ptr::slice_from_raw_parts_mut(values.cast::<T>(), count)) }
}

/// # Safety
///
/// - Same as [`CloneFn`], made for `T`.
unsafe fn clone_value<T: Clone>(from: *const u8, to: *mut u8) {
    // SAFETY: `from` holds a value that no other code changes, and `to` is valid for one (both ensured by the caller).
    unsafe { to.cast::<T>().write((*from.cast::<T>()).clone()) }
}

/// # Safety
///
/// - Same as [`HashFn`], made for `T`.
unsafe fn hash_value<T: Hash>(value: *const u8, mut hasher: &mut dyn Hasher) {
    // SAFETY: `value` holds a value that no other code changes (ensured by the caller).
    unsafe { (*value.cast::<T>()).hash(&mut hasher) }
}

/// # Safety
///
/// - Same as [`DefaultFn`], made for `T`.
unsafe fn default_value<T: Default>(to: *mut u8) {
    // SAFETY: `to` is valid for a value (ensured by the caller).
    unsafe { to.cast::<T>().write(T::default()) }
}
