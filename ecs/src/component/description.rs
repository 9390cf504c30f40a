//! Properties of a type beyond its layout, from its definition.
//!
//! Tests: tests/storage/descriptors/functions.rs, tests/storage/erased/layouts.rs

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use super::field::{FieldOf, Fields, fields as fields_of, plain_fields};
use super::functions::{CloneFn, ComponentFunctions, DebugFn, DefaultFn, EqFn, HashFn};
use super::name::StableName;
use super::relation::RelationSide;
use crate::entity::{EntityMapper, FieldMapping, MapEntities, Mapping};

/// The properties of a component or resource `T` that its definition passes to its
/// [`ComponentDescriptor`](crate::component::ComponentDescriptor). The derives write it; a hand-written
/// [`Component`](trait@crate::component::Component) may leave out any of them.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, ComponentKey, Description, Mutable, StorageType};
/// use strata_ecs::prelude::*;
///
/// #[derive(Clone)]
/// struct Health(u32);
///
/// impl Component for Health {
///     type Mutability = Mutable;
///     const STORAGE_TYPE: StorageType = StorageType::Table;
///     const KEY: ComponentKey = ComponentKey::new(None, None, module_path!(), "Health", line!(), column!());
///     const DESCRIPTION: Description<Self> = Description::new().with_name("health").with_clone();
/// }
///
/// let descriptor = ComponentDescriptor::of::<Health>();
/// assert_eq!(descriptor.stable_name().unwrap(), *"health");
/// assert!(descriptor.functions().clone_fn().is_some());
/// ```
pub struct Description<T> {
    pub(super) name: Option<StableName>,
    /// All are functions for `T`.
    pub(super) functions: ComponentFunctions,
    pub(super) fields: Fields<T>,
    /// Which side of which relationship the component is, if it is one.
    pub(super) relation: Option<RelationSide>,
    pub(super) saving: SavedForm,
    /// Invariant in `T`: the description of a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> T>,
}

/// How values are saved.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavedForm {
    pub(super) version: u32,
    /// Earlier stable names of the type.
    pub(super) aliases: &'static [&'static str],
    pub(super) is_skipped: bool,
}

impl SavedForm {
    /// Version 1, without earlier names.
    pub(super) const USUAL: Self = Self { version: 1, aliases: &[], is_skipped: false };
}

impl_copy! { [T] Description<T>; }

impl<T> Description<T> {
    /// An empty description.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "descriptions are constants; a default would not be one")]
    pub const fn new() -> Self {
        Self {
            name: None,
            functions: ComponentFunctions::none(),
            fields: Fields::NONE,
            relation: None,
            saving: SavedForm::USUAL,
            marker: PhantomData,
        }
    }

    /// The stable name of the type, for files. See [`StableName`].
    #[must_use]
    pub const fn with_name(self, name: &'static str) -> Self {
        Self { name: Some(StableName::given(name)), ..self }
    }

    /// The version of the values in files. The default is 1.
    #[must_use]
    pub const fn with_version(self, version: u32) -> Self {
        Self { saving: SavedForm { version, ..self.saving }, ..self }
    }

    /// Earlier stable names of the type: files with these are read, too. For a type with parameters, give them without the parameters,
    /// which are added.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { saving: SavedForm { aliases, ..self.saving }, ..self }
    }

    /// Values are not saved, unless a format lists the type.
    #[must_use]
    pub const fn without_saving(self) -> Self {
        Self { saving: SavedForm { is_skipped: true, ..self.saving }, ..self }
    }

    /// Values can be cloned with their entity.
    #[must_use]
    pub const fn with_clone(self) -> Self
    where
        T: Clone,
    {
        Self { functions: self.functions.with_clone::<T>(), ..self }
    }

    /// Values can be cloned with their entity, and a copy of their bytes is a clone: see
    /// [`ComponentFunctions::is_copy`](crate::component::ComponentFunctions::is_copy).
    #[must_use]
    pub const fn with_copy(self) -> Self
    where
        T: Copy,
    {
        Self { functions: self.functions.with_copy::<T>(), ..self }
    }

    /// Values are cloned by a function.
    ///
    /// # Safety
    ///
    /// - The function is for `T`.
    pub(crate) const unsafe fn with_clone_by(self, clone: CloneFn) -> Self {
        Self { functions: ComponentFunctions { clone: Some(clone), ..self.functions }, ..self }
    }

    /// Values are not cloned with their entity, only with the whole world.
    pub(crate) const fn with_clone_only_in_copies(self) -> Self {
        Self { functions: self.functions.with_clone_only_in_copies(), ..self }
    }

    /// The functions that are described.
    pub(crate) const fn functions(&self) -> &ComponentFunctions {
        &self.functions
    }

    /// Values are not cloned with their entity.
    #[must_use]
    pub const fn without_clone(self) -> Self {
        Self { functions: self.functions.without_clone(), ..self }
    }

    /// A value can be made from nothing.
    #[must_use]
    pub const fn with_default(self) -> Self
    where
        T: Default,
    {
        Self { functions: self.functions.with_default::<T>(), ..self }
    }

    /// Values can be compared.
    #[must_use]
    pub const fn with_eq(self) -> Self
    where
        T: PartialEq,
    {
        Self { functions: self.functions.with_eq::<T>(), ..self }
    }

    /// Values can be hashed.
    #[must_use]
    pub const fn with_hash(self) -> Self
    where
        T: Hash,
    {
        Self { functions: self.functions.with_hash::<T>(), ..self }
    }

    /// Values are hashed by a function.
    ///
    /// # Safety
    ///
    /// - The function is for `T`.
    pub(crate) const unsafe fn with_hash_by(self, hash: HashFn) -> Self {
        Self { functions: ComponentFunctions { hash: Some(hash), ..self.functions }, ..self }
    }

    /// Values can be written as text.
    #[must_use]
    pub const fn with_debug(self) -> Self
    where
        T: fmt::Debug,
    {
        Self { functions: self.functions.with_debug::<T>(), ..self }
    }

    /// The entities inside of values can be replaced, by the function of the type.
    #[must_use]
    pub const fn with_map_entities(self) -> Self
    where
        T: MapEntities,
    {
        self.with_map_entities_by(|value, mut mapper| value.map_entities(&mut mapper))
    }

    /// The entities inside of values can be replaced by this function.
    #[must_use]
    pub const fn with_map_entities_by(self, map: fn(&mut T, &mut dyn EntityMapper)) -> Self {
        let (functions, fields) = (self.functions.with_map_entities(map), self.fields.with_entities(true));
        Self { functions, fields, ..self }
    }

    /// Replaces the entities inside of a value, if there is a function for it.
    pub(super) fn map_entities(&self, value: &mut T, mapper: &mut dyn EntityMapper) {
        if let Some(map) = self.functions.map_entities {
            // SAFETY: the functions of a `Description<T>` are for `T`; `value` is a `T` that is borrowed mutably.
            unsafe { map((&raw mut *value).cast(), mapper) }
        }
    }

    /// The fields of the type, which only its derives know. They determine whether values are
    /// [plain bytes](ComponentFunctions::is_plain).
    #[must_use]
    pub const fn with_fields(self, fields: Fields<T>) -> Self {
        let (plain, any_bytes) = (fields.are_plain(), fields.take_any_bytes());
        let functions = ComponentFunctions { plain, any_bytes, ..self.functions };
        Self { functions, fields, ..self }
    }

    /// Whether the component names the target of a relationship.
    pub(crate) const fn names_target(&self) -> bool {
        match &self.relation {
            Some(side) => side.names_target(),
            None => false,
        }
    }

    /// The component is a side of a relationship. Values that list sources are not cloned with their entity: the sources stay linked to the
    /// original.
    pub(crate) const fn with_relation(self, relation: RelationSide) -> Self {
        Self { relation: Some(relation), ..self }
    }

    /// The entities inside of values are mapped by this function, if a field contains some, and unless the type has its own function.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_mapped_fields(self, fields: &[FieldMapping], map: fn(&mut T, &mut dyn EntityMapper)) -> Self {
        if self.functions.map_entities.is_some() {
            return self;
        }
        let (mut at, mut any_holds) = (0, false);
        while at < fields.len() {
            any_holds |= fields[at].holds_entities();
            at += 1;
        }
        if any_holds { self.with_map_entities_by(map) } else { self }
    }

    /// The stable name.
    #[doc(hidden)]
    #[must_use]
    pub const fn name(&self) -> Option<StableName> {
        self.name
    }
}

/// A function for `T`, if it was found.
pub struct FoundFunction<T, F> {
    pub(super) function: Option<F>,
    /// Invariant in `T`: a function for a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> T>,
}

/// Whether a type is known to implement a trait that has no functions of its own.
#[derive(Debug)]
pub struct Marked<T> {
    is_marked: bool,
    marker: PhantomData<fn(&T) -> T>,
}

impl<T> Marked<T> {
    pub(super) const NO: Self = Self { is_marked: false, marker: PhantomData };

    /// The type is `Copy`.
    pub(super) const fn copy() -> Self
    where
        T: Copy,
    {
        Self { is_marked: true, marker: PhantomData }
    }
}

impl<T, F> FoundFunction<T, F> {
    /// No function.
    pub(super) const NONE: Self = Self::new(None);

    /// Whether one was found.
    #[must_use]
    pub const fn is_found(&self) -> bool {
        self.function.is_some()
    }

    /// The function is for `T`.
    pub(super) const fn new(function: Option<F>) -> Self {
        Self { function, marker: PhantomData }
    }
}

/// The function that the derives call for a type: one call, since each call of a generic function costs compile time.
#[must_use]
pub const fn describe<T>(
    name: Option<StableName>,
    (clone, copy): (FoundFunction<T, CloneFn>, Marked<T>),
    default: FoundFunction<T, DefaultFn>,
    (eq, hash): (FoundFunction<T, EqFn>, FoundFunction<T, HashFn>),
    debug: FoundFunction<T, DebugFn>,
    map_entities: Mapping<T>,
    fields: &'static [FieldOf<T>],
) -> Description<T> {
    let fields = fields_of(fields);
    let described = Description {
        name,
        functions: ComponentFunctions {
            clone: clone.function,
            copy: copy.is_marked,
            default: default.function,
            eq: eq.function,
            hash: hash.function,
            plain: fields.are_plain(),
            debug: debug.function,
            ..ComponentFunctions::none()
        },
        fields,
        relation: None,
        saving: SavedForm::USUAL,
        marker: PhantomData,
    };
    match map_entities {
        Mapping::By(map) => described.with_map_entities_by(map),
        Mapping::Unknown | Mapping::Empty => described,
    }
}

/// Like [`describe`], for a type with the option `plain`: see [`plain_fields`].
#[must_use]
#[track_caller]
pub const fn describe_plain<T>(description: Description<T>) -> Description<T> {
    description.with_fields(plain_fields(description.fields))
}

/// Like [`describe`], for a type with the option `serialize`.
#[must_use]
pub const fn describe_serializable<T: Serializable>(description: Description<T>) -> Description<T> {
    description
}

/// The bounds of the option `serialize` of the derives.
#[cfg(feature = "serde")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the option `serialize`, and does not implement `Serialize` and `DeserializeOwned`",
    label = "cannot be serialized and deserialized",
    note = "add `#[derive(Serialize, Deserialize)]` to it; its type parameters have to implement both, too"
)]
pub trait Serializable: serde_core::Serialize + serde_core::de::DeserializeOwned {}
#[cfg(feature = "serde")]
impl<T: serde_core::Serialize + serde_core::de::DeserializeOwned> Serializable for T {}
/// The bounds of the option `serialize` of the derives.
#[cfg(not(feature = "serde"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the option `serialize`, and does not implement `Serialize` and `DeserializeOwned`",
    label = "cannot be serialized and deserialized",
    note = "the option `serialize` needs the feature `serde` of `strata-ecs`"
)]
pub trait Serializable {}

impl_debug!([T] Description<T> => |this, f| {
    let mut shown = f.debug_struct("Description");
    shown.field("name", &this.name).field("functions", &this.functions).field("fields", &this.fields).finish()
});
