//! Access to resources by id, without their types.
//!
//! Tests: tests/storage/resources.rs

use super::cast::World;
use crate::component::{ComponentDescriptor, ErasedRef};
use crate::query::change::{ErasedMut, TickPlace, Ticks};
use crate::storage::resource::ResourceId;

impl World {
    /// Iterates over the resources that exist, in the order in which the world registered their types. Each item has
    /// the id, the descriptor and the value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// for (_, resource, value) in world.iter_resources() {
    ///     println!("{}, {} bytes: {value:?}", resource.name(), resource.layout().size());
    /// }
    /// let count = world.iter_resources().find_map(|(_, _, value)| value.downcast_ref::<Count>());
    /// assert_eq!(count.unwrap().0, 3);
    /// ```
    pub fn iter_resources(&self) -> impl Iterator<Item = (ResourceId, &'static ComponentDescriptor, ErasedRef<'_>)> {
        self.store.resources.iter().map(|(id, value)| (id, value.descriptor(), value))
    }

    /// Iterates over the resources that exist, borrowed mutably, like [`World::iter_resources`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// for (_, _, mut value) in world.iter_resources_mut() {
    ///     if let Some(mut count) = value.downcast_mut::<Count>() {
    ///         count.0 += 1;
    ///     }
    /// }
    /// assert_eq!(world.resource::<Count>(), &Count(4));
    /// ```
    pub fn iter_resources_mut(
        &mut self,
    ) -> impl Iterator<Item = (ResourceId, &'static ComponentDescriptor, ErasedMut<'_>)> {
        let run_ticks = self.store.run_ticks();
        self.store.resources.iter_mut().map(move |(id, value, cells)| {
            let descriptor = value.descriptor();
            (id, descriptor, ErasedMut::new(value, Ticks::new(TickPlace::One(cells), run_ticks)))
        })
    }

    /// Returns the resource with this id, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// let (id, ..) = world.iter_resources().find(|(_, _, value)| value.downcast_ref::<Count>().is_some()).unwrap();
    /// assert_eq!(world.get_resource_by_id(id).unwrap().deref::<Count>(), &Count(3));
    /// world.remove_resource::<Count>();
    /// assert!(world.get_resource_by_id(id).is_none());
    /// ```
    #[must_use]
    pub fn get_resource_by_id(&self, id: ResourceId) -> Option<ErasedRef<'_>> {
        self.store.resources.get_by_id(id)
    }

    /// Returns the resource with this id, borrowed mutably, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Debug, PartialEq)]
    /// # struct Count(usize);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Count(3));
    /// let (id, ..) = world.iter_resources().find(|(_, _, value)| value.downcast_ref::<Count>().is_some()).unwrap();
    /// *world.get_resource_mut_by_id(id).unwrap().deref_mut() = Count(4);
    /// assert_eq!(world.resource::<Count>(), &Count(4));
    /// ```
    #[must_use]
    pub fn get_resource_mut_by_id(&mut self, id: ResourceId) -> Option<ErasedMut<'_>> {
        let run_ticks = self.store.run_ticks();
        let (value, cells) = self.store.resources.get_mut_by_id(id)?;
        Some(ErasedMut::new(value, Ticks::new(TickPlace::One(cells), run_ticks)))
    }
}
