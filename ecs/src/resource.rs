//! Resources: values of which a world has at most one per type.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::ptr::{self, NonNull};

use crate::component::{ComponentKey, SlotMap, TypeSlot};
use crate::guard::for_each_despite_panics;
use crate::tick::{Moment, Tick, TickCells};

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
    message = "`{Self}` is not a resource: add `#[derive(Resource)]` to it",
    label = "not a resource"
)]
pub trait Resource: Send + Sync + Sized + 'static {
    /// A number that is the same for the same type while the program is compiled, for checks at that time. None if there
    /// are none.
    #[doc(hidden)]
    const KEY: Option<ComponentKey> = None;

    /// What happens to the resource when the messages of a world are updated.
    #[doc(hidden)]
    const UPDATE: Option<fn(&mut Self)> = None;

    /// Where the process remembers a number for this type, if it has such a place.
    #[doc(hidden)]
    fn slot() -> Option<&'static TypeSlot<Self>> {
        None
    }
}

/// The number of a resource type in its world.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResourceId(pub(crate) u32);

/// The place of one resource type. The value lies on the heap, behind a plain pointer: it may be borrowed mutably while
/// the list of resources is only shared.
struct Place {
    name: &'static str,
    value: Option<NonNull<u8>>,
    ticks: TickCells,
    drop: unsafe fn(NonNull<u8>),
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            // SAFETY: the value came from `Box::into_raw` of the type that `drop` belongs to; nobody else has it.
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
/// - `value` points to an `R` that nobody else uses.
unsafe fn update<R: Resource>(value: NonNull<u8>) {
    if let Some(update) = R::UPDATE {
        // SAFETY: the caller's promise.
        update(unsafe { value.cast::<R>().as_mut() });
    }
}

/// The number of a resource that is updated, and what does it.
type Update = (ResourceId, unsafe fn(NonNull<u8>));

/// All resources of a world.
#[derive(Default)]
pub struct Resources {
    places: Vec<Place>,
    ids: SlotMap,
    /// Those that [`Resources::update`] changes.
    updates: Vec<Update>,
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
        let number = self.ids.insert::<R>(R::slot(), self.places.len() as u32);
        if number as usize == self.places.len() {
            let ticks = TickCells::default();
            self.places.push(Place { name: type_name::<R>(), value: None, ticks, drop: drop_box::<R> });
            if R::UPDATE.is_some() {
                self.updates.push((ResourceId(number), update::<R>));
            }
        }
        ResourceId(number)
    }

    /// Sets a resource and returns the old one.
    pub(crate) fn insert<R: Resource>(&mut self, resource: R, now: Moment) -> Option<R> {
        let id = self.register::<R>();
        let new = NonNull::from(Box::leak(Box::new(resource))).cast();
        let place = &mut self.places[id.0 as usize];
        let old = place.value.replace(new);
        if old.is_none() {
            place.ticks.set_added(now)
        } else {
            place.ticks.set_changed(now)
        }
        // SAFETY: a value in the place of `R` came from `Box::<R>::into_raw`, and the place has let go of it.
        old.map(|old| *unsafe { Box::from_raw(old.cast::<R>().as_ptr()) })
    }

    /// Sets a resource that was there all the time, seen from outside. One that has come meanwhile is dropped.
    pub(crate) fn put_back<R: Resource>(&mut self, resource: R, ticks: &TickCells) {
        let now = Moment { tick: ticks.changed.get(), by: ticks.by.get() };
        let replaced = self.insert(resource, now);
        if let Some(place) = self.id::<R>().and_then(|id| self.places.get(id.0 as usize)) {
            place.ticks.copy_from(ticks);
        }
        drop(replaced);
    }

    /// The resource, which is made first if it does not exist.
    pub(crate) fn get_or_init<R: Resource + Default>(&mut self, now: Moment) -> &mut R {
        let id = self.register::<R>();
        let Place { value, ticks, .. } = &mut self.places[id.0 as usize];
        let value = value.get_or_insert_with(|| {
            ticks.set_added(now);
            NonNull::from(Box::leak(Box::new(R::default()))).cast()
        });
        // SAFETY: the place of `R` holds an `R`, and `&mut self` makes this the only borrow.
        unsafe { value.cast::<R>().as_mut() }
    }

    /// Takes a resource out.
    pub(crate) fn remove<R: Resource>(&mut self) -> Option<R> {
        let id = self.id::<R>()?;
        let old = self.places[id.0 as usize].value.take()?;
        // SAFETY: a value in the place of `R` came from `Box::<R>::into_raw`, and the place has let go of it.
        Some(*unsafe { Box::from_raw(old.cast::<R>().as_ptr()) })
    }

    /// Where the resource with this number is, if there is one, and when it was added and changed.
    #[inline]
    pub(crate) fn raw(&self, id: ResourceId) -> Option<(NonNull<u8>, &TickCells)> {
        let place = self.places.get(id.0 as usize)?;
        Some((place.value?, &place.ticks))
    }

    /// When a resource was added and changed, if there is one.
    pub(crate) fn ticks<R: Resource>(&self) -> Option<&TickCells> {
        self.raw(self.id::<R>()?).map(|(_, ticks)| ticks)
    }

    /// Brings ticks that are too old to be told from older ones forward.
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        self.places.iter().for_each(|place| place.ticks.clamp(now));
    }

    /// The resource.
    #[inline]
    pub(crate) fn get<R: Resource>(&self) -> Option<&R> {
        let (value, _) = self.raw(self.id::<R>()?)?;
        // SAFETY: the place of `R` holds an `R`. `&self` keeps others from borrowing it mutably: those who do so through
        // the raw pointer promise that it is not borrowed otherwise.
        Some(unsafe { value.cast::<R>().as_ref() })
    }

    /// The resource, to change it, and when it was added and changed.
    #[inline]
    pub(crate) fn get_mut<R: Resource>(&mut self) -> Option<(&mut R, &TickCells)> {
        let (value, ticks) = self.raw(self.id::<R>()?)?;
        // SAFETY: the place of `R` holds an `R`, and `&mut self` makes this the only borrow.
        Some((unsafe { &mut *ptr::from_mut(value.cast::<R>().as_mut()) }, ticks))
    }

    /// Updates all messages. If the `Drop` of one panics, the rest of them have been updated.
    pub(crate) fn update(&mut self) {
        let Self { places, updates, .. } = self;
        for_each_despite_panics(updates.iter(), |(id, update)| {
            if let Some(value) = places[id.0 as usize].value {
                // SAFETY: the two were entered together, for one type, and the place holds a value of that. `&mut self` makes
                // this the only borrow.
                unsafe { update(value) }
            }
        });
    }

    /// The names of the resources that are there, in the order in which the world met their types.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.places.iter().filter(|place| place.value.is_some()).map(|place| place.name)
    }
}
