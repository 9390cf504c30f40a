//! Resources: values of which a world has at most one per type.

pub use crate::map::resource::*;

mod copy;

pub(crate) use self::copy::{NewResource, ResourceClones, ResourceCopies, ResourceValue};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use crate::component::{
    ComponentDescriptor, ComponentKey, Description, ErasedRef, ErasedRefMut, Persistence, SlotMap, TypeSlot,
    UpgradeList,
};
use crate::guard::for_each_despite_panics;
use crate::mailbox::{Mailbox, Sender};
use crate::term::short_name;
use crate::tick::{Tick, TickCells, WriteStamp};

/// A value of which a world has at most one: time, settings, an asset table, a random number generator.
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
    /// A number that is the same for the same type while the program is compiled, for checks at that time. None if there
    /// are none.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// What else is known of the type: its stable name, functions, and fields.
    const DESCRIPTION: Description<Self> = Description::new();

    /// What a program does to have the resource, as errors say where it does not exist: the option `missing` of the derive. `{}` stands for
    /// the type parameters.
    const MISSING: &'static str = "insert it with `World::insert_resource` or `World::init_resource`";

    /// How the resource ages, if it is a list of messages.
    #[doc(hidden)]
    const AGEING: Option<Ageing<Self>> = None;

    /// What is known of the value that it holds, if that is a non-send one.
    #[doc(hidden)]
    const ON_THREAD: Option<NonSendValue<Self>> = None;

    /// Lists what makes a value of this version of one of an older version: the option `upgrade` of the derive.
    fn upgrades<L: UpgradeList<Self>>(_: &mut L) {}

    /// How the resource takes part in snapshots, files and comparisons: the options `transient`, `save` and `persistence` of the derive.
    fn persistence() -> Persistence<Self> {
        Persistence::Listed
    }

    /// Where the process remembers a number for this type, if it has such a place.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// What is wrong where a resource does not exist, and what a program does to have it.
#[cold]
pub(crate) fn missing_text<R: Resource>() -> String {
    let name = type_name::<R>();
    let parameters = name.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).unwrap_or_default();
    alloc::format!("resource `{name}` does not exist; {}", R::MISSING.replace("{}", &short_name(parameters)))
}

/// How a list of messages ages with the frames of its world.
#[doc(hidden)]
pub struct Ageing<R> {
    pub(crate) numbers: fn(&R) -> MessageNumbers,
    /// Lets what has aged once before go, and what has not age: but for messages from this number on.
    pub(crate) age: fn(&mut R, held_from: u64),
    /// Makes cursors of before know that the messages are others now.
    pub(crate) renew: fn(&mut R) -> Renewed,
}

/// What is known of a value that stays on one thread.
#[doc(hidden)]
pub struct NonSendValue<R> {
    /// Of its type.
    pub(crate) name: fn() -> &'static str,
    /// Fails, with a text, on a thread that the value does not belong to.
    pub(crate) check: fn(&R) -> Result<(), String>,
}

/// Which list of messages it is, the number of the first message in it, and that of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageNumbers {
    pub(crate) origin: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The number that told a list of messages apart before it got another one, and that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewed {
    pub(crate) before: usize,
    pub(crate) now: usize,
}

/// The number of a resource type in its world, by [`World::iter_resources`](crate::world::World::iter_resources).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResourceId(pub(crate) u32);

/// The place of one resource type. The value lies on the heap, behind a plain pointer: it may be borrowed mutably while
/// the list of resources is only shared.
struct Place {
    descriptor: &'static ComponentDescriptor,
    /// Finds the number of the type in other resources, which is registered there if need be.
    register: fn(&mut Resources) -> ResourceId,
    /// Of a non-send value, which is no resource to users.
    on_thread: Option<OnThreadPlace>,
    /// None as long as something is lent out of the place.
    value: Option<NonNull<u8>>,
    ticks: TickCells,
    drop: unsafe fn(NonNull<u8>),
    /// Whether anything was lent out of the place that has not come back, as far as is known.
    is_lent: bool,
    /// There is one as soon as something has been lent.
    lent: Option<Box<Lent>>,
}

/// What a place knows of the non-send value in it.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "without threads there is no non-send value"))]
struct OnThreadPlace {
    name: fn() -> &'static str,
    check: unsafe fn(NonNull<u8>) -> Result<(), String>,
}

/// What stands for a value that is lent out of its place.
struct Lent {
    returned: Mailbox<Held>,
    /// What came into the place meanwhile.
    meanwhile: Option<Held>,
}

/// A value outside of its place.
pub(crate) struct Held {
    value: NonNull<u8>,
    pub(crate) ticks: TickCells,
    drop: unsafe fn(NonNull<u8>),
}

// SAFETY: the value is a resource, which is `Send`.
unsafe impl Send for Held {}
// SAFETY: the value is a resource, which is `Sync`; through `&Held` it is not reached but by `Resources::raw`, whose pointer is
// used as its caller promises.
unsafe impl Sync for Held {}

impl Held {
    /// The address of the value, which is not dropped any more.
    fn into_address(self) -> NonNull<u8> {
        ManuallyDrop::new(self).value
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the value came from `Box::into_raw` of the type that `drop` belongs to, and is owned by this.
        unsafe { (self.drop)(self.value) }
    }
}

/// A resource that was taken out of its place for a while.
pub(crate) struct Loan<R: Resource> {
    held: Held,
    id: ResourceId,
    home: Sender<Held>,
    marker: PhantomData<R>,
}

impl<R: Resource> Loan<R> {
    /// The resource, and when it was added and changed.
    pub(crate) fn get_mut(&mut self) -> (&mut R, &TickCells) {
        // SAFETY: it was taken out of the place of `R`, and `&mut self` makes this the only borrow.
        (unsafe { self.held.value.cast::<R>().as_mut() }, &self.held.ticks)
    }

    /// Sends the resource back to its place, wherever that is.
    #[cold]
    pub(crate) fn send_back(self) {
        // Without a place it is dropped.
        drop(self.home.send(self.held));
    }
}

impl Place {
    /// What is in the place while something is lent out of it: the last thing that has come back, or else what has come
    /// meanwhile.
    #[cold]
    fn elsewhere(&self) -> Option<&Held> {
        let lent = self.lent.as_ref()?;
        lent.returned.newest().or(lent.meanwhile.as_ref())
    }

    /// Where the value is, and its ticks.
    #[inline]
    fn get(&self) -> Option<(NonNull<u8>, &TickCells)> {
        match self.value {
            Some(value) => Some((value, &self.ticks)),
            None if self.lent.is_none() => None,
            None => self.elsewhere().map(|held| (held.value, &held.ticks)),
        }
    }

    /// Puts what has come back to its place. What came meanwhile is dropped.
    #[inline]
    fn settle(&mut self) {
        if self.is_lent {
            self.take_back();
        }
    }

    #[cold]
    fn take_back(&mut self) {
        let Some(lent) = &mut self.lent else { return };
        // All that has come back is there if nothing is expected any more; the other way round it might come in between.
        let expects_nothing = lent.returned.expects_nothing();
        let mut replaced = lent.returned.take();
        if let Some(newest) = replaced.pop() {
            replaced.extend(lent.meanwhile.replace(newest));
        }
        if expects_nothing {
            self.is_lent = false;
            if let Some(held) = lent.meanwhile.take() {
                self.ticks.copy_from(&held.ticks);
                self.value = Some(held.into_address());
            }
        }
        drop(replaced);
    }

    /// The value, to change it, and its ticks. Non-send values are not shown.
    fn erased_mut(&mut self) -> Option<(ErasedRefMut<'_>, &TickCells)> {
        if self.on_thread.is_some() {
            return None;
        }
        self.settle();
        let (value, ticks) = self.get()?;
        // SAFETY: the place holds a value of the type that the descriptor describes, and `&mut self` makes this the only borrow of it.
        Some((unsafe { ErasedRefMut::new(self.descriptor, value) }, ticks))
    }

    /// Puts a value into the place and returns the one that was there.
    fn replace(&mut self, value: NonNull<u8>, now: WriteStamp) -> Option<NonNull<u8>> {
        self.settle();
        if let (true, Some(lent)) = (self.is_lent, &mut self.lent) {
            let held = Held { value, ticks: TickCells::default(), drop: self.drop };
            let old = lent.meanwhile.take();
            match &old {
                Some(old) => held.ticks.copy_from(&old.ticks),
                None => held.ticks.set_added(now),
            }
            held.ticks.set_changed(now);
            lent.meanwhile = Some(held);
            return old.map(Held::into_address);
        }
        let old = self.value.replace(value);
        if old.is_none() {
            self.ticks.set_added(now)
        } else {
            self.ticks.set_changed(now)
        }
        old
    }

    /// Takes the value out.
    fn take(&mut self) -> Option<NonNull<u8>> {
        self.settle();
        match &mut self.lent {
            Some(lent) if self.is_lent => lent.meanwhile.take().map(Held::into_address),
            _ => self.value.take(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            // SAFETY: the value came from `Box::into_raw` of the type that `drop` belongs to; no other code has it.
            unsafe { (self.drop)(value) }
        }
    }
}

/// # Safety
///
/// - `value` came from `Box::into_raw` of a `Box<R>` and is not used again.
unsafe fn drop_box<R>(value: NonNull<u8>) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(value.cast::<R>().as_ptr()) });
}

/// # Safety
///
/// - `value` points to an `R` that no other code uses.
unsafe fn age<R: Resource>(value: NonNull<u8>, held_from: u64) {
    if let Some(ageing) = R::AGEING {
        // SAFETY: the caller's promise.
        (ageing.age)(unsafe { value.cast::<R>().as_mut() }, held_from);
    }
}

/// # Safety
///
/// - `value` points to an `R` that no other code changes.
unsafe fn numbers<R: Resource>(value: NonNull<u8>) -> Option<MessageNumbers> {
    // SAFETY: the caller's promise.
    R::AGEING.map(|ageing| (ageing.numbers)(unsafe { value.cast::<R>().as_ref() }))
}

/// # Safety
///
/// - The value is an `R`, and nothing else uses it.
unsafe fn renew<R: Resource>(value: NonNull<u8>) -> Option<Renewed> {
    // SAFETY: the caller's promise.
    R::AGEING.map(|ageing| (ageing.renew)(unsafe { value.cast::<R>().as_mut() }))
}

/// # Safety
///
/// - `value` points to an `R` that no other code changes.
unsafe fn check_thread<R: Resource>(value: NonNull<u8>) -> Result<(), String> {
    // SAFETY: the caller's promise.
    R::ON_THREAD.map_or(Ok(()), |on_thread| (on_thread.check)(unsafe { value.cast::<R>().as_ref() }))
}

/// A list of messages among the resources.
struct MessageList {
    id: ResourceId,
    numbers: unsafe fn(NonNull<u8>) -> Option<MessageNumbers>,
    age: unsafe fn(NonNull<u8>, u64),
    renew: unsafe fn(NonNull<u8>) -> Option<Renewed>,
}

/// All resources of a world.
#[derive(Default)]
#[doc(hidden)]
pub struct Resources {
    places: Vec<Place>,
    ids: SlotMap,
    /// Those that are lists of messages.
    messages: Vec<MessageList>,
}

// SAFETY: the values are resources, which are `Send`.
unsafe impl Send for Resources {}
// SAFETY: through `&Resources` only shared references to values can be had, and resources are `Sync`; the raw access
// below is unsafe.
unsafe impl Sync for Resources {}

impl Resources {
    /// The number of a resource type, if this world has met it.
    #[inline]
    pub(crate) fn id<R: Resource>(&self) -> Option<ResourceId> {
        self.ids.get::<R>(R::slot()).map(ResourceId)
    }

    /// The number of a resource type, which is registered now if need be.
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
        let on_thread = R::ON_THREAD.map(|on_thread| OnThreadPlace { name: on_thread.name, check: check_thread::<R> });
        let place = |_| Place {
            descriptor,
            register: Self::register::<R>,
            on_thread,
            value: None,
            ticks,
            drop: drop_box::<R>,
            is_lent: false,
            lent: None,
        };
        let number = self.ids.register(R::slot(), &mut self.places, place);
        if R::AGEING.is_some() && self.places.len() != before {
            // There is room for it.
            self.messages.push(MessageList {
                id: ResourceId(number),
                numbers: numbers::<R>,
                age: age::<R>,
                renew: renew::<R>,
            });
        }
        ResourceId(number)
    }

    /// Compares the stable name of a resource that is about to be registered with those of the others.
    ///
    /// # Panics
    ///
    /// If another resource has the same one, and it was given to one of the two.
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

    /// Sets a resource and returns the old one.
    pub(crate) fn insert<R: Resource>(&mut self, resource: R, now: WriteStamp) -> Option<R> {
        let id = self.register::<R>();
        let new = NonNull::from(Box::leak(Box::new(resource))).cast();
        let old = self.places[id.0 as usize].replace(new, now);
        // SAFETY: a value in the place of `R` came from `Box::<R>::into_raw`, and the place has let go of it.
        old.map(|old| *unsafe { Box::from_raw(old.cast::<R>().as_ptr()) })
    }

    /// Takes a resource out for a while.
    pub(crate) fn lend<R: Resource>(&mut self) -> Option<Loan<R>> {
        let id = self.id::<R>()?;
        let place = &mut self.places[id.0 as usize];
        place.settle();
        // What is made here has to be there before the value is out of its place.
        let lent = place.lent.get_or_insert_with(|| Box::new(Lent { returned: Mailbox::new(), meanwhile: None }));
        let home = lent.returned.sender();
        let held = if place.is_lent {
            lent.meanwhile.take()?
        } else {
            Held { value: place.value.take()?, ticks: place.ticks.clone(), drop: place.drop }
        };
        place.is_lent = true;
        Some(Loan { held, id, home, marker: PhantomData })
    }

    /// Puts a resource back that was taken out of these. One that has come meanwhile is dropped.
    pub(crate) fn put_back<R: Resource>(&mut self, loan: Loan<R>) {
        let Loan { held, id, home, .. } = loan;
        let Some(place) = self.places.get_mut(id.0 as usize) else { return };
        let Some(lent) = place.lent.as_mut().filter(|lent| lent.returned.is_of(&home)) else { return };
        // So it is newer than what has come back by itself.
        let mut replaced = lent.returned.take();
        replaced.extend(lent.meanwhile.replace(held));
        drop(home);
        place.settle();
        drop(replaced);
    }

    /// The resource, which is made first if it does not exist.
    pub(crate) fn get_or_init<R: Resource + Default>(&mut self, now: WriteStamp) -> &mut R {
        let id = self.register::<R>();
        let place = &mut self.places[id.0 as usize];
        place.settle();
        let value = match place.get() {
            Some((value, _)) => value,
            None => {
                let new = NonNull::from(Box::leak(Box::new(R::default()))).cast();
                place.replace(new, now);
                new
            }
        };
        // SAFETY: the place of `R` holds an `R`, and `&mut self` makes this the only borrow.
        unsafe { value.cast::<R>().as_mut() }
    }

    /// Takes a resource out.
    pub(crate) fn remove<R: Resource>(&mut self) -> Option<R> {
        let id = self.id::<R>()?;
        let old = self.places[id.0 as usize].take()?;
        // SAFETY: a value in the place of `R` came from `Box::<R>::into_raw`, and the place has let go of it.
        Some(*unsafe { Box::from_raw(old.cast::<R>().as_ptr()) })
    }

    /// The name of the type of the resource with this number.
    pub(crate) fn name(&self, id: ResourceId) -> &'static str {
        self.places[id.0 as usize].descriptor.name()
    }

    /// Where the resource with this number is, if there is one, and when it was added and changed.
    #[inline]
    pub(crate) fn raw(&self, id: ResourceId) -> Option<(NonNull<u8>, &TickCells)> {
        self.places.get(id.0 as usize)?.get()
    }

    /// When a resource was added and changed, if there is one.
    pub(crate) fn ticks<R: Resource>(&self) -> Option<&TickCells> {
        self.raw(self.id::<R>()?).map(|(_, ticks)| ticks)
    }

    /// Brings ticks that are too old to be told from older ones forward.
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        for place in &self.places {
            place.ticks.clamp(now);
            if let Some((_, ticks)) = place.get() {
                ticks.clamp(now);
            }
        }
    }

    /// The resource.
    #[inline]
    pub(crate) fn get<R: Resource>(&self) -> Option<&R> {
        let (value, _) = self.raw(self.id::<R>()?)?;
        // SAFETY: the place of `R` holds an `R`. `&self` keeps other code from borrowing it mutably: code that does so through
        // the raw pointer promises that it is not borrowed otherwise.
        Some(unsafe { value.cast::<R>().as_ref() })
    }

    /// The resource, to change it, and when it was added and changed.
    #[inline]
    pub(crate) fn get_mut<R: Resource>(&mut self) -> Option<(&mut R, &TickCells)> {
        let id = self.id::<R>()?;
        self.places[id.0 as usize].settle();
        let (value, ticks) = self.raw(id)?;
        // SAFETY: the place of `R` holds an `R`, and `&mut self` makes this the only borrow.
        Some((unsafe { &mut *ptr::from_mut(value.cast::<R>().as_mut()) }, ticks))
    }

    /// Has all messages age; `held_from` says from which number on those of a list stay. If the `Drop` of one panics, the rest of
    /// them have aged.
    pub(crate) fn age_messages(&mut self, held_from: impl Fn(ResourceId, MessageNumbers) -> u64) {
        let Self { places, messages, .. } = self;
        for_each_despite_panics(messages.iter(), |list| {
            let place = &mut places[list.id.0 as usize];
            place.settle();
            if let Some((value, _)) = place.get() {
                // SAFETY: functions and number were entered together, for one type, and the place holds a value of that. `&mut
                // self` makes this the only borrow.
                unsafe {
                    if let Some(numbers) = (list.numbers)(value) {
                        (list.age)(value, held_from(list.id, numbers));
                    }
                }
            }
        });
    }

    /// Whether the world has met any list of messages.
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        !self.messages.is_empty()
    }

    /// The numbers of a list of messages, if it is there.
    pub(crate) fn message_numbers(&mut self, id: ResourceId) -> Option<MessageNumbers> {
        let list = self.messages.iter().find(|list| list.id == id)?;
        let (value, _) = self.places[id.0 as usize].get()?;
        // SAFETY: the function was entered with the number, for one type, and the place holds a value of that. `&mut self`
        // makes this the only borrow.
        unsafe { (list.numbers)(value) }
    }

    /// The types that the world has met, whether there is a value or not.
    pub fn types(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.places.iter().filter(|place| place.on_thread.is_none()).map(|place| place.descriptor)
    }

    /// The resources that are there, in the order in which the world met their types.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static ComponentDescriptor> {
        self.iter().map(|(_, value)| value.descriptor())
    }

    /// The resources that are there, in the same order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ResourceId, ErasedRef<'_>)> {
        (0..self.places.len()).filter_map(|number| {
            let id = ResourceId(number as u32);
            Some((id, self.get_by_id(id)?))
        })
    }

    /// The same, to change them, with their ticks.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (ResourceId, ErasedRefMut<'_>, &TickCells)> {
        self.places.iter_mut().enumerate().filter_map(|(number, place)| {
            let (value, ticks) = place.erased_mut()?;
            Some((ResourceId(number as u32), value, ticks))
        })
    }

    /// The resource with this number, if there is one.
    pub(crate) fn get_by_id(&self, id: ResourceId) -> Option<ErasedRef<'_>> {
        let place = self.places.get(id.0 as usize).filter(|place| place.on_thread.is_none())?;
        let (value, _) = place.get()?;
        // SAFETY: the place holds a value of the type that the descriptor describes. `&self` keeps other code from borrowing it mutably,
        // as for `get`.
        Some(unsafe { ErasedRef::new(place.descriptor, value) })
    }

    /// The resource with this number, to change it, with its ticks.
    pub(crate) fn get_mut_by_id(&mut self, id: ResourceId) -> Option<(ErasedRefMut<'_>, &TickCells)> {
        self.places.get_mut(id.0 as usize)?.erased_mut()
    }

    /// Drops all non-send values.
    ///
    /// # Errors
    ///
    /// If one belongs to another thread, with a text that names it. Then all of them stay.
    #[cfg(feature = "std")]
    pub(crate) fn clear_non_send(&mut self) -> Result<(), String> {
        for place in &self.places {
            if let (Some(on_thread), Some((value, _))) = (place.on_thread, place.get()) {
                // SAFETY: the function was entered with the place, for one type, and the place holds a value of that. `&mut
                // self` makes this the only borrow.
                unsafe { (on_thread.check)(value) }?;
            }
        }
        self.clear_places(true);
        Ok(())
    }

    /// Drops all resources that are there. Those that are lent out come back.
    pub(crate) fn clear(&mut self) {
        self.clear_places(false);
    }

    /// Drops all non-send values of this thread, or all others.
    fn clear_places(&mut self, on_thread: bool) {
        let places = self.places.iter_mut().filter(|place| place.on_thread.is_some() == on_thread);
        for_each_despite_panics(places, |place| {
            if let Some(value) = place.take() {
                // SAFETY: the value came from `Box::into_raw` of the type that `drop` belongs to, and the place has let go of it.
                unsafe { (place.drop)(value) }
            }
        });
    }

    /// The names of the non-send values that are there, in the order in which the world met their types.
    #[cfg(feature = "std")]
    pub(crate) fn non_send_names(&self) -> impl Iterator<Item = &'static str> {
        self.places
            .iter()
            .filter(|place| place.get().is_some())
            .filter_map(|place| place.on_thread.map(|on_thread| (on_thread.name)()))
    }
}
