//! The components that a component requires.
//!
//! The direct requirements of a component come from its definition, and from registrations at run time. The list of all requirements is
//! computed from them when a component is registered, and when a requirement is added at run time. It contains first the direct
//! requirements, then the requirements of the directly required components, in the order in which they are written.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::ComponentId;
use super::constructor::Constructor;
use super::descriptor::{ComponentDescriptor, ComponentIdentity};

/// A component that another one requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Required {
    pub(crate) id: ComponentId,
    /// Makes values of the component.
    pub(crate) constructor: Constructor,
}

/// The components of a bundle.
#[derive(Clone, Copy)]
pub(crate) struct BundleContents<'a> {
    /// The components that the bundle has values of, in the order of its fields.
    pub(crate) explicit: &'a [ComponentId],
    /// The components that the `explicit` components require, without the `explicit` components.
    pub(crate) required: &'a [Required],
    /// The sparse components that the entity already has. Only a change that keeps the values of present components uses this: a plan
    /// depends on the table of the entity, and the table does not determine the sparse components.
    pub(crate) held: &'a [ComponentId],
}

impl BundleContents<'_> {
    /// Returns whether an entity that retains the bundle keeps a component: the component is in the bundle, or a component of the bundle
    /// requires it.
    pub(crate) fn keeps(&self, id: ComponentId) -> bool {
        self.explicit.contains(&id) || requires(self.required, id)
    }
}

/// The error of adding a requirement to a world at run time. Nothing has changed.
///
/// `requiree` and `required` are the full names of the types of the components.
///
/// ```
/// use strata_ecs::component::RequiredComponentsError;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Default)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Monster;
///
/// let mut world = World::new();
/// world.spawn(Monster);
/// let error = world.try_register_required_components::<Monster, Health>().unwrap_err();
/// assert!(matches!(error, RequiredComponentsError::InUse { requiree, .. } if requiree.ends_with("Monster")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequiredComponentsError {
    /// The component already requires the other component directly.
    DuplicateRegistration {
        /// The component that was to require the other component.
        requiree: &'static str,
        /// The component that was to be required.
        required: &'static str,
    },
    /// The other component requires the component, directly or through others, or both are the same component.
    CyclicRequirement {
        /// The component that was to require the other component.
        requiree: &'static str,
        /// The component that was to be required.
        required: &'static str,
    },
    /// An entity already has the component, so it might lack the component that is to be required.
    InUse {
        /// The component that was to require the other component.
        requiree: &'static str,
        /// The component that was to be required.
        required: &'static str,
    },
}

impl_error! {
    [] RequiredComponentsError => |this, f| match this {
        Self::DuplicateRegistration { requiree, required } => {
            write!(f, "component `{requiree}` requires `{required}` already")
        }
        Self::CyclicRequirement { requiree, required } if requiree == required => {
            write!(f, "component `{requiree}` cannot require itself")
        }
        Self::CyclicRequirement { requiree, required } => write!(
            f,
            "component `{requiree}` cannot require `{required}`, which requires `{requiree}`, directly or through others"
        ),
        Self::InUse { requiree, required } => write!(
            f,
            "component `{requiree}` cannot require `{required}` from now on: an entity has it already; say so before                  the first one gets it, or with `#[require(..)]`"
        ),
    }
}

/// The requirements of a registered component.
#[derive(Clone, Default, Debug)]
pub(super) struct ComponentRequirements {
    /// The direct requirements.
    pub(super) direct: Vec<Required>,
    /// The direct and indirect requirements, each component once.
    pub(super) all: Box<[Required]>,
}

impl ComponentRequirements {
    /// Computes `all` from `direct`. `all_of` returns all requirements of a directly required component.
    pub(super) fn resolve<'a>(&mut self, all_of: impl Fn(ComponentId) -> &'a [Required]) {
        let mut all = self.direct.clone();
        for direct in &self.direct {
            merge(&mut all, all_of(direct.id));
        }
        self.all = all.into();
    }
}

/// The new requirements of some components, each with its component.
#[derive(Default)]
pub(crate) struct NewRequirements(pub(super) Vec<(ComponentId, Box<ComponentRequirements>)>);

impl NewRequirements {
    /// Returns the new direct and indirect requirements of a component; `None` if they do not change.
    pub(super) fn of(&self, id: ComponentId) -> Option<&[Required]> {
        let (_, requires) = self.0.iter().find(|(changed, _)| *changed == id)?;
        Some(&requires.all)
    }
}

/// Returns whether a component is in a list of requirements.
pub(super) fn requires(all: &[Required], id: ComponentId) -> bool {
    all.iter().any(|required| required.id == id)
}

/// Adds the items of `more` that are missing in `all`.
pub(super) fn merge(all: &mut Vec<Required>, more: &[Required]) {
    for required in more {
        if !requires(all, required.id) {
            all.push(*required);
        }
    }
}

/// Checks the requirements of a component that is about to be registered, and of the components that are registered with it. A component
/// for which `is_known` returns true is already registered and not checked.
///
/// # Errors
///
/// If a component requires itself, directly or through others, or requires another component twice. The text describes the problem.
pub(super) fn check_definition(
    component: &'static ComponentDescriptor,
    is_known: &dyn Fn(&ComponentDescriptor) -> bool,
) -> Result<(), String> {
    let mut seen = Vec::new();
    visit(component, &mut Vec::new(), &mut seen, is_known)
}

fn visit(
    component: &'static ComponentDescriptor,
    path: &mut Vec<&'static ComponentDescriptor>,
    seen: &mut Vec<ComponentIdentity>,
    is_known: &dyn Fn(&ComponentDescriptor) -> bool,
) -> Result<(), String> {
    if let Some(first) = path.iter().position(|earlier| earlier.identity() == component.identity()) {
        return Err(cycle(path[first..].iter().map(|earlier| earlier.name())));
    }
    if seen.contains(&component.identity()) || is_known(component) {
        return Ok(());
    }
    seen.push(component.identity());
    path.push(component);
    let requirements = component.requirements();
    for (at, (required, _)) in requirements.iter().enumerate() {
        if requirements[..at].iter().any(|(earlier, _)| earlier.identity() == required.identity()) {
            let [component, required] = [component.name(), required.name()];
            return Err(alloc::format!("component `{component}` requires `{required}` twice: keep one of the two"));
        }
        visit(required, path, seen, is_known)?;
    }
    path.pop();
    Ok(())
}

/// Returns the message for a cycle: each of the components requires the next one, and the last one requires the first.
pub(super) fn cycle(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    let first = names.first().copied().unwrap_or_default();
    if names.len() == 1 {
        return alloc::format!("component `{first}` requires itself: leave that requirement out");
    }
    let mut text = alloc::format!("component `{first}` requires itself through others: `{first}`");
    for name in names[1..].iter().chain([&first]) {
        text += " requires `";
        text += name;
        text += "`,";
        if *name != first {
            text += " which";
        }
    }
    text.pop();
    text + "; one of these requirements has to go"
}

#[cfg(test)]
mod tests {
    use super::cycle;

    #[test]
    fn a_cycle_is_told_from_its_first_component_on() {
        assert_eq!(cycle(["A"].into_iter()), "component `A` requires itself: leave that requirement out");
        assert_eq!(
            cycle(["A", "B", "C"].into_iter()),
            "component `A` requires itself through others: `A` requires `B`, which requires `C`, which requires `A`; \
             one of these requirements has to go"
        );
    }
}
