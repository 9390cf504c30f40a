//! Copies of resources, replacing resources by copies, and values that come from outside of a world.
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
    /// The resource is not part of the copies.
    Apart,
    /// The resource does not exist.
    None,
    /// A value of the type that the functions are for. Without a function that clones it, restoring does not change the resource of a
    /// world.
    Some(TakenValue, RegisterResource, Option<ValueClone>),
}

/// Returns the id of a type of resources, and registers it if necessary.
type RegisterResource = fn(&mut Resources) -> ResourceId;

/// The value of a resource, for reading.
pub(crate) enum ResourceValue<'a> {
    None,
    /// The type name of a non-send value.
    OnThread(&'static str),
    Some(ErasedRef<'a>),
}

/// Copies of resources, by id, and the ids of those that are lists of messages.
#[derive(Default)]
pub(crate) struct ResourceCopies(Vec<ResourceCopy>, Vec<(ResourceId, MessageNumbers)>);

/// The new values of resources, by id: `None` keeps the resource, `Some(None)` removes it.
pub(crate) struct ResourceClones(Vec<Option<Option<TakenValue>>>);

/// A value that does not come from a world, to be inserted into one.
pub(crate) struct NewResource {
    pub(crate) register: RegisterResource,
    pub(crate) is_on_thread: bool,
    /// Its numbers, if it is a list of messages.
    messages: Option<MessageNumbers>,
    /// A value of the type that `register` registers.
    held: TakenValue,
}

impl NewResource {
    /// A value with its ticks.
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

    /// The descriptor of its type.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.held.value.descriptor()
    }

    /// The ticks at which it was added and changed.
    pub(crate) fn ticks(&self) -> ComponentTicks {
        self.held.ticks.get()
    }

    /// Replaces the entities inside of the value through the mapper.
    pub(crate) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.held.value.map_entities(mapper);
    }
}

impl ResourceCopies {
    /// The values, and the ticks at which they were added and changed.
    pub(crate) fn values(&self) -> impl Iterator<Item = (ErasedRef<'_>, ComponentTicks)> {
        self.0.iter().filter_map(|copy| match copy {
            ResourceCopy::Some(held, ..) => Some((held.value.as_ref(), held.ticks.get())),
            _ => None,
        })
    }

    /// Clones the values, for another world.
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

    /// The descriptor of a resource, if there is a copy of its value.
    pub(crate) fn descriptor(&self, id: ResourceId) -> Option<&'static ComponentDescriptor> {
        match self.0.get(id.0 as usize)? {
            ResourceCopy::Some(held, ..) => Some(held.value.descriptor()),
            _ => None,
        }
    }

    /// The lists of messages.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (ResourceId, MessageNumbers)> {
        self.1.iter().copied()
    }
}

impl ComponentDescriptor {
    /// The descriptor of the resource `R`.
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

/// The persistence of a resource, by function pointers.
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

/// Writes a resource as text, if it has a text form.
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
    /// A clone of a value with ticks.
    fn clone_of(value: &ErasedValue, ticks: &TickCells, clone: ValueClone) -> Self {
        Self { value: clone.call(value.as_ref()), ticks: ticks.clone() }
    }
}

impl Resources {
    /// The names of the resources that cannot be copied, and whether each is a non-send value.
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

    /// The descriptor of each resource, and its value if it exists and may be read on any thread.
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

    /// The values that may be read on any thread, with their ticks.
    pub(crate) fn living_values(&self) -> impl Iterator<Item = (ErasedRef<'_>, ComponentTicks)> {
        self.places.iter().filter(|place| place.on_thread.is_none()).filter_map(|place| {
            let (value, ticks) = place.get()?;
            Some((value.as_ref(), ticks.get()))
        })
    }

    /// The registered types of resources without a value, except non-send values.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        let is_absent = |place: &&ResourceSlot| place.on_thread.is_none() && place.get().is_none();
        self.places.iter().filter(is_absent).map(|place| place.descriptor)
    }

    /// Inserts a value that does not come from these resources, and returns the old value.
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

    /// Whether a resource of this type exists.
    pub(crate) fn contains(&self, descriptor: &ComponentDescriptor) -> bool {
        self.places.iter().any(|place| place.descriptor.is_same(descriptor) && place.get().is_some())
    }

    /// Removes and returns the resource of a type, if it exists and is not a non-send value.
    pub(crate) fn take(&mut self, descriptor: &ComponentDescriptor) -> Option<ErasedValue> {
        let is_meant = |place: &&mut ResourceSlot| place.descriptor.identity() == descriptor.identity();
        self.places.iter_mut().find(is_meant).filter(|place| place.on_thread.is_none())?.take()
    }

    /// The name of a resource that is taken out by a scope, if there is one.
    pub(crate) fn lent_name(&mut self) -> Option<&'static str> {
        self.places.iter_mut().for_each(ResourceSlot::settle);
        self.places.iter().find(|place| place.is_lent).map(|place| place.descriptor.name())
    }

    /// Copies the values of all resources, except those for which `is_apart` returns true and those that cannot be copied. No resource
    /// may be taken out.
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

    /// Converts values that do not come from these resources to copies; each type occurs once. `clones` has the clone functions of
    /// types whose definitions lack them. Other resources for which `is_apart` returns true are not part of the copies; the rest are
    /// recorded as missing.
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

    /// Clones the values that are needed to restore the resources from copies. `is_apart` decides for resources that the copies do not
    /// know.
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

    /// Exchanges resources with clones, which contain the old resources afterwards. Resources that were registered after the clones
    /// were made are not changed. Lists of messages get new numbers, which are appended to `renewed`; it must have capacity for all.
    /// No resource may be taken out.
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

    /// The maximal number of lists of messages.
    pub(crate) fn message_lists(&self) -> usize {
        self.messages.len()
    }
}
