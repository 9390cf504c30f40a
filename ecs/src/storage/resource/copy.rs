//! Copies resources, replaces resources by copies, and inserts values that come from outside of a world.
//!
//! Tests: tests/snapshots/parts.rs, tests/snapshots/contents.rs

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{MessageNumbers, RenewedList, Resource, ResourceId, ResourceSlot, Resources, TakenValue};
use crate::component::{
    ComponentDescriptor, ErasedPersistence, ErasedRef, ErasedValue, KnownClones, Persistence, ValueClone,
};
use crate::entity::EntityMapper;
use crate::storage::tick::{ComponentTicks, TickCells, WriteStamp};
use crate::util::alloc_error::{AllocError, try_reserve};
use crate::util::origin::Origin;

/// The copy of one resource.
enum ResourceCopy {
    /// The resource is not part of the copies, so restoring them does not change it.
    Apart,
    /// The resource does not exist.
    None,
    /// The value, with the functions that register and clone its type. Without a clone function, restoring does not change the resource of
    /// a world.
    Some(TakenValue, RegisterResource, Option<ValueClone>),
}

/// Returns the id of a resource type, and registers it if necessary.
type RegisterResource = fn(&mut Resources) -> ResourceId;

/// The value of a resource, for reading.
pub(crate) enum ResourceValue<'a> {
    None,
    /// The type name of a non-send value.
    OnThread(&'static str),
    Some(ErasedRef<'a>),
}

/// Copies of resources, by id, and the ids and numbers of the resources that are lists of messages.
#[derive(Default)]
pub(crate) struct ResourceCopies(Vec<ResourceCopy>, Vec<(ResourceId, MessageNumbers)>);

/// The new values of resources, by id. `None` keeps the resource, and `Some(None)` removes it.
pub(crate) struct ResourceClones(Vec<Option<Option<TakenValue>>>);

/// A value that is not in a world, and can be inserted into a world as a resource.
pub(crate) struct NewResource {
    pub(crate) register: RegisterResource,
    pub(crate) is_on_thread: bool,
    /// The message numbers of the value, if it is a list of messages.
    messages: Option<MessageNumbers>,
    /// A value of the type that `register` registers.
    held: TakenValue,
}

impl NewResource {
    /// Makes a value with its ticks.
    pub(crate) fn new<R: Resource>(value: R, ticks: ComponentTicks) -> Self {
        let cells = TickCells::default();
        cells.set_added(WriteStamp { tick: ticks.added, by: Origin::default() });
        cells.set_changed(WriteStamp { tick: ticks.changed, by: Origin::default() });
        let messages = R::AGEING.map(|ageing| (ageing.numbers)(&value));
        let value = ErasedValue::of_box(ComponentDescriptor::of_resource::<R>(), Box::new(value));
        Self {
            register: Resources::register::<R>,
            is_on_thread: R::ON_THREAD.is_some(),
            messages,
            held: TakenValue { value, ticks: cells },
        }
    }

    /// Returns the descriptor of the type of the value.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.held.value.descriptor()
    }

    /// Returns the ticks at which the value was added and changed.
    pub(crate) fn ticks(&self) -> ComponentTicks {
        self.held.ticks.get()
    }

    /// Replaces the entities inside of the value through the mapper.
    pub(crate) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.held.value.map_entities(mapper);
    }
}

impl ResourceCopies {
    /// Returns the copied values, and the ticks at which they were added and changed.
    pub(crate) fn values(&self) -> impl Iterator<Item = (ErasedRef<'_>, ComponentTicks)> {
        self.0.iter().filter_map(|copy| match copy {
            ResourceCopy::Some(held, ..) => Some((held.value.as_ref(), held.ticks.get())),
            _ => None,
        })
    }

    /// Clones the copied values, for another world.
    pub(crate) fn to_new(&self) -> Vec<NewResource> {
        let new = self.0.iter().enumerate().filter_map(|(at, copy)| {
            let ResourceCopy::Some(held, register, Some(clone)) = copy else { return None };
            let held = TakenValue::clone_of(&held.value, &held.ticks, *clone);
            let list = self.1.iter().find(|(id, _)| id.0 as usize == at);
            let messages = list.map(|(_, numbers)| *numbers);
            Some(NewResource { register: *register, is_on_thread: false, messages, held })
        });
        new.collect()
    }

    /// Returns the descriptor of a resource; `None` if there is no copy of its value.
    pub(crate) fn descriptor(&self, id: ResourceId) -> Option<&'static ComponentDescriptor> {
        match self.0.get(id.0 as usize)? {
            ResourceCopy::Some(held, ..) => Some(held.value.descriptor()),
            _ => None,
        }
    }

    /// Returns the ids and numbers of the copied lists of messages.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (ResourceId, MessageNumbers)> {
        self.1.iter().copied()
    }
}

impl ComponentDescriptor {
    /// Returns the descriptor of the resource `R`.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Resource)]
    /// #[resource(name = "gravity")]
    /// struct Gravity(f32);
    ///
    /// let descriptor = ComponentDescriptor::of_resource::<Gravity>();
    /// assert_eq!(descriptor.stable_name().unwrap(), *"gravity");
    /// assert_eq!(descriptor.storage(), None);
    /// ```
    #[must_use]
    pub const fn of_resource<R: Resource>() -> &'static Self {
        const { &Self::of_resource_type(&R::DESCRIPTION).with_persistence(persistence_of::<R>()) }
    }
}

/// Returns the type-erased persistence of a resource.
const fn persistence_of<R: Resource>() -> ErasedPersistence {
    ErasedPersistence {
        kind: || R::persistence().kind(),
        write: write_text::<R>,
        // `list` contains the new resources, with the ticks for the next one: see `SnapshotBuilder::add_resource_text`.
        read: |text, list| {
            let Persistence::Text(form) = R::persistence() else { return Err("the type has no text form".to_owned()) };
            let value = form.read(text)?;
            if let Some((list, ticks)) = list.downcast_mut::<(Vec<NewResource>, ComponentTicks)>() {
                list.push(NewResource::new(value, *ticks));
            }
            Ok(())
        },
    }
}

/// Writes a resource as text; returns `None` if it has no text form.
///
/// # Safety
///
/// - The address holds an `R` that no other code changes during the call.
unsafe fn write_text<R: Resource>(value: *const u8) -> Option<String> {
    let Persistence::Text(form) = R::persistence() else { return None };
    let mut text = String::new();
    // SAFETY: `value` holds an `R` that no other code changes during the call (ensured by the caller).
    form.write(unsafe { &*value.cast::<R>() }, &mut text);
    Some(text)
}

impl TakenValue {
    /// Clones a value, and adds its ticks.
    fn clone_of(value: &ErasedValue, ticks: &TickCells, clone: ValueClone) -> Self {
        Self { value: clone.call(value.as_ref()), ticks: ticks.clone() }
    }
}

impl Resources {
    /// Returns the names of the existing resources that cannot be copied, each with whether it is a non-send value. Skips resources for
    /// which `is_apart` returns true.
    pub(crate) fn refused<'a>(
        &'a self,
        is_apart: impl Fn(&ComponentDescriptor) -> bool + 'a,
        clones: &'a KnownClones,
    ) -> impl Iterator<Item = (&'static str, bool)> + 'a {
        let refuses = move |place: &&ResourceSlot| {
            let cannot = place.on_thread.is_some() || !clones.can_clone(place.descriptor);
            cannot && place.get().is_some() && !is_apart(place.descriptor)
        };
        self.places.iter().filter(refuses).map(|place| match place.on_thread {
            Some(on_thread) => ((on_thread.name)(), true),
            None => (place.descriptor.name(), false),
        })
    }

    /// Returns the descriptor of each registered resource, and its value. A value that may not be read on any thread is represented by its
    /// type name.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static ComponentDescriptor, ResourceValue<'_>)> {
        self.places.iter().map(|place| {
            let value = match (place.get(), place.on_thread) {
                (None, _) => ResourceValue::None,
                (Some(_), Some(on_thread)) => ResourceValue::OnThread((on_thread.name)()),
                (Some((value, _)), None) => ResourceValue::Some(value.as_ref()),
            };
            (place.descriptor, value)
        })
    }

    /// Returns the values of all resources that may be read on any thread, with their ticks.
    pub(crate) fn living_values(&self) -> impl Iterator<Item = (ErasedRef<'_>, ComponentTicks)> {
        self.places.iter().filter(|place| place.on_thread.is_none()).filter_map(|place| {
            let (value, ticks) = place.get()?;
            Some((value.as_ref(), ticks.get()))
        })
    }

    /// Returns the registered types of resources that have no value, except types of non-send values.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        let is_absent = |place: &&ResourceSlot| place.on_thread.is_none() && place.get().is_none();
        self.places.iter().filter(is_absent).map(|place| place.descriptor)
    }

    /// Inserts a value from outside of this world, and returns the old value.
    pub(crate) fn put(&mut self, new: NewResource, now: WriteStamp) -> Option<ErasedValue> {
        let id = (new.register)(self);
        self.places[id.0 as usize].replace(new.held.value, now)
    }

    /// Removes and returns the resources for which `wanted` returns true, except lists of messages and non-send values.
    pub(crate) fn take_new(
        &mut self,
        wanted: &mut dyn FnMut(&'static ComponentDescriptor) -> bool,
    ) -> Vec<NewResource> {
        let Self { places, messages, .. } = self;
        let places = places.iter_mut().enumerate().filter(|(at, place)| {
            let is_list = messages.iter().any(|list| list.id.0 as usize == *at);
            !is_list && place.on_thread.is_none() && place.get().is_some() && wanted(place.descriptor)
        });
        let taken = places.filter_map(|(_, place)| {
            let register = place.register;
            let held = TakenValue { value: place.take()?, ticks: place.ticks.clone() };
            Some(NewResource { register, is_on_thread: false, messages: None, held })
        });
        taken.collect()
    }

    /// Returns whether a resource of this type exists.
    pub(crate) fn contains(&self, descriptor: &ComponentDescriptor) -> bool {
        self.places.iter().any(|place| place.descriptor.is_same(descriptor) && place.get().is_some())
    }

    /// Removes and returns the resource of a type, if it exists and is not a non-send value.
    pub(crate) fn take(&mut self, descriptor: &ComponentDescriptor) -> Option<ErasedValue> {
        let is_meant = |place: &&mut ResourceSlot| place.descriptor.identity() == descriptor.identity();
        self.places.iter_mut().find(is_meant).filter(|place| place.on_thread.is_none())?.take()
    }

    /// Returns the name of a resource that is taken out; `None` if no resource is taken out.
    pub(crate) fn lent_name(&mut self) -> Option<&'static str> {
        self.places.iter_mut().for_each(ResourceSlot::settle);
        self.places.iter().find(|place| place.is_lent).map(|place| place.descriptor.name())
    }

    /// Copies the values of all resources. Skips resources for which `is_apart` returns true, and resources that cannot be copied. No
    /// resource may be taken out.
    ///
    /// # Errors
    ///
    /// If the allocation of the list fails.
    pub(crate) fn copy(
        &mut self,
        is_apart: impl Fn(&ComponentDescriptor) -> bool,
        clones: &KnownClones,
    ) -> Result<ResourceCopies, AllocError> {
        let mut copies = Vec::new();
        try_reserve(&mut copies, self.places.len())?;
        copies.extend(self.places.iter().map(|place| {
            if is_apart(place.descriptor) || place.on_thread.is_some() {
                return ResourceCopy::Apart;
            }
            match (place.get(), clones.erased(place.descriptor)) {
                (None, _) => ResourceCopy::None,
                (Some(_), None) => ResourceCopy::Apart,
                (Some((value, ticks)), Some(clone)) => {
                    let held = TakenValue::clone_of(value, ticks, clone);
                    ResourceCopy::Some(held, place.register, Some(clone))
                }
            }
        }));
        let mut messages = Vec::new();
        try_reserve(&mut messages, self.messages.len())?;
        for at in 0..self.messages.len() {
            let id = self.messages[at].id;
            if let (ResourceCopy::Some(..), Some(numbers)) = (&copies[id.0 as usize], self.message_numbers(id)) {
                messages.push((id, numbers));
            }
        }
        Ok(ResourceCopies(copies, messages))
    }

    /// Converts values from outside of this world to copies. Each type must occur once. `clones` contains the clone functions of types
    /// whose definitions lack them. Resources that are not in `new` are recorded as missing, except resources for which `is_apart` returns
    /// true: these are not part of the copies.
    pub(crate) fn copies_of(
        &mut self,
        new: Vec<NewResource>,
        is_apart: impl Fn(&ComponentDescriptor) -> bool,
        clones: &KnownClones,
    ) -> ResourceCopies {
        let new: Vec<(ResourceId, NewResource)> = new.into_iter().map(|new| ((new.register)(self), new)).collect();
        let others = self.places.iter().map(|place| match is_apart(place.descriptor) || place.on_thread.is_some() {
            true => ResourceCopy::Apart,
            false => ResourceCopy::None,
        });
        let mut copies: Vec<ResourceCopy> = others.collect();
        let mut lists = Vec::new();
        for (id, NewResource { register, held, messages, .. }) in new {
            lists.extend(messages.map(|numbers| (id, numbers)));
            let clone = clones.erased(held.value.descriptor());
            copies[id.0 as usize] = ResourceCopy::Some(held, register, clone);
        }
        ResourceCopies(copies, lists)
    }

    /// Clones the values that are needed to restore the resources from copies. A resource that was registered after the copies were made is
    /// removed unless `is_apart` returns true for it.
    ///
    /// # Errors
    ///
    /// If the allocation of the list fails.
    pub(crate) fn clones(
        &self,
        copies: &ResourceCopies,
        is_apart: impl Fn(&ComponentDescriptor) -> bool,
    ) -> Result<ResourceClones, AllocError> {
        let mut clones = Vec::new();
        try_reserve(&mut clones, self.places.len())?;
        clones.extend(self.places.iter().enumerate().map(|(at, place)| match copies.0.get(at) {
            Some(ResourceCopy::Apart) => None,
            None if is_apart(place.descriptor) || place.on_thread.is_some() => None,
            None | Some(ResourceCopy::None) => Some(None),
            Some(ResourceCopy::Some(held, _, clone)) => {
                Some(Some(TakenValue::clone_of(&held.value, &held.ticks, (*clone)?)))
            }
        }));
        Ok(ResourceClones(clones))
    }

    /// Exchanges resources with clones. Afterwards `clones` contains the old resources. Resources that were registered after the clones
    /// were made are not changed. Restored lists of messages get new origins, which are appended to `renewed`; it must have capacity for
    /// all lists. No resource may be taken out.
    ///
    /// # Panics
    ///
    /// If the clones were not made by [`clones`](Self::clones) for these resources.
    pub(crate) fn restore_resources(
        &mut self,
        clones: &mut ResourceClones,
        renewed: &mut Vec<(ResourceId, RenewedList)>,
    ) {
        for (place, clone) in self.places.iter_mut().zip(&mut clones.0) {
            let Some(clone) = clone else { continue };
            if let Some(held) = core::mem::replace(clone, place.take_held()) {
                assert!(held.value.descriptor().is_same(place.descriptor));
                place.put_held(held);
            }
        }
        for list in &self.messages {
            // A list that is not part of the copies is unchanged, and its readers continue.
            if matches!(clones.0.get(list.id.0 as usize), Some(None)) {
                continue;
            }
            let Some((value, _)) = self.places[list.id.0 as usize].get_mut() else { continue };
            renewed.extend((list.renew)(value).map(|renewed| (list.id, renewed)));
        }
    }

    /// Returns the number of registered lists of messages, of which some may not exist.
    pub(crate) fn message_lists(&self) -> usize {
        self.messages.len()
    }
}
