//! The non-send values of a world, which stay on one thread.
//!
//! Tests: tests/storage/non_send.rs

use core::any::type_name;

use super::cast::World;
use super::systems::FromWorld;
use crate::query::change::{Mut, TickPlace, Ticks};
use crate::storage::non_send;

#[cold]
#[track_caller]
fn missing<T>() -> ! {
    panic!(
        "non-Send value `{}` does not exist; insert it with `World::insert_non_send` or `World::init_non_send`",
        type_name::<T>()
    );
}

impl World {
    #[track_caller]
    fn put_non_send<T: 'static>(&mut self, value: T) {
        let now = self.store.now();
        match non_send::insert(&mut self.store.resources, value, now) {
            Ok(old) => drop(old),
            Err(error) => error.raise(),
        }
    }

    /// Inserts a non-send value: the type need not be `Send` or `Sync`. Examples are a window, an audio stream, or a
    /// value that contains an `Rc`. The world has at most one value of each type. If there is one already, it is
    /// dropped.
    ///
    /// The value belongs to the thread that inserts it. Other threads can neither use nor replace nor remove it. If the
    /// world is dropped on another thread, the value is leaked. Needs the feature `std`.
    ///
    /// Systems access the value by [`NonSend`](crate::system::NonSend) and [`NonSendMut`](crate::system::NonSendMut).
    ///
    /// # Panics
    ///
    /// If another thread has inserted the present value. That value stays.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// world.insert_non_send(Rc::new(5));
    /// assert_eq!(**world.non_send::<Rc<i32>>(), 5);
    /// ```
    #[track_caller]
    #[doc(alias("insert_non_send_resource", "init_main_thread"))]
    pub fn insert_non_send<T: 'static>(&mut self, value: T) {
        self.store.track_caller();
        self.put_non_send(value);
    }

    /// Inserts a non-send value, made by [`FromWorld`] (the default, if the type has one), unless a value of the type
    /// exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::cell::RefCell;
    ///
    /// let mut world = World::new();
    /// world.init_non_send::<RefCell<u32>>();
    /// assert_eq!(world.non_send::<RefCell<u32>>().take(), 0);
    /// ```
    #[track_caller]
    pub fn init_non_send<T: FromWorld + 'static>(&mut self) {
        if self.contains_non_send::<T>() {
            return;
        }
        self.store.track_caller();
        let value = self.made::<T>("non-Send value");
        self.put_non_send(value);
    }

    /// Removes the non-send value of a type and returns it.
    ///
    /// # Panics
    ///
    /// If another thread has inserted the value. Then it stays.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// world.insert_non_send(Rc::new(5));
    /// assert_eq!(world.remove_non_send::<Rc<i32>>(), Some(Rc::new(5)));
    /// assert_eq!(world.remove_non_send::<Rc<i32>>(), None);
    /// ```
    #[track_caller]
    pub fn remove_non_send<T: 'static>(&mut self) -> Option<T> {
        non_send::remove(&mut self.store.resources).unwrap_or_else(|error| error.raise())
    }

    /// Drops all non-send values of the world.
    ///
    /// # Panics
    ///
    /// If another thread has inserted one of the values. Then all of them stay.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// let number = Rc::new(5);
    /// world.insert_non_send(number.clone());
    /// world.clear_non_send();
    /// assert!(!world.contains_non_send::<Rc<i32>>());
    /// assert_eq!(Rc::strong_count(&number), 1);
    /// ```
    #[track_caller]
    pub fn clear_non_send(&mut self) {
        if let Err(error) = self.store.resources.clear_non_send() {
            panic!("{error}");
        }
    }

    /// Returns whether a non-send value of this type exists, on any thread.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// assert!(!world.contains_non_send::<Rc<i32>>());
    /// world.insert_non_send(Rc::new(5));
    /// assert!(world.contains_non_send::<Rc<i32>>());
    /// ```
    #[must_use]
    pub fn contains_non_send<T: 'static>(&self) -> bool {
        non_send::contains::<T>(&self.store.resources)
    }

    /// Returns the non-send value of a type.
    ///
    /// # Panics
    ///
    /// If the value does not exist, or if another thread has inserted it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// world.insert_non_send(Rc::new(5));
    /// assert_eq!(Rc::strong_count(world.non_send::<Rc<i32>>()), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn non_send<T: 'static>(&self) -> &T {
        let Some(value) = self.get_non_send() else { missing::<T>() };
        value
    }

    /// Returns the non-send value of a type, borrowed mutably.
    ///
    /// # Panics
    ///
    /// If the value does not exist, or if another thread has inserted it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// world.insert_non_send(Rc::new(5));
    /// *Rc::make_mut(&mut world.non_send_mut::<Rc<i32>>()) += 1;
    /// assert_eq!(**world.non_send::<Rc<i32>>(), 6);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn non_send_mut<T: 'static>(&mut self) -> Mut<'_, T> {
        let Some(value) = self.get_non_send_mut() else { missing::<T>() };
        value
    }

    /// Returns the non-send value of a type, if it exists.
    ///
    /// # Panics
    ///
    /// If another thread has inserted the value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// assert!(world.get_non_send::<Rc<i32>>().is_none());
    /// world.insert_non_send(Rc::new(5));
    /// assert_eq!(world.get_non_send(), Some(&Rc::new(5)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn get_non_send<T: 'static>(&self) -> Option<&T> {
        non_send::get(&self.store.resources).unwrap_or_else(|error| error.raise())
    }

    /// Returns the non-send value of a type, borrowed mutably, if it exists.
    ///
    /// # Panics
    ///
    /// If another thread has inserted the value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::rc::Rc;
    ///
    /// let mut world = World::new();
    /// assert!(world.get_non_send_mut::<Rc<i32>>().is_none());
    /// world.insert_non_send(Rc::new(5));
    /// if let Some(mut value) = world.get_non_send_mut::<Rc<i32>>() {
    ///     *value = Rc::new(6);
    /// }
    /// assert_eq!(world.get_non_send(), Some(&Rc::new(6)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn get_non_send_mut<T: 'static>(&mut self) -> Option<Mut<'_, T>> {
        let run_ticks = self.store.run_ticks();
        let found = non_send::get_mut(&mut self.store.resources).unwrap_or_else(|error| error.raise());
        found.map(|(value, cells)| Mut::new(value, Ticks::new(TickPlace::One(cells), run_ticks)))
    }
}
