//! Stable names of types, for files. They do not depend on the compiler, the line of the definition, or the order of definitions.

use alloc::string::{String, ToString};
use core::fmt::{self, Write as _};

/// The name of a component or resource in files.
///
/// The default is the path of the type from its crate on, `my_game::units::Health`. `#[component(name = "health")]` and `#[resource(name =
/// "..")]` give another name, which does not change when the type is moved or renamed. The name of a type with parameters contains the
/// names of its parameters. It exists only if each type parameter has a name: see [`Describe`](trait@crate::component::Describe).
///
/// If an attribute gave a name to a component, no other component of a world can have this name: registering the second one panics. Two
/// components with the same default name can be registered, but cannot be found by their name. Types with the same identifier in two
/// functions have the same default name.
///
/// ```
/// use strata_ecs::component::ComponentDescriptor;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Mana(u32);
/// #[derive(Component)]
/// #[component(name = "health")]
/// struct Health(u32);
///
/// let name = ComponentDescriptor::of::<Health>().stable_name().unwrap();
/// assert_eq!(name, *"health");
/// assert!(name.is_given());
/// let name = ComponentDescriptor::of::<Mana>().stable_name().unwrap();
/// assert!(name.to_string().ends_with("::Mana"));
/// ```
#[derive(Clone, Copy)]
pub struct StableName {
    base: &'static str,
    is_given: bool,
    parameters: &'static [NameParameter],
}

/// A type parameter or const parameter in a [`StableName`].
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum NameParameter {
    /// The stable name of a type parameter, if it has one.
    Type(Option<StableName>),
    /// The value of a const parameter.
    Const(i128),
}

impl StableName {
    /// Returns a default name: the path of a type, in the form of `module_path!`.
    pub(super) const fn by_path(path: &'static str) -> Self {
        Self { base: path, is_given: false, parameters: &[] }
    }

    /// Returns a name that an attribute gave.
    pub(super) const fn given(name: &'static str) -> Self {
        Self { base: name, is_given: true, parameters: &[] }
    }

    /// Returns the name with the parameters of the type; `None` if one of the parameters has no name.
    pub(super) const fn with_parameters(self, parameters: &'static [NameParameter]) -> Option<Self> {
        let mut at = 0;
        while at < parameters.len() {
            if matches!(parameters[at], NameParameter::Type(None)) {
                return None;
            }
            at += 1;
        }
        Some(Self { parameters, ..self })
    }

    /// Returns whether an attribute gave the name. If not, the name is the path of the type.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)]
    /// # struct Health(u32);
    ///
    /// let name = ComponentDescriptor::of::<Health>().stable_name().unwrap();
    /// assert!(!name.is_given());
    /// ```
    #[must_use]
    pub const fn is_given(&self) -> bool {
        self.is_given
    }

    /// Returns another name with the same parameters, such as the earlier name of a type with parameters.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Describe};
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "pile", alias = "bag")]
    /// struct Pile<T: Describe, const ROOMS: usize>([T; ROOMS]);
    ///
    /// let descriptor = ComponentDescriptor::of::<Pile<u8, 3>>();
    /// let name = descriptor.stable_name().unwrap();
    /// assert_eq!(name, *"pile<u8, 3>");
    /// assert_eq!(name.renamed(descriptor.aliases()[0]), *"bag<u8, 3>");
    /// ```
    #[must_use]
    pub const fn renamed(self, name: &'static str) -> Self {
        Self { base: name, is_given: true, parameters: self.parameters }
    }

    /// Returns whether two types with these names cannot be in one world: the names are equal, and an attribute gave one of them.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        (self.is_given || other.is_given) && self == other
    }
}

/// Returns the default name of a type, which is its path. The derives call this function.
#[must_use]
pub const fn name_by_path(path: &'static str) -> Option<StableName> {
    Some(StableName::by_path(path))
}

/// Returns the name that an attribute gave. The derives call this function.
#[must_use]
pub const fn name_given(name: &'static str) -> Option<StableName> {
    Some(StableName::given(name))
}

/// Returns the name of a type with parameters. The derives call this function.
#[must_use]
pub const fn name_with(name: Option<StableName>, parameters: &'static [NameParameter]) -> Option<StableName> {
    match name {
        Some(name) => name.with_parameters(parameters),
        None => None,
    }
}

impl_display!([] StableName => |this, f| {
    f.write_str(this.base)?;
    for (at, parameter) in this.parameters.iter().enumerate() {
        f.write_str(if at == 0 { "<" } else { ", " })?;
        match parameter {
            NameParameter::Type(Some(name)) => name.fmt(f)?,
            NameParameter::Type(None) => f.write_str("_")?,
            NameParameter::Const(value) => value.fmt(f)?,
        }
    }
    f.write_str(if this.parameters.is_empty() { "" } else { ">" })
});

impl_debug!([] StableName => |this, f| write!(f, "\"{this}\""));

/// Compares a text with a name that is written in parts: removes each part from the start of the text.
struct RemainingText<'a>(&'a str);

impl fmt::Write for RemainingText<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
        Ok(())
    }
}

impl PartialEq<str> for StableName {
    fn eq(&self, text: &str) -> bool {
        let mut rest = RemainingText(text);
        write!(rest, "{self}").is_ok() && rest.0.is_empty()
    }
}

impl PartialEq for StableName {
    fn eq(&self, other: &Self) -> bool {
        match (self.parameters, other.parameters) {
            ([], []) => self.base == other.base,
            _ => *self == *other.to_string(),
        }
    }
}

impl Eq for StableName {}

/// The error of looking up a component by its stable name.
///
/// ```
/// use strata_ecs::component::StableNameError;
/// use strata_ecs::prelude::*;
///
/// let error = World::new().components().get_id_by_name("health").unwrap_err();
/// assert_eq!(error, StableNameError::Unknown("health".into()));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StableNameError {
    /// No component of this name is registered.
    Unknown(String),
    /// Several components have this default name.
    Ambiguous {
        /// The name.
        name: String,
        /// The full name of the type that was registered first.
        first: &'static str,
        /// The full name of the type that was registered second.
        second: &'static str,
    },
}

impl_error! {
    [] StableNameError => |this, f| match this {
        Self::Unknown(name) => write!(f, "the world has met no component with the stable name \"{name}\""),
        Self::Ambiguous { name, first, second } => write!(
            f,
            "components `{first}` and `{second}` have the same stable name \"{name}\": give one of them a name of its own"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{NameParameter, StableName};
    use alloc::string::ToString as _;

    #[test]
    fn parameters_are_part_of_a_name() {
        const INNER: NameParameter = NameParameter::Type(Some(StableName::given("sword")));
        let name = StableName::by_path("game::Slots").with_parameters(&[INNER, NameParameter::Const(-4)]).unwrap();
        assert_eq!(name.to_string(), "game::Slots<sword, -4>");
        assert!(name == *"game::Slots<sword, -4>" && name != *"game::Slots<sword, -4" && name != *"game::Slots");
        assert!(name == StableName::given("game::Slots<sword, -4>"));
        assert!(StableName::by_path("game::Slots").with_parameters(&[INNER, NameParameter::Type(None)]).is_none());
    }

    #[test]
    fn names_by_default_exclude_given_ones_only() {
        let [given, default] = [StableName::given("a::B"), StableName::by_path("a::B")];
        assert!(given.excludes(&default) && default.excludes(&given) && given.excludes(&given));
        assert!(!default.excludes(&default) && !given.excludes(&StableName::given("a::C")));
    }
}
