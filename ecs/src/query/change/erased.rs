//! Type-erased mutable references to components, together with their ticks.
//!
//! Tests: tests/storage/erased/tracking.rs

use core::ptr::NonNull;

use super::borrowed::Mut;
use super::detect::detect_changes;
use super::ticks::{TickPlace, Ticks};
use crate::component::{ComponentDescriptor, ErasedRef, ErasedRefMut, ErasedValue, FieldError, panic_on_type};
use crate::entity::EntityMapper;

/// A type-erased mutable reference to a component.
///
/// Reading is not a change. Every method that may write is a change. A typed reference to the value is a [`Mut`]: only
/// dereferencing that reference mutably is a change.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let entity = world.spawn(Health(3)).id();
/// let mut value = world.get_mut_by_id(entity, health).unwrap();
/// value.downcast_mut::<Health>().unwrap().0 += 1;
/// assert!(value.downcast_mut::<u32>().is_none());
/// assert_eq!(world.get(entity), Some(&Health(4)));
/// ```
#[doc(alias("MutUntyped", "PtrMut"))]
pub struct ErasedMut<'w> {
    value: ErasedRefMut<'w>,
    ticks: Ticks<'w>,
}

impl<'w> ErasedMut<'w> {
    #[inline]
    pub(crate) fn new(value: ErasedRefMut<'w>, ticks: Ticks<'w>) -> Self {
        Self { value, ticks }
    }

    /// Returns the descriptor of the component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let value = world.get_mut_by_id(entity, health).unwrap();
    /// assert!(value.descriptor().name().ends_with("Health"));
    /// ```
    #[must_use]
    pub fn descriptor(&self) -> &'static ComponentDescriptor {
        self.value.descriptor()
    }

    /// Returns the value, for reading.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let value = world.get_mut_by_id(entity, health).unwrap();
    /// assert_eq!(value.as_ref().downcast_ref(), Some(&Health(3)));
    /// ```
    #[must_use]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        self.value.as_ref()
    }

    /// Returns the same reference with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut value = world.get_mut_by_id(entity, health).unwrap();
    /// value.reborrow().into_mut::<Health>().unwrap().0 = 4;
    /// assert_eq!(value.as_ref().downcast_ref(), Some(&Health(4)));
    /// ```
    pub fn reborrow(&mut self) -> ErasedMut<'_> {
        ErasedMut { value: self.value.reborrow(), ticks: self.ticks }
    }

    /// Returns a reference to the value, if the value is of type `T`: see [`ErasedRef::downcast_ref`]. Dereferencing the reference
    /// mutably is a change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut value = world.get_mut_by_id(entity, health).unwrap();
    /// value.downcast_mut::<Health>().unwrap().0 = 4;
    /// assert!(value.downcast_mut::<u32>().is_none());
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[must_use]
    pub fn downcast_mut<T: 'static>(&mut self) -> Option<Mut<'_, T>> {
        self.reborrow().into_mut()
    }

    /// Like [`downcast_mut`](Self::downcast_mut), but with the lifetime of this reference.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let value = world.get_mut_by_id(entity, health).unwrap();
    /// let mut typed: Mut<Health> = value.into_mut().unwrap();
    /// typed.0 = 4;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[must_use]
    pub fn into_mut<T: 'static>(self) -> Option<Mut<'w, T>> {
        let ticks = self.ticks;
        self.value.into_mut().map(|value| Mut::new(value, ticks))
    }

    /// Returns the same reference with a shorter lifetime. The value counts as changed. The method has the same name as in
    /// bevy_ecs's `MutUntyped`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let mut entity = world.spawn(Health(3));
    /// let mut value = entity.get_mut_by_id(health).unwrap();
    /// value.as_mut().deref_mut::<Health>().0 = 4;
    /// assert!(value.is_changed());
    /// assert_eq!(entity.get(), Some(&Health(4)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn as_mut(&mut self) -> ErasedMut<'_> {
        self.ticks.mark();
        self.reborrow()
    }

    /// Returns the value, which must be of type `T`. The value counts as changed. [`into_mut`](Self::into_mut) does not panic.
    ///
    /// # Panics
    ///
    /// If the value is of another type.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// *world.get_mut_by_id(entity, health).unwrap().deref_mut() = Health(4);
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn deref_mut<T: 'static>(self) -> &'w mut T {
        let descriptor = self.descriptor();
        self.into_mut().map_or_else(|| panic_on_type::<T>(descriptor), Mut::into_inner)
    }

    /// Returns a typed reference to the value or to a part of it. Only dereferencing this reference mutably is a change.
    ///
    /// The function `part` gets the value without its ticks, so writes in `part` do not count as changes.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let value = world.get_mut_by_id(entity, health).unwrap();
    /// let mut points: Mut<u32> = value.map_unchanged(|value| &mut value.deref_mut::<Health>().0);
    /// *points += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn map_unchanged<T: ?Sized>(self, part: impl FnOnce(ErasedMut<'w>) -> &'w mut T) -> Mut<'w, T> {
        let unnoted = Ticks::new(TickPlace::Nowhere, self.ticks.run_ticks());
        Mut::new(part(ErasedMut::new(self.value, unnoted)), self.ticks)
    }

    /// Replaces the value and returns the old value. This is a change.
    ///
    /// # Errors
    ///
    /// If `value` belongs to another component. Then `value` is returned, and nothing has changed.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut value = world.get_mut_by_id(entity, health).unwrap();
    /// let old = value.replace(ErasedValue::of(Health(4))).unwrap();
    /// assert_eq!(old.downcast::<Health>().unwrap(), Health(3));
    /// assert!(value.replace(ErasedValue::of(Mana(5))).is_err());
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn replace(&mut self, mut value: ErasedValue) -> Result<ErasedValue, ErasedValue> {
        if !value.exchange(&mut self.value) {
            return Err(value);
        }
        self.ticks.mark();
        Ok(value)
    }

    /// Sets a field, given by its [path](ErasedRef::try_field). This is a change.
    ///
    /// A field can be set only if it is `pub`, or if its type has `#[component(editable)]` or `#[describe(editable)]`, because the
    /// code of a type may rely on the values of its private fields. This applies to each field on the path.
    ///
    /// # Errors
    ///
    /// If the path is invalid or leads to no field, if a field on the path is private, or if the field has another type. In these
    /// cases nothing has changed, and the new value is dropped.
    ///
    /// ```
    /// use strata_ecs::component::Describe;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Describe)]
    /// struct Point {
    ///     pub x: f32,
    ///     pub y: f32,
    /// }
    /// #[derive(Component)]
    /// #[component(editable)]
    /// struct Patrol {
    ///     stops: Vec<Point>,
    /// }
    ///
    /// let mut world = World::new();
    /// let patrol = world.register_component::<Patrol>();
    /// let guard = world.spawn(Patrol { stops: vec![Point { x: 0.0, y: 0.0 }, Point { x: 1.0, y: 0.0 }] }).id();
    /// let mut value = world.get_mut_by_id(guard, patrol).unwrap();
    /// value.set_field("stops[1].y", 5.0_f32).unwrap();
    /// let error = value.set_field("stops[1].y", 5.0_f64).unwrap_err();
    /// assert_eq!(error.to_string(), "`stops[1].y` is a `f32`, and cannot be set to a `f64`");
    /// assert_eq!(world.get::<Patrol>(guard).unwrap().stops[1].y, 5.0);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn set_field<T: 'static>(&mut self, path: &str, value: T) -> Result<(), FieldError> {
        let old = self.value.replace_field(path, value)?;
        self.ticks.mark();
        // The old value is dropped last, because its destructor may panic.
        drop(old);
        Ok(())
    }

    /// Maps the entities inside the value, which is a change. If the type of the value does not define this, does nothing and
    /// returns false.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn map_entities(&mut self, mapper: &mut dyn EntityMapper) -> bool {
        if self.descriptor().functions().map_entities_fn().is_none() {
            return false;
        }
        self.ticks.mark();
        self.value.map_entities(mapper)
    }

    /// Marks the value as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    /// world.clear_trackers();
    /// world.get_mut_by_id(entity, health).unwrap().set_changed();
    /// assert_eq!(changed.iter(&world).count(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn set_changed(&mut self) {
        self.ticks.mark();
    }

    /// Returns the address of the value, for code that knows the layout that was passed to
    /// [`LayoutDescription::new`](crate::component::LayoutDescription::new). The address is valid for the lifetime of this borrow.
    /// The value counts as changed.
    #[must_use]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn as_ptr(&mut self) -> NonNull<u8> {
        self.ticks.mark();
        self.value.as_ptr()
    }
}

detect_changes!([] ErasedMut<'_>);

impl_debug!([] ErasedMut<'_> => |this, f| this.as_ref().fmt(f));
