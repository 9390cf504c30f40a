//! What the definition of a type says of it beyond its layout.

use core::fmt;
use core::marker::PhantomData;

use super::name::{NameParameter, StableName};

/// What the definition of a component or resource `T` tells its
/// [`ComponentDescriptor`](crate::component::ComponentDescriptor). The derives write it; a hand-written
/// [`Component`](trait@crate::component::Component) says as much as it wants to.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, ComponentKey, Description, StorageType};
/// use strata_ecs::prelude::*;
///
/// struct Health(u32);
///
/// impl Component for Health {
///     const STORAGE: StorageType = StorageType::Table;
///     const KEY: ComponentKey = ComponentKey::new(None, None, module_path!(), "Health", line!(), column!());
///     const DESCRIPTION: Description<Self> = Description::new().with_name("health");
/// }
///
/// assert_eq!(ComponentDescriptor::of::<Health>().stable_name().unwrap(), *"health");
/// ```
pub struct Description<T> {
    pub(super) name: Option<StableName>,
    /// Neither a subtype's nor a supertype's description will do.
    marker: PhantomData<fn(&T) -> T>,
}

impl<T> Clone for Description<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Description<T> {}

impl<T> Description<T> {
    /// Nothing is known.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "descriptions are constants; a default would not be one")]
    pub const fn new() -> Self {
        Self { name: None, marker: PhantomData }
    }

    /// The stable name of the type, for files. See [`StableName`].
    #[must_use]
    pub const fn with_name(self, name: &'static str) -> Self {
        Self { name: Some(StableName::given(name)), ..self }
    }

    /// The stable name by default: the path of the type.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_path(self, path: &'static str) -> Self {
        Self { name: Some(StableName::by_path(path)), ..self }
    }

    /// Adds the parameters of the type to its stable name.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_parameters(self, parameters: &'static [NameParameter]) -> Self {
        let name = match self.name {
            Some(name) => name.with_parameters(parameters),
            None => None,
        };
        Self { name, ..self }
    }
}

impl<T> fmt::Debug for Description<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Description").field("name", &self.name).finish_non_exhaustive()
    }
}
