//! Copies of resources, resources that become what their copies are, and values that come from elsewhere.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Held, MessageNumbers, Place, Renewed, Resource, ResourceId, Resources};
use crate::alloc_error::{AllocError, try_reserve};
use crate::component::{
    ComponentDescriptor, ErasedPersistence, ErasedRef, ErasedValue, KnownClones, Persistence, ValueClone,
};
use crate::entity::EntityMapper;
use crate::origin::Origin;
use crate::tick::{ComponentTicks, TickCells, WriteStamp};

/// What is known of one resource.
enum ResourceCopy {
    /// It is not a part of this.
    Apart,
    /// There is none.
    None,
    /// A value of the type that the functions are of. Without a function that clones it, the resource of a world stays as it is.
    Some(Held, Register, Option<ValueClone>),
}

/// Finds the number of a type of resources, which is registered now if need be.
type Register = fn(&mut Resources) -> ResourceId;

/// The value of a resource, to read.
pub(crate) enum ResourceValue<'a> {
    None,
    /// The name of the type of a value that stays on its thread.
    OnThread(&'static str),
    Some(ErasedRef<'a>),
}

/// The values of resources, by number, and which of them are lists of messages.
#[derive(Default)]
pub(crate) struct ResourceCopies(Vec<ResourceCopy>, Vec<(ResourceId, MessageNumbers)>);

/// What resources need to become what their copies are, by number: none for those that stay, else the value or that there is none.
pub(crate) struct ResourceClones(Vec<Option<Option<Held>>>);

/// A value that was not taken from a world, for a place in one.
pub(crate) struct NewResource {
    pub(crate) register: Register,
    pub(crate) is_on_thread: bool,
    /// If it is a list of messages.
    messages: Option<MessageNumbers>,
    /// Of the type of the function.
    held: Held,
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
            held: Held { value, ticks: cells },
        }
    }

    /// What is known of its type.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.held.value.descriptor()
    }

    /// When it was added and changed.
    pub(crate) fn ticks(&self) -> ComponentTicks {
        self.held.ticks.get()
    }

    /// Replaces the entities inside of the value by those that stand for them.
    pub(crate) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.held.value.map_entities(mapper);
    }
}

impl ResourceCopies {
    /// The values, and when they were added and changed.
    pub(crate) fn values(&self) -> impl Iterator<Item = (ErasedRef<'_>, ComponentTicks)> {
        self.0.iter().filter_map(|copy| match copy {
            ResourceCopy::Some(held, ..) => Some((held.value.as_ref(), held.ticks.get())),
            _ => None,
        })
    }

    /// Clones of the values, for another world.
    pub(crate) fn to_new(&self) -> Vec<NewResource> {
        let new = self.0.iter().enumerate().filter_map(|(at, copy)| {
            let ResourceCopy::Some(held, register, Some(clone)) = copy else { return None };
            let held = Held::clone_of(&held.value, &held.ticks, *clone);
            let list = self.1.iter().find(|(id, _)| id.0 as usize == at);
            let messages = list.map(|(_, numbers)| *numbers);
            Some(NewResource { register: *register, is_on_thread: false, messages, held })
        });
        new.collect()
    }

    /// What is known of a resource, if there is a value of it.
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
    /// That of the resource `R`.
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
        // The list has a tick for the value: see `SnapshotBuilder::add_resource_text`.
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
/// - The address holds an `R` that no other code changes.
unsafe fn write_text<R: Resource>(value: *const u8) -> Option<String> {
    let Persistence::Text(form) = R::persistence() else { return None };
    let mut text = String::new();
    // SAFETY: the caller promises an `R` at the address that no other code changes.
    form.write(unsafe { &*value.cast::<R>() }, &mut text);
    Some(text)
}

impl Held {
    /// A clone of a value with ticks.
    fn clone_of(value: &ErasedValue, ticks: &TickCells, clone: ValueClone) -> Self {
        Self { value: clone.call(value.as_ref()), ticks: ticks.clone() }
    }
}

impl Resources {
    /// The descriptors of resources that cannot be copied; whether they are values that stay on their threads.
    pub(crate) fn refused<'a>(
        &'a self,
        is_apart: impl Fn(&ComponentDescriptor) -> bool + 'a,
        clones: &'a KnownClones,
    ) -> impl Iterator<Item = (&'static str, bool)> + 'a {
        let refuses = move |place: &&Place| {
            let cannot = place.on_thread.is_some() || !clones.can_clone(place.descriptor);
            cannot && place.get().is_some() && !is_apart(place.descriptor)
        };
        self.places.iter().filter(refuses).map(|place| match place.on_thread {
            Some(on_thread) => ((on_thread.name)(), true),
            None => (place.descriptor.name(), false),
        })
    }

    /// What is known of each resource, and its value if it has one that may be read on any thread.
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

    /// The types that the world has met and of which there is no value, but for those that stay on their threads.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        let is_absent = |place: &&Place| place.on_thread.is_none() && place.get().is_none();
        self.places.iter().filter(is_absent).map(|place| place.descriptor)
    }

    /// Puts a value that was not taken from these into its place. Returned is the one that was there.
    pub(crate) fn put(&mut self, new: NewResource, now: WriteStamp) -> Option<ErasedValue> {
        let id = (new.register)(self);
        self.places[id.0 as usize].replace(new.held.value, now)
    }

    /// Takes those resources out that are wanted, but for lists of messages, and values that stay on their threads.
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
            let held = Held { value: place.take()?, ticks: place.ticks.clone() };
            Some(NewResource { register, is_on_thread: false, messages: None, held })
        });
        taken.collect()
    }

    /// Whether there is a resource of a type.
    pub(crate) fn contains(&self, descriptor: &ComponentDescriptor) -> bool {
        self.places.iter().any(|place| place.descriptor.is_same(descriptor) && place.get().is_some())
    }

    /// Takes the resource of a type out, if there is one that may be dropped on any thread.
    pub(crate) fn take(&mut self, descriptor: &ComponentDescriptor) -> Option<ErasedValue> {
        let is_meant = |place: &&mut Place| place.descriptor.identity() == descriptor.identity();
        self.places.iter_mut().find(is_meant).filter(|place| place.on_thread.is_none())?.take()
    }

    /// The name of a resource that is lent to a scope, if one is.
    pub(crate) fn lent_name(&mut self) -> Option<&'static str> {
        self.places.iter_mut().for_each(Place::settle);
        self.places.iter().find(|place| place.is_lent).map(|place| place.descriptor.name())
    }

    /// Copies the values of all resources but those that are apart, and those that cannot be copied. None is lent.
    ///
    /// # Errors
    ///
    /// If there is no memory for the list.
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
                    let held = Held::clone_of(value, ticks, clone);
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

    /// Values that were not taken from these resources, as copies of them, one for a type. `clones` has the functions of types whose
    /// definitions name none. `is_apart` says which of the other resources are no part of the copies; there is none of the rest.
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

    /// The clones that are needed to make the resources what copies of them are. `is_apart` says so of those that are not known there.
    ///
    /// # Errors
    ///
    /// If there is no memory for the list.
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
            Some(ResourceCopy::Some(held, _, clone)) => Some(Some(Held::clone_of(&held.value, &held.ticks, (*clone)?))),
        }));
        Ok(ResourceClones(clones))
    }

    /// Exchanges resources for clones, as many as there were when these were made, and lists of messages get other numbers, which are
    /// added to a list with room for so many. None is lent. The clones are then what the resources were.
    ///
    /// # Panics
    ///
    /// If the clones are not [those of these resources](Self::clones).
    pub(crate) fn become_clones(&mut self, clones: &mut ResourceClones, renewed: &mut Vec<(ResourceId, Renewed)>) {
        for (place, clone) in self.places.iter_mut().zip(&mut clones.0) {
            let Some(clone) = clone else { continue };
            if let Some(held) = core::mem::replace(clone, place.take_held()) {
                assert!(held.value.descriptor().is_same(place.descriptor));
                place.put_held(held);
            }
        }
        for list in &self.messages {
            // A list that is no part of the copy goes on, and so do its readers.
            if matches!(clones.0.get(list.id.0 as usize), Some(None)) {
                continue;
            }
            let Some((value, _)) = self.places[list.id.0 as usize].get_mut() else { continue };
            renewed.extend((list.renew)(value).map(|renewed| (list.id, renewed)));
        }
    }

    /// How many lists of messages there may be.
    pub(crate) fn message_lists(&self) -> usize {
        self.messages.len()
    }
}
