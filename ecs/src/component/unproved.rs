//! Error messages about types that are not known to implement a trait.

use super::functions::{CloneFn, ComponentFunctions};

impl ComponentFunctions {
    /// Returns whether the definition forbids cloning values, by `#[component(clone = "never")]`.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// #[component(clone = "never")]
    /// struct Handle(u32);
    ///
    /// assert!(ComponentDescriptor::of::<Handle>().functions().forbids_clone());
    /// ```
    #[must_use]
    pub const fn forbids_clone(&self) -> bool {
        self.forbids_clone
    }

    /// Returns the function that clones values of `T`; `None` if the definition forbids cloning.
    pub(crate) fn clone_fn_for<T: Clone>(&self) -> Option<CloneFn> {
        if self.forbids_clone { None } else { Self::none().with_clone::<T>().clone }
    }
}

/// A component, resource or list of messages that is not known to implement a trait.
pub(crate) struct UnprovedType {
    /// The name of the attribute of the derive: `component` or `resource`.
    pub(crate) kind: &'static str,
    /// The type name.
    pub(crate) name: &'static str,
    /// The trait that the type is not known to implement.
    pub(crate) bound: &'static str,
    /// The option of the derive that requires the trait.
    pub(crate) option: &'static str,
}

impl UnprovedType {
    /// Describes a component or resource that is not known to be `Clone`.
    pub(crate) fn clone(kind: &'static str, name: &'static str) -> Self {
        Self { kind, name, bound: "Clone", option: "clone" }
    }

    /// Describes a component or resource that is not known to be `Hash`.
    pub(crate) fn hash(kind: &'static str, name: &'static str) -> Self {
        Self { kind, name, bound: "Hash", option: "hash" }
    }
}

impl_display! {
    /// Describes the problem, and where to write the missing bound or option.
    [] UnprovedType => |this, f| {
        let Self { mut kind, mut name, bound, option } = *this;
        write!(f, "{kind} `{name}`, which is not known to be `{bound}`")?;
        // `Messages<M>` implements a trait if `M` does, so the message `M` is named.
        if let Some(("strata_ecs::storage::message", rest)) = name.split_once("::messages::Messages<")
            && let Some(message) = rest.strip_suffix('>')
        {
            (kind, name) = ("message", message);
        }
        // For types without parameters the derive detects which traits they implement, so only generic types get the advice.
        let is_generic = name.contains('<');
        let is_of_library = ["strata_app::", "strata_ecs::", "strata_save::"].iter().any(|path| name.starts_with(path));
        if is_generic && !is_of_library {
            let base = name.split('<').next().unwrap_or(name);
            let base = base.rsplit("::").next().unwrap_or(base);
            write!(f, ": the bounds of its parameters do not say so. Write `#[{kind}({option})]` above `{base}`, or")?;
            write!(f, " `{bound}` as a bound of the parameters")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::UnprovedType;

    #[test]
    fn a_type_with_parameters_is_told_where_to_write_the_bound() {
        let text = UnprovedType::clone("component", "game::Loose<u32>").to_string();
        assert!(text.contains("Write `#[component(clone)]` above `Loose`, or `Clone` as a bound"), "{text}");
        let text = UnprovedType::hash("resource", "strata_ecs::storage::message::messages::Messages<game::Hit<u32>>")
            .to_string();
        assert!(text.contains("Write `#[message(hash)]` above `Hit`"), "{text}");
        let text = UnprovedType::clone("component", "game::Window").to_string();
        assert_eq!(text, "component `game::Window`, which is not known to be `Clone`");
        let text = UnprovedType::hash("resource", "strata_app::time::base::Time<game::Turns>").to_string();
        assert!(!text.contains("Write"), "{text}");
    }
}
