//! Functions that clone values of types whose definitions do not prove that they are `Clone`.
//!
//! Tests: tests/snapshots/bounds.rs

use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::descriptor::ComponentDescriptor;
use super::erased_vec::ValueClone;
use super::functions::{CloneFn, ComponentFunctions};

/// Clone functions, by type.
#[derive(Clone, Default, Debug)]
pub(crate) struct KnownClones(Vec<KnownClone>);

#[derive(Clone, Copy, Debug)]
struct KnownClone {
    type_id: TypeId,
    /// The clone function for values of the type with this id.
    erased: Option<CloneFn>,
    /// Stores `T::clone` in an `Option<fn(&T) -> T>`, where `T` is the type with this id.
    set_typed: fn(&mut dyn Any),
}

impl KnownClones {
    /// Adds the clone function of `T`.
    pub(crate) fn add<T: Clone + 'static>(&mut self) {
        let set_typed = |typed: &mut dyn Any| {
            if let Some(typed) = typed.downcast_mut::<Option<fn(&T) -> T>>() {
                *typed = Some(T::clone);
            }
        };
        let erased = ComponentFunctions::none().clone_fn_for::<T>();
        self.0.push(KnownClone { type_id: TypeId::of::<T>(), erased, set_typed });
    }

    /// Returns the clone function for values of a descriptor's type: the function of its definition or, without one, the function that was
    /// added for the type. `None` if there is neither, or if the definition forbids cloning.
    pub(crate) fn erased(&self, descriptor: &'static ComponentDescriptor) -> Option<ValueClone> {
        let clone = self.function(descriptor)?;
        Some(ValueClone { descriptor, clone })
    }

    /// Returns whether there is a clone function for values of a descriptor's type.
    pub(crate) fn can_clone(&self, descriptor: &ComponentDescriptor) -> bool {
        self.function(descriptor).is_some()
    }

    /// Returns the clone function of a descriptor. It is always for the descriptor's type: it comes from the definition, or was added for
    /// the `TypeId` of the values.
    fn function(&self, descriptor: &ComponentDescriptor) -> Option<CloneFn> {
        let functions = descriptor.functions();
        let added = || self.get(descriptor.value_type_id()?)?.erased;
        functions.clone_fn().or_else(|| if functions.forbids_clone() { None } else { added() })
    }

    /// Returns the clone function that was added for `T`.
    pub(crate) fn typed<T: 'static>(&self) -> Option<fn(&T) -> T> {
        let mut typed: Option<fn(&T) -> T> = None;
        (self.get(TypeId::of::<T>())?.set_typed)(&mut typed);
        typed
    }

    fn get(&self, type_id: TypeId) -> Option<&KnownClone> {
        self.0.iter().find(|known| known.type_id == type_id)
    }
}
