//! The properties of a type, other than its layout, that its definition states.
//!
//! Tests: tests/storage/descriptors/functions.rs, tests/storage/erased/layouts.rs

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use super::cells::Cells;
use super::field::{FieldOf, Fields, fields as fields_of, plain_fields};
use super::functions::{CloneFn, ComponentFunctions, DebugFn, DefaultFn, EqFn, HashFn};
use super::name::StableName;
use super::relation::RelationSide;
use crate::entity::{EntityMapper, FieldMapping, MapEntities, Mapping};

/// The properties of a component or resource `T`. The definition of the type passes them to its
/// [`ComponentDescriptor`](crate::component::ComponentDescriptor). The derives write the description. In a hand-written
/// [`Component`](trait@crate::component::Component) any property may be left out.
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
    /// All of these functions are for values of type `T`.
    pub(super) functions: ComponentFunctions,
    pub(super) fields: Fields<T>,
    /// The cells that values may contain.
    pub(super) cells: Cells,
    /// The side of a relationship that the component is; `None` if it is not a side of a relationship.
    pub(super) relation: Option<RelationSide>,
    pub(super) saving: SavedForm,
    /// Invariant in `T`: the description of a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> T>,
}

/// States how values are saved.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavedForm {
    pub(super) version: u32,
    /// Earlier stable names of the type.
    pub(super) aliases: &'static [&'static str],
    pub(super) is_skipped: bool,
}

impl SavedForm {
    /// The default: version 1, no earlier names, and values are saved.
    pub(super) const USUAL: Self = Self { version: 1, aliases: &[], is_skipped: false };
}

impl_copy! { [T] Description<T>; }

impl<T> Description<T> {
    /// Returns an empty description.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "descriptions are constants; a default would not be one")]
    pub const fn new() -> Self {
        Self {
            name: None,
            functions: ComponentFunctions::none(),
            fields: Fields::NONE,
            cells: Cells::POSSIBLE,
            relation: None,
            saving: SavedForm::USUAL,
            marker: PhantomData,
        }
    }

    /// Sets the stable name of the type, for files. See [`StableName`].
    #[must_use]
    pub const fn with_name(self, name: &'static str) -> Self {
        Self { name: Some(StableName::given(name)), ..self }
    }

    /// Sets the version of the values in files. The default is 1.
    #[must_use]
    pub const fn with_version(self, version: u32) -> Self {
        Self { saving: SavedForm { version, ..self.saving }, ..self }
    }

    /// Sets earlier stable names of the type, under which files may contain its values. For a type with parameters, give the names without
    /// the parameters; the parameters are added.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { saving: SavedForm { aliases, ..self.saving }, ..self }
    }

    /// Excludes values from saving, unless a format lists the type.
    #[must_use]
    pub const fn without_saving(self) -> Self {
        Self { saving: SavedForm { is_skipped: true, ..self.saving }, ..self }
    }

    /// Declares that values can be cloned with their entity.
    #[must_use]
    pub const fn with_clone(self) -> Self
    where
        T: Clone,
    {
        Self { functions: self.functions.with_clone::<T>(), ..self }
    }

    /// Declares that values can be cloned with their entity, and that a copy of their bytes is a clone: see
    /// [`ComponentFunctions::is_copy`](crate::component::ComponentFunctions::is_copy).
    #[must_use]
    pub const fn with_copy(self) -> Self
    where
        T: Copy,
    {
        Self { functions: self.functions.with_copy::<T>(), ..self }
    }

    /// Sets the function that clones values.
    ///
    /// # Safety
    ///
    /// - The function is for `T`.
    pub(crate) const unsafe fn with_clone_by(self, clone: CloneFn) -> Self {
        Self { functions: ComponentFunctions { clone: Some(clone), ..self.functions }, ..self }
    }

    /// Declares that values are not cloned with their entity, only with the whole world.
    pub(crate) const fn with_clone_only_in_copies(self) -> Self {
        Self { functions: self.functions.with_clone_only_in_copies(), ..self }
    }

    /// Returns the functions for values of the type.
    pub(crate) const fn functions(&self) -> &ComponentFunctions {
        &self.functions
    }

    /// Forbids cloning values.
    #[must_use]
    pub const fn without_clone(self) -> Self {
        Self { functions: self.functions.without_clone(), ..self }
    }

    /// Declares that the type has a default value.
    #[must_use]
    pub const fn with_default(self) -> Self
    where
        T: Default,
    {
        Self { functions: self.functions.with_default::<T>(), ..self }
    }

    /// Declares that values can be compared.
    #[must_use]
    pub const fn with_eq(self) -> Self
    where
        T: PartialEq,
    {
        Self { functions: self.functions.with_eq::<T>(), ..self }
    }

    /// Declares that values can be hashed.
    #[must_use]
    pub const fn with_hash(self) -> Self
    where
        T: Hash,
    {
        Self { functions: self.functions.with_hash::<T>(), ..self }
    }

    /// Sets the function that hashes values.
    ///
    /// # Safety
    ///
    /// - The function is for `T`.
    pub(crate) const unsafe fn with_hash_by(self, hash: HashFn) -> Self {
        Self { functions: ComponentFunctions { hash: Some(hash), ..self.functions }, ..self }
    }

    /// Declares that values can be written as text.
    #[must_use]
    pub const fn with_debug(self) -> Self
    where
        T: fmt::Debug,
    {
        Self { functions: self.functions.with_debug::<T>(), ..self }
    }

    /// Declares that the entities inside of values can be replaced by the function of `MapEntities`.
    #[must_use]
    pub const fn with_map_entities(self) -> Self
    where
        T: MapEntities,
    {
        self.with_map_entities_by(|value, mut mapper| value.map_entities(&mut mapper))
    }

    /// Sets the function that replaces the entities inside of values.
    #[must_use]
    pub const fn with_map_entities_by(self, map: fn(&mut T, &mut dyn EntityMapper)) -> Self {
        let (functions, fields) = (self.functions.with_map_entities(map), self.fields.with_entities(true));
        Self { functions, fields, ..self }
    }

    /// Replaces the entities inside of a value, if the description has a function for it.
    pub(super) fn map_entities(&self, value: &mut T, mapper: &mut dyn EntityMapper) {
        if let Some(map) = self.functions.map_entities {
            // SAFETY: the functions of a `Description<T>` are for `T`; `value` is a `T` that is borrowed mutably.
            unsafe { map((&raw mut *value).cast(), mapper) }
        }
    }

    /// Sets the fields of the type, which only its derives can list. The fields determine whether values are [plain
    /// bytes](ComponentFunctions::is_plain).
    #[must_use]
    pub const fn with_fields(self, fields: Fields<T>) -> Self {
        let (plain, any_bytes) = (fields.are_plain(), fields.take_any_bytes());
        let functions = ComponentFunctions { plain, any_bytes, ..self.functions };
        Self { functions, fields, ..self }
    }

    /// Declares that values do not change through a shared reference: they contain no cells, locks or atomics. Unless a value is written, a
    /// [`SnapshotRing`](crate::snapshot::SnapshotRing) shares it between frames instead of cloning it. If the declaration is wrong, a frame
    /// may have the value of an earlier frame.
    ///
    /// The derive of components determines this for most types. For others, `#[component(no_cells)]` declares it.
    #[must_use]
    pub const fn without_cells(self) -> Self {
        self.with_cells(Cells::NONE)
    }

    /// Sets which cells values may contain.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_cells(self, cells: Cells) -> Self {
        Self { cells, ..self }
    }

    /// Returns whether the component is the source side of a relationship: its values contain a target.
    pub(crate) const fn names_target(&self) -> bool {
        match &self.relation {
            Some(side) => side.names_target(),
            None => false,
        }
    }

    /// Sets the side of a relationship that the component is. If its values list sources, they are not cloned with their entity: the
    /// sources stay linked to the original.
    pub(crate) const fn with_relation(self, relation: RelationSide) -> Self {
        Self { relation: Some(relation), ..self }
    }

    /// Sets `map` as the function that replaces the entities inside of values. If no field contains entities, or if the type has its own
    /// function, nothing is set.
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

    /// Returns the stable name.
    #[doc(hidden)]
    #[must_use]
    pub const fn name(&self) -> Option<StableName> {
        self.name
    }
}

/// A function for values of type `T`; `None` if the type is not known to implement the trait of the function.
pub struct FoundFunction<T, F> {
    pub(super) function: Option<F>,
    /// Invariant in `T`: a function for a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> T>,
}

/// States whether a type is known to implement a trait without functions, such as `Copy`.
#[derive(Debug)]
pub struct Marked<T> {
    is_marked: bool,
    marker: PhantomData<fn(&T) -> T>,
}

impl<T> Marked<T> {
    /// Returns whether the type is known to implement the trait.
    #[must_use]
    pub const fn is_marked(&self) -> bool {
        self.is_marked
    }

    pub(super) const NO: Self = Self { is_marked: false, marker: PhantomData };

    /// States that the type is `Copy`.
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

    /// Returns whether there is a function.
    #[must_use]
    pub const fn is_found(&self) -> bool {
        self.function.is_some()
    }

    /// Wraps a function, which must be for values of type `T`.
    pub(super) const fn new(function: Option<F>) -> Self {
        Self { function, marker: PhantomData }
    }
}

/// Returns the description of a type. The derives make this one call per type, because each call of a generic function costs compile time.
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
        cells: Cells::POSSIBLE,
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
