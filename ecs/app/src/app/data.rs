//! The resources, messages, observers and required components of an `App`.
//!
//! Tests: ecs/app/tests/setup.rs

use strata_ecs::component::Component;
use strata_ecs::message::Message;
use strata_ecs::observer::IntoObserver;
use strata_ecs::resource::Resource;
use strata_ecs::world::FromWorld;

use super::App;

/// Methods for resources, messages and components.
impl App {
    /// Inserts a resource, replacing an existing one.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource)] struct Gravity(f32);
    /// App::new().insert_resource(Gravity(9.81));
    /// ```
    pub fn insert_resource<R: Resource>(&mut self, resource: R) -> &mut Self {
        self.world.insert_resource(resource);
        self
    }

    /// Inserts a resource unless it exists. Its value is created by `FromWorld`, which is `Default` for most types.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource, Default)] struct Score(u32);
    /// App::new().init_resource::<Score>();
    /// ```
    pub fn init_resource<R: Resource + FromWorld>(&mut self) -> &mut Self {
        self.world.init_resource::<R>();
        self
    }

    /// Inserts a value that stays on this thread: see [`World::insert_non_send`](strata_ecs::world::World::insert_non_send).
    ///
    /// ```
    /// use std::rc::Rc;
    /// use strata_app::prelude::*;
    /// App::new().insert_non_send(Rc::new(3));
    /// ```
    pub fn insert_non_send<T: 'static>(&mut self, value: T) -> &mut Self {
        self.world.insert_non_send(value);
        self
    }

    /// Like [`insert_non_send`](App::insert_non_send), with a value that `FromWorld` creates. Does nothing if the value exists.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use strata_app::prelude::*;
    /// App::new().init_non_send::<Rc<u32>>();
    /// ```
    pub fn init_non_send<T: FromWorld + 'static>(&mut self) -> &mut Self {
        self.world.init_non_send::<T>();
        self
    }

    /// Creates the list of messages of a type. Otherwise the first system that writes or reads such messages creates it.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Message)] struct Hit;
    /// App::new().add_message::<Hit>();
    /// ```
    pub fn add_message<M: Message>(&mut self) -> &mut Self {
        self.world.register_message::<M>();
        self
    }

    /// Adds an observer: see [`World::add_observer`](strata_ecs::world::World::add_observer).
    ///
    /// ```
    /// use strata_app::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Goal;
    /// #[derive(Resource, Default)]
    /// struct Score(u32);
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Score>().add_observer(|_: On<Goal>, mut score: ResMut<Score>| score.0 += 1);
    /// app.world_mut().trigger(Goal);
    /// assert_eq!(app.world().resource::<Score>().0, 1);
    /// ```
    pub fn add_observer<Marker>(&mut self, observer: impl IntoObserver<Marker>) -> &mut Self {
        self.world.add_observer(observer);
        self
    }

    /// Makes `R` a required component of `T`: see [`World::register_required_components`](strata_ecs::world::World::register_required_components).
    ///
    /// # Panics
    ///
    /// If an entity already has a `T`, or if `R` requires `T`.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Monster;
    /// # #[derive(Component, Default)] struct Health(u32);
    /// App::new().register_required_components::<Monster, Health>();
    /// ```
    #[track_caller]
    pub fn register_required_components<T: Component, R: Component + Default>(&mut self) -> &mut Self {
        self.world.register_required_components::<T, R>();
        self
    }

    /// Like [`register_required_components`](App::register_required_components), with values that a function creates.
    ///
    /// # Panics
    ///
    /// See [`register_required_components`](App::register_required_components).
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Monster;
    /// # #[derive(Component)] struct Health(u32);
    /// App::new().register_required_components_with::<Monster, Health>(|| Health(30));
    /// ```
    #[track_caller]
    pub fn register_required_components_with<T: Component, R: Component>(&mut self, make: fn() -> R) -> &mut Self {
        self.world.register_required_components_with::<T, R>(make);
        self
    }
}
