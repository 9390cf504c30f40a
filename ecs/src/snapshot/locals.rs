//! The types of `Local`s that a program registers with a world, so that snapshots and files include them without
//! further options.
//!
//! Tests: tests/snapshots/apps.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::options::{LocalType, SnapshotOptions};
use crate::component::{ComponentKey, Persistence, TextForm};
use crate::storage::resource::Resource;
use crate::world::World;

type Value = dyn Any + Send + Sync;

/// The functions that clone the [`Local`](crate::system::Local)s of a type, write them as text, and read them: see
/// [`World::register_local`].
#[derive(Clone)]
pub struct LocalForm {
    pub(super) ty: LocalType,
    name: &'static str,
    write: Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>,
    read: Arc<dyn Fn(&str) -> Result<Box<Value>, String> + Send + Sync>,
}

/// The registered types of `Local`s of a world.
#[derive(Default)]
struct LocalForms(Vec<LocalForm>);

/// Registrations describe the program, so they are not part of the state of the world.
impl Resource for LocalForms {
    const KEY: Option<ComponentKey> = None;

    fn persistence() -> Persistence<Self> {
        Persistence::Transient
    }
}

impl LocalForm {
    fn of<T: Clone + Send + Sync + 'static>(name: &'static str, form: TextForm<T>) -> Self {
        let write = move |value: &Value| {
            let mut text = String::new();
            form.write(value.downcast_ref::<T>()?, &mut text);
            Some(text)
        };
        let read = move |text: &str| {
            let value: Box<Value> = Box::new(form.read(text)?);
            Ok(value)
        };
        Self { ty: LocalType::of::<T>(), name, write: Arc::new(write), read: Arc::new(read) }
    }

    /// Returns the name of the type in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the type.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        self.ty.type_id
    }

    /// Writes a value as text. Returns `None` if the value is of another type.
    #[must_use]
    pub fn write(&self, value: &(dyn Any + Send + Sync)) -> Option<String> {
        (self.write)(value)
    }

    /// Reads a value from text.
    ///
    /// # Errors
    ///
    /// If the text is not a value of the type. The error describes the reason.
    pub fn read(&self, text: &str) -> Result<Box<dyn Any + Send + Sync>, String> {
        (self.read)(text)
    }
}

impl_debug_of_fields! { [] LocalForm { name } }

impl World {
    /// Registers a type of [`Local`](crate::system::Local)s, so that snapshots and files of this world include them,
    /// like those of numbers. If a library registers its types, a program needs no
    /// [`SnapshotOptions::with_local`](super::SnapshotOptions::with_local) for them. `name` is the name of the type in
    /// files. If a type is registered again, its name and form are replaced.
    ///
    /// ```
    /// use strata_ecs::component::TextForm;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Update;
    /// #[derive(Clone, Default)]
    /// struct Runs(u32);
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::new(Update);
    /// schedule.add_systems(|mut runs: Local<Runs>| runs.0 += 1);
    /// world.add_schedule(schedule);
    /// world.run_schedule(Update);
    /// assert!(world.snapshot().is_err());
    ///
    /// let form = TextForm::new(
    ///     |runs: &Runs, text| text.push_str(&runs.0.to_string()),
    ///     |text| text.parse().map(Runs).map_err(|error| format!("{error}")),
    /// );
    /// world.register_local("my_crate::Runs", form);
    /// assert!(world.snapshot().is_ok());
    /// ```
    pub fn register_local<T: Clone + Send + Sync + 'static>(&mut self, name: &'static str, form: TextForm<T>) {
        let form = LocalForm::of(name, form);
        let mut all = self.get_resource_or_init::<LocalForms>();
        all.0.retain(|other| other.type_id() != form.type_id());
        all.0.push(form);
    }

    /// Adds the registered types of `Local`s to the options of a snapshot.
    pub(super) fn add_locals_to(&self, options: &mut SnapshotOptions) {
        self.registered_locals().iter().for_each(|form| options.add_local(form.ty));
    }

    /// Returns the types of `Local`s that were [registered](Self::register_local).
    #[must_use]
    pub fn registered_locals(&self) -> &[LocalForm] {
        self.get_resource::<LocalForms>().map_or(&[], |all| &all.0)
    }
}
