//! The safe methods of [`ErasedValue`], one value of a component outside of any world.
//!
//! Tests: tests/storage/erased/access.rs, tests/storage/erased/drops.rs

use alloc::boxed::Box;
use core::any::type_name;
use core::ptr::NonNull;

use super::Component;
use super::descriptor::ComponentDescriptor;
use super::erased_ref::{ErasedRef, ErasedRefMut};
use super::erased_vec::{ErasedValue, ErasedVec};
use crate::entity::EntityMapper;

impl ErasedValue {
    /// Returns a value of a component type.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// assert!(ErasedValue::of(Health(3)).descriptor().name().ends_with("Health"));
    /// ```
    #[must_use]
    pub fn of<C: Component>(value: C) -> Self {
        Self(ErasedVec::of_box(ComponentDescriptor::of::<C>(), Box::new(value)))
    }

    /// Makes a value of the component with this descriptor. The values of the component must be of type `T`. Allocates once, unless `T` is
    /// zero-sized.
    ///
    /// # Errors
    ///
    /// If the values of the component are of another type, or if only their layout is known. The error contains the value.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description, ErasedValue};
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// assert!(ErasedValue::new(heat, 21.5_f32).is_ok());
    /// let error = ErasedValue::new(heat, 21.5_f64).unwrap_err();
    /// assert_eq!(error.to_string(), "component `mod:heat` has values of type `f32`, and no values of type `f64`");
    /// assert_eq!(error.into_inner(), 21.5);
    /// ```
    pub fn new<T: Send + Sync + 'static>(
        descriptor: &'static ComponentDescriptor,
        value: T,
    ) -> Result<Self, WrongTypeError<T>> {
        if !descriptor.holds::<T>() {
            return Err(WrongTypeError::new(descriptor, value));
        }
        Ok(Self(ErasedVec::of_box(descriptor, Box::new(value))))
    }

    /// Makes the default value of a component. `None` if the type is not known to be `Default`, or if the descriptor describes a resource.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description, ErasedValue};
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new().with_default()).build();
    /// assert_eq!(ErasedValue::default_of(heat).unwrap().as_ref().downcast_ref(), Some(&0_f32));
    /// ```
    #[must_use]
    pub fn default_of(descriptor: &'static ComponentDescriptor) -> Option<Self> {
        ErasedVec::default_of(descriptor).map(Self)
    }

    /// Returns the descriptor of the component.
    #[must_use]
    pub fn descriptor(&self) -> &'static ComponentDescriptor {
        self.0.descriptor()
    }

    /// Returns a reference to the value.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let value = ErasedValue::of(Health(3));
    /// assert_eq!(value.as_ref().downcast_ref(), Some(&Health(3)));
    /// ```
    #[must_use]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        match self.0.first_erased() {
            Some(value) => value,
            None => unreachable!("there is always one value"),
        }
    }

    /// Returns the value, borrowed mutably, if its type is `T`.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut value = ErasedValue::of(Health(3));
    /// value.downcast_mut::<Health>().unwrap().0 = 4;
    /// assert_eq!(value.as_ref().downcast_ref(), Some(&Health(4)));
    /// ```
    #[must_use]
    pub fn downcast_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.as_mut().into_mut()
    }

    /// Returns the value, borrowed mutably.
    pub(crate) fn as_mut(&mut self) -> ErasedRefMut<'_> {
        match self.0.first_erased_mut() {
            Some(value) => value,
            None => unreachable!("there is always one value"),
        }
    }

    /// Returns the address of the value.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.0.data()
    }

    /// Moves the value out.
    ///
    /// # Errors
    ///
    /// If the type of the value is not `T`, with the unchanged value.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let value = ErasedValue::of(Health(3)).downcast::<u32>().unwrap_err();
    /// assert_eq!(value.downcast::<Health>().unwrap(), Health(3));
    /// ```
    pub fn downcast<T: 'static>(self) -> Result<T, Self> {
        self.0.into_one().map_err(Self)
    }

    /// Replaces the entities inside of the value. If the type of the value declares no entities, returns false without changes.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Target(Entity);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// let mut target = ErasedValue::of(Target(a));
    /// assert!(target.map_entities(&mut (a, b)));
    /// assert_eq!(target.downcast::<Target>().unwrap().0, b);
    /// ```
    pub fn map_entities(&mut self, mapper: &mut dyn EntityMapper) -> bool {
        self.as_mut().map_entities(mapper)
    }

    /// Returns the value as a list with one item.
    pub(crate) fn values(&self) -> &ErasedVec {
        &self.0
    }

    /// Returns the value as a list with one item.
    pub(crate) fn into_values(self) -> ErasedVec {
        self.0
    }

    /// Makes a value of a component or resource whose values are of type `T`.
    ///
    /// # Panics
    ///
    /// If the values of the component or resource are of another type.
    pub(crate) fn of_box<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, value: Box<T>) -> Self {
        Self(ErasedVec::of_box(descriptor, value))
    }

    /// Converts a list with exactly one value; returns `None` for a list of another length.
    pub(crate) fn from_values(values: ErasedVec) -> Option<Self> {
        (values.len() == 1).then_some(Self(values))
    }
}

impl ErasedRef<'_> {
    /// Clones the value. `None` if its type is not known to be `Clone`, or if its values must not be cloned.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Health(u32);
    ///
    /// let copy = ErasedValue::of(Health(3)).as_ref().try_clone().unwrap();
    /// assert_eq!(copy.downcast::<Health>().unwrap().0, 3);
    /// ```
    #[must_use]
    pub fn try_clone(self) -> Option<ErasedValue> {
        ErasedVec::clone_of(self).map(ErasedValue)
    }
}

impl<C: Component> From<C> for ErasedValue {
    fn from(value: C) -> Self {
        Self::of(value)
    }
}

impl_debug! {
    /// Uses the `Debug` of the value, if its type is known to have one; otherwise shows the fields.
    [] ErasedValue => |this, f| this.as_ref().fmt(f)
}

/// A value, or the values of a vector, have another type than the values of the component.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, ErasedValue};
/// use strata_ecs::prelude::*;
/// # #[derive(Component)]
/// # struct Health(u32);
///
/// let error = ErasedValue::new(ComponentDescriptor::of::<Health>(), 3_u32).unwrap_err();
/// assert!(error.to_string().ends_with("and no values of type `u32`"));
/// ```
pub struct WrongTypeError<V> {
    component: &'static str,
    expected: &'static str,
    found: &'static str,
    value: V,
}

impl<V> WrongTypeError<V> {
    /// Makes the error for a value of type `V`.
    pub(super) fn new(descriptor: &'static ComponentDescriptor, value: V) -> Self {
        Self { component: descriptor.name(), expected: descriptor.value_type_name(), found: type_name::<V>(), value }
    }

    /// Returns the name of the component.
    #[must_use]
    pub fn component(&self) -> &'static str {
        self.component
    }

    /// Returns the refused value or values.
    #[must_use]
    pub fn into_inner(self) -> V {
        self.value
    }
}

impl<T> WrongTypeError<alloc::vec::Vec<T>> {
    /// Makes the error for a vector with values of type `T`.
    pub(crate) fn of_values(descriptor: &'static ComponentDescriptor, values: alloc::vec::Vec<T>) -> Self {
        Self { found: type_name::<T>(), ..Self::new(descriptor, values) }
    }
}

impl_display!([V] WrongTypeError<V> => |this, f| {
    let Self { component, expected, found, .. } = this;
    write!(f, "component `{component}` has values of type `{expected}`, and no values of type `{found}`")
});

impl_debug_of_fields! { [V] WrongTypeError<V> { component, expected, found } }

impl<V> core::error::Error for WrongTypeError<V> {}
