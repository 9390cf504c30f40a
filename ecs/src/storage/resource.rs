//! Resources: values that belong to the world, at most one of each type.
// Tests: tests/storage/resources.rs

pub use crate::reexports::resource::*;

mod copy;

pub(crate) use self::copy::{NewResource, ResourceClones, ResourceCopies, ResourceValue};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::component::{
    ComponentDescriptor, ComponentKey, Description, ErasedRef, ErasedRefMut, ErasedValue, Persistence, SlotMap,
    TypeSlot, UpgradeList,
};
use crate::storage::tick::{Tick, TickCells, WriteStamp};
use crate::util::guard::for_each_despite_panics;
use crate::util::mailbox::{Mailbox, Sender};
use crate::util::type_name::short_name;

/// A value that belongs to the world, which has at most one value of the type: time, settings, an asset table, or a random number
/// generator.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// let mut world = World::new();
/// world.insert_resource(Gravity(9.81));
/// assert_eq!(world.resource::<Gravity>().0, 9.81);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource: add `#[derive(Resource)]` to it, or to a struct of your own around it",
    label = "not a resource",
    note = "a type that is not your own, such as `u32` or `Vec<T>`, goes into a struct that is: `#[derive(Resource)] struct \
            Score(u32);`",
    note = "a component (`#[derive(Component)]`) is not a resource: `spawn` and `insert` give it to an entity, and systems take it as \
            `Query<&T>`, or as `&T` with `#[system]`"
)]
#[doc(alias("Unique", "singleton"))]
pub trait Resource: Send + Sync + Sized + 'static {
    /// A number that identifies the type at compile time, for compile-time checks; `None` if it does not have such a number.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// Other properties of the type: its stable name, functions, and fields.
    const DESCRIPTION: Description<Self> = Description::new();

    /// Explains how a program gets the resource, for error messages about a missing resource. The option `missing` of the derive sets it.
    /// `{}` stands for the type parameters.
    const MISSING: &'static str = "insert it with `World::insert_resource` or `World::init_resource`";

    /// The functions that age the resource, if it is a list of messages.
    #[doc(hidden)]
    const AGEING: Option<Ageing<Self>> = None;

    /// The functions of the non-send value that the resource contains, if it contains one.
    #[doc(hidden)]
    const ON_THREAD: Option<NonSendValue<Self>> = None;

    /// Lists the functions that convert values of older versions to this version. The option `upgrade` of the derive writes this function.
    fn upgrades<L: UpgradeList<Self>>(_: &mut L) {}

    /// Returns how the resource takes part in snapshots, files and comparisons. The options `transient`, `save` and `persistence` of the
    /// derive set it.
    fn persistence() -> Persistence<Self> {
        Persistence::Listed
    }

    /// Returns the slot in which the process stores a number for this type; `None` if the type has no slot.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// Returns the error message for a missing resource. It explains how a program gets the resource.
#[cold]
pub(crate) fn missing_text<R: Resource>() -> String {
    let name = type_name::<R>();
    let parameters = name.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).unwrap_or_default();
    alloc::format!("resource `{name}` does not exist; {}", R::MISSING.replace("{}", &short_name(parameters)))
}

/// The functions by which a list of messages ages with the frames of its world.
#[doc(hidden)]
pub struct Ageing<R> {
    pub(crate) numbers: fn(&R) -> MessageNumbers,
    /// Drops the messages that have already aged once, and ages the others. Keeps the messages from the number `held_from` on.
    pub(crate) age: fn(&mut R, held_from: u64),
    /// Gives the list a new origin, so that existing cursors detect that the messages were replaced.
    pub(crate) renew: fn(&mut R) -> RenewedList,
}

/// The functions of a non-send value.
#[doc(hidden)]
pub struct NonSendValue<R> {
    /// Returns the name of the type of the value.
    pub(crate) name: fn() -> &'static str,
    /// Checks that the current thread owns the value. On other threads, returns an error message.
    pub(crate) check: fn(&R) -> Result<(), String>,
}

/// The origin of a list of messages, the number of its first message, and the number of the next message to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageNumbers {
    pub(crate) origin: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The old and the new origin of a list of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenewedList {
    pub(crate) before: usize,
    pub(crate) now: usize,
}

/// The id of a resource type in its world, returned by [`World::iter_resources`](crate::world::World::iter_resources).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResourceId(pub(crate) u32);

/// The entry of one resource type. The value is on the heap, so that it may be borrowed mutably by its address while the list of resources
/// is borrowed shared.
struct ResourceSlot {
    descriptor: &'static ComponentDescriptor,
    /// Returns the id of the type in other resources, and registers it there if necessary.
    register: fn(&mut Resources) -> ResourceId,
    /// The functions of a non-send value, which users do not see as a resource; `None` for resources.
    on_thread: Option<OnThreadPlace>,
    /// A value of the type of the descriptor; `None` if it does not exist or is taken out.
    value: Option<ErasedValue>,
    ticks: TickCells,
    /// Whether the value was taken out, and its return has not been processed yet.
    is_lent: bool,
    /// The state while the value is taken out. It is created when the value is taken out for the first time.
    lent: Option<Box<LentState>>,
}

/// The functions of the non-send value in an entry, type-erased.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "without threads there is no non-send value"))]
struct OnThreadPlace {
    name: fn() -> &'static str,
    check: fn(ErasedRef<'_>) -> Result<(), String>,
}

/// The state of an entry whose value is taken out.
struct LentState {
    returned: Mailbox<TakenValue>,
    /// A value that was inserted while the original value was taken out.
    meanwhile: Option<TakenValue>,
}

/// A value that is not in its entry, with its ticks.
pub(crate) struct TakenValue {
    value: ErasedValue,
    pub(crate) ticks: TickCells,
}

/// A resource that is temporarily taken out of its entry.
pub(crate) struct ResourceLoan<R: Resource> {
    held: TakenValue,
    id: ResourceId,
    home: Sender<TakenValue>,
    marker: PhantomData<R>,
}

impl<R: Resource> ResourceLoan<R> {
    /// Returns the resource, and the ticks at which it was added and changed.
    pub(crate) fn get_mut(&mut self) -> (&mut R, &TickCells) {
        match self.held.value.downcast_mut() {
            Some(value) => (value, &self.held.ticks),
            None => unreachable!("the value was taken out of the place of its type"),
        }
    }

    /// Sends the resource back to its entry, even if the world has been moved.
    #[cold]
    pub(crate) fn send_back(self) {
        // If the place no longer exists, `send` returns the resource, and it is dropped.
        drop(self.home.send(self.held));
    }
}

impl ResourceSlot {
    /// Returns the current value of an entry whose value is taken out: the value that was returned last or, if none was returned, the value
    /// that was inserted in the meantime.
    #[cold]
    fn taken_value(&self) -> Option<&TakenValue> {
        let lent = self.lent.as_ref()?;
        lent.returned.newest().or(lent.meanwhile.as_ref())
    }

    /// Returns the address and the ticks of the current value of an entry whose value is taken out.
    #[cold]
    #[inline(never)]
    fn raw_elsewhere(&self) -> Option<(NonNull<u8>, &TickCells)> {
        self.taken_value().map(|held| (held.value.data(), &held.ticks))
    }

    /// Returns the value, and its ticks.
    #[inline]
    fn get(&self) -> Option<(&ErasedValue, &TickCells)> {
        match &self.value {
            Some(value) => Some((value, &self.ticks)),
            None if self.lent.is_none() => None,
            None => self.taken_value().map(|held| (&held.value, &held.ticks)),
        }
    }

    /// Returns the value, borrowed mutably, and its ticks.
    fn get_mut(&mut self) -> Option<(ErasedRefMut<'_>, &TickCells)> {
        self.settle();
        match (&mut self.value, &mut self.lent) {
            (Some(value), _) => Some((value.as_mut(), &self.ticks)),
            (None, Some(lent)) => lent.meanwhile.as_mut().map(|held| (held.value.as_mut(), &held.ticks)),
            (None, None) => None,
        }
    }

    /// Removes and returns the value with its ticks; `None` if it is taken out.
    fn take_held(&mut self) -> Option<TakenValue> {
        self.value.take().map(|value| TakenValue { value, ticks: self.ticks.clone() })
    }

    /// Puts a value with its ticks into the entry. The value of the entry must not be taken out.
    fn put_held(&mut self, held: TakenValue) {
        self.ticks.copy_from(&held.ticks);
        self.value = Some(held.value);
    }

    /// Puts the value that was returned last into the entry. Other returned values, and a value that was inserted in the meantime, are
    /// dropped.
    #[inline]
    fn settle(&mut self) {
        if self.is_lent {
            self.take_back();
        }
    }

    #[cold]
    fn take_back(&mut self) {
        let Some(lent) = &mut self.lent else { return };
        // `expects_nothing` is read before the values are taken: if no value is expected now, all values that come back are already in the
        // mailbox.
        let expects_nothing = lent.returned.expects_nothing();
        let mut replaced = lent.returned.take();
        if let Some(newest) = replaced.pop() {
            replaced.extend(lent.meanwhile.replace(newest));
        }
        if expects_nothing {
            self.is_lent = false;
            if let Some(held) = lent.meanwhile.take() {
                self.put_held(held);
            }
        }
        drop(replaced);
    }

    /// Puts a value into the entry and returns the old value.
    fn replace(&mut self, value: ErasedValue, now: WriteStamp) -> Option<ErasedValue> {
        self.settle();
        if let (true, Some(lent)) = (self.is_lent, &mut self.lent) {
            let held = TakenValue { value, ticks: TickCells::default() };
            let old = lent.meanwhile.take();
            match &old {
                Some(old) => held.ticks.copy_from(&old.ticks),
                None => held.ticks.set_added(now),
            }
            held.ticks.set_changed(now);
            lent.meanwhile = Some(held);
            return old.map(|old| old.value);
        }
        let old = self.value.replace(value);
        if old.is_none() {
            self.ticks.set_added(now)
        } else {
            self.ticks.set_changed(now)
        }
        old
    }

    /// Removes and returns the value.
    fn take(&mut self) -> Option<ErasedValue> {
        self.settle();
        match &mut self.lent {
            Some(lent) if self.is_lent => lent.meanwhile.take().map(|held| held.value),
            _ => self.value.take(),
        }
    }
}

/// A resource that is a list of messages, and its type-erased functions.
struct MessageList {
    id: ResourceId,
    numbers: fn(ErasedRef<'_>) -> Option<MessageNumbers>,
    age: fn(ErasedRefMut<'_>, u64),
    renew: fn(ErasedRefMut<'_>) -> Option<RenewedList>,
}

impl MessageList {
    /// Returns the functions for `R`; `None` if it is not a list of messages.
    fn new<R: Resource>(id: ResourceId) -> Option<Self> {
        R::AGEING.map(|_| Self {
            id,
            numbers: |list| Some((R::AGEING?.numbers)(list.downcast_ref()?)),
            age: |list, held_from| {
                if let (Some(ageing), Some(list)) = (R::AGEING, list.into_mut()) {
                    (ageing.age)(list, held_from);
                }
            },
            renew: |list| Some((R::AGEING?.renew)(list.into_mut()?)),
        })
    }
}

/// All resources of a world.
#[derive(Default)]
#[doc(hidden)]
pub struct Resources {
    places: Vec<ResourceSlot>,
    ids: SlotMap,
    /// The resources that are lists of messages.
    messages: Vec<MessageList>,
}

impl Resources {
    /// Returns the id of a resource type; `None` if it is not registered in this world.
    #[inline]
    pub(crate) fn id<R: Resource>(&self) -> Option<ResourceId> {
        self.ids.get::<R>(R::slot()).map(ResourceId)
    }

    /// Returns the id of a resource type, and registers it if necessary.
    pub(crate) fn register<R: Resource>(&mut self) -> ResourceId {
        if let Some(id) = self.id::<R>() {
            return id;
        }
        if R::AGEING.is_some() {
            self.messages.reserve(1);
        }
        let descriptor = ComponentDescriptor::of_resource::<R>();
        self.check_name(descriptor);
        let (before, ticks) = (self.places.len(), TickCells::default());
        let on_thread = R::ON_THREAD.map(|on_thread| OnThreadPlace {
            name: on_thread.name,
            check: |value| match (R::ON_THREAD, value.downcast_ref()) {
                (Some(on_thread), Some(value)) => (on_thread.check)(value),
                _ => Ok(()),
            },
        });
        let register = Self::register::<R>;
        let place =
            |_| ResourceSlot { descriptor, register, on_thread, value: None, ticks, is_lent: false, lent: None };
        let number = self.ids.register(R::slot(), &mut self.places, place);
        if self.places.len() != before {
            // `extend` does not allocate, because capacity was reserved.
            self.messages.extend(MessageList::new::<R>(ResourceId(number)));
        }
        ResourceId(number)
    }

    /// Checks the stable name of a resource that is about to be registered against the names of the registered resources.
    ///
    /// # Panics
    ///
    /// If another resource has the same name, which an attribute gave to one of the two.
    fn check_name(&self, new: &ComponentDescriptor) {
        let Some(name) = new.stable_name() else { return };
        let excludes = |other: &&ComponentDescriptor| {
            other.identity() != new.identity() && other.stable_name().is_some_and(|other| other.excludes(&name))
        };
        if let Some(other) = self.places.iter().map(|place| place.descriptor).find(excludes) {
            panic!(
                "resources `{}` and `{}` have the same stable name {name:?}: give one of them another one, \
                 `#[resource(name = \"..\")]`",
                other.name(),
                new.name()
            );
        }
    }

    /// Inserts a resource and returns the old value.
    pub(crate) fn insert<R: Resource>(&mut self, resource: R, now: WriteStamp) -> Option<R> {
        let id = self.register::<R>();
        let new = ErasedValue::of_box(ComponentDescriptor::of_resource::<R>(), Box::new(resource));
        self.places[id.0 as usize].replace(new, now)?.downcast().ok()
    }

    /// Takes a resource out of its entry temporarily.
    pub(crate) fn lend<R: Resource>(&mut self) -> Option<ResourceLoan<R>> {
        let id = self.id::<R>()?;
        let place = &mut self.places[id.0 as usize];
        place.settle();
        // The mailbox is created before the value is taken out, since the allocation may fail.
        let lent = place.lent.get_or_insert_with(|| Box::new(LentState { returned: Mailbox::new(), meanwhile: None }));
        let home = lent.returned.sender();
        let held = if place.is_lent { lent.meanwhile.take()? } else { place.take_held()? };
        place.is_lent = true;
        Some(ResourceLoan { held, id, home, marker: PhantomData })
    }

    /// Puts a resource back into its entry. A value that was inserted in the meantime is dropped. If the resource was taken out of other
    /// `Resources`, it is dropped.
    pub(crate) fn put_back<R: Resource>(&mut self, loan: ResourceLoan<R>) {
        let ResourceLoan { held, id, home, .. } = loan;
        let Some(place) = self.places.get_mut(id.0 as usize) else { return };
        let Some(lent) = place.lent.as_mut().filter(|lent| lent.returned.is_of(&home)) else { return };
        // The loan is newer than values that have come back through the mailbox, so it replaces them.
        let mut replaced = lent.returned.take();
        replaced.extend(lent.meanwhile.replace(held));
        drop(home);
        place.settle();
        drop(replaced);
    }

    /// Returns the resource. If it does not exist, inserts the default value first.
    pub(crate) fn get_or_init<R: Resource + Default>(&mut self, now: WriteStamp) -> &mut R {
        let id = self.register::<R>();
        if self.get_mut_at::<R>(id).is_none() {
            self.places[id.0 as usize]
                .replace(ErasedValue::of_box(ComponentDescriptor::of_resource::<R>(), Box::new(R::default())), now);
        }
        match self.get_mut_at(id) {
            Some((resource, _)) => resource,
            None => unreachable!("the resource was just made"),
        }
    }

    /// Removes and returns a resource.
    pub(crate) fn remove<R: Resource>(&mut self) -> Option<R> {
        let id = self.id::<R>()?;
        self.places[id.0 as usize].take()?.downcast().ok()
    }

    /// Returns the name of the type of the resource with this id.
    pub(crate) fn name(&self, id: ResourceId) -> &'static str {
        self.places[id.0 as usize].descriptor.name()
    }

    /// Returns the address of the resource with this id, and the ticks at which it was added and changed; `None` if it does not exist.
    #[inline]
    pub(crate) fn raw(&self, id: ResourceId) -> Option<(NonNull<u8>, &TickCells)> {
        let place = self.places.get(id.0 as usize)?;
        let Some(value) = &place.value else { return place.raw_elsewhere() };
        Some((value.data(), &place.ticks))
    }

    /// Returns the ticks at which a resource was added and changed; `None` if it does not exist.
    pub(crate) fn ticks<R: Resource>(&self) -> Option<&TickCells> {
        self.raw(self.id::<R>()?).map(|(_, ticks)| ticks)
    }

    /// Clamps ticks that are older than the oldest distinguishable age; see [`Tick::clamped`].
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        for place in &self.places {
            place.ticks.clamp(now);
            if let Some((_, ticks)) = place.get() {
                ticks.clamp(now);
            }
        }
    }

    /// Returns the resource.
    #[inline]
    pub(crate) fn get<R: Resource>(&self) -> Option<&R> {
        let (value, _) = self.raw(self.id::<R>()?)?;
        // SAFETY: the place of `R` holds an `R`. `&self` keeps other code from borrowing it mutably: code that does so through the raw
        // pointer ensures that it is not borrowed otherwise.
        Some(unsafe { value.cast::<R>().as_ref() })
    }

    /// Borrows the resource mutably, and returns the ticks at which it was added and changed.
    #[inline]
    pub(crate) fn get_mut<R: Resource>(&mut self) -> Option<(&mut R, &TickCells)> {
        let id = self.id::<R>()?;
        self.get_mut_at(id)
    }

    /// Borrows the resource with this id mutably, and returns the ticks at which it was added and changed. The id must be the id of `R`.
    #[inline]
    fn get_mut_at<R: Resource>(&mut self, id: ResourceId) -> Option<(&mut R, &TickCells)> {
        let place = &mut self.places[id.0 as usize];
        place.settle();
        let (value, ticks) = match place.value.as_ref().map(ErasedValue::data) {
            Some(value) => (value, &place.ticks),
            None => place.get_mut().map(|(value, ticks)| (value.as_ptr(), ticks))?,
        };
        // SAFETY: the place of `R` holds an `R`, which is borrowed mutably as long as the place is.
        Some((unsafe { value.cast::<R>().as_mut() }, ticks))
    }

    /// Ages all messages. For each list, `held_from` returns the number of the first message that is kept. If the `Drop` of a message
    /// panics, the remaining lists are still aged.
    pub(crate) fn age_messages(&mut self, held_from: impl Fn(ResourceId, MessageNumbers) -> u64) {
        let Self { places, messages, .. } = self;
        for_each_despite_panics(messages.iter(), |list| {
            if let Some((mut value, _)) = places[list.id.0 as usize].get_mut()
                && let Some(numbers) = (list.numbers)(value.as_ref())
            {
                (list.age)(value.reborrow(), held_from(list.id, numbers));
            }
        });
    }

    /// Returns whether any list of messages is registered.
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Returns the numbers of a list of messages; `None` if it does not exist.
    pub(crate) fn message_numbers(&mut self, id: ResourceId) -> Option<MessageNumbers> {
        let list = self.messages.iter().find(|list| list.id == id)?;
        let (value, _) = self.places[id.0 as usize].get()?;
        (list.numbers)(value.as_ref())
    }

    /// Returns the descriptors of the registered types, including those without a value.
    pub fn types(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.places.iter().filter(|place| place.on_thread.is_none()).map(|place| place.descriptor)
    }

    /// Returns the descriptors of the resources that exist, in the order in which the world registered their types.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.iter().map(|(_, value)| value.descriptor())
    }

    /// Returns the resources that exist, in the order of registration.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ResourceId, ErasedRef<'_>)> {
        (0..self.places.len()).filter_map(|number| {
            let id = ResourceId(number as u32);
            Some((id, self.get_by_id(id)?))
        })
    }

    /// Returns the resources that exist, borrowed mutably, with their ticks, in the order of registration.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (ResourceId, ErasedRefMut<'_>, &TickCells)> {
        let places = self.places.iter_mut().enumerate().filter(|(_, place)| place.on_thread.is_none());
        places.filter_map(|(number, place)| {
            let (value, ticks) = place.get_mut()?;
            Some((ResourceId(number as u32), value, ticks))
        })
    }

    /// Returns the resource with this id, if it exists.
    pub(crate) fn get_by_id(&self, id: ResourceId) -> Option<ErasedRef<'_>> {
        let place = self.places.get(id.0 as usize).filter(|place| place.on_thread.is_none())?;
        place.get().map(|(value, _)| value.as_ref())
    }

    /// Returns the resource with this id, borrowed mutably, with its ticks.
    pub(crate) fn get_mut_by_id(&mut self, id: ResourceId) -> Option<(ErasedRefMut<'_>, &TickCells)> {
        self.places.get_mut(id.0 as usize).filter(|place| place.on_thread.is_none())?.get_mut()
    }

    /// Drops all non-send values.
    ///
    /// # Errors
    ///
    /// If one of them belongs to another thread. Then none of them is dropped. The text names the value.
    #[cfg(feature = "std")]
    pub(crate) fn clear_non_send(&mut self) -> Result<(), String> {
        for place in &self.places {
            if let (Some(on_thread), Some((value, _))) = (place.on_thread, place.get()) {
                (on_thread.check)(value.as_ref())?;
            }
        }
        self.clear_places(true);
        Ok(())
    }

    /// Drops all resources that exist, except non-send values. Resources that are taken out can still be put back later.
    pub(crate) fn clear(&mut self) {
        self.clear_places(false);
    }

    /// If `on_thread` is true, drops all non-send values, which must belong to this thread. Otherwise drops all other resources.
    fn clear_places(&mut self, on_thread: bool) {
        let places = self.places.iter_mut().filter(|place| place.on_thread.is_some() == on_thread);
        for_each_despite_panics(places, |place| drop(place.take()));
    }

    /// Returns the names of the non-send values that exist, in the order in which the world registered their types.
    #[cfg(feature = "std")]
    pub(crate) fn non_send_names(&self) -> impl Iterator<Item = &'static str> {
        let existing = self.places.iter().filter(|place| place.get().is_some());
        existing.filter_map(|place| place.on_thread.map(|on_thread| (on_thread.name)()))
    }
}
