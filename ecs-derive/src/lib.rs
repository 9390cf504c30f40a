//! The macros of the entity component system `strata-ecs`, which re-exports them all: depend on that crate, not on
//! this one.
//!
//! Macro output is safe code that names one module of the core, or of `strata-app` for `States` and `SubStates`.
//! If the environment variable `STRATA_EXPAND` is the name of an item, the macros print its expansion:
//! `STRATA_EXPAND=movement cargo build`.
//!
//! Names that begin with `__strata` are reserved for the macros.
//!
//! # Another name for the core
//!
//! The macros look up the name of `strata-ecs` in the `Cargo.toml` of the crate that uses them; if the crate depends on `strata-app` alone,
//! they find the core there. For other re-exports, every macro takes the option `crate = path`: `#[component(crate = engine::ecs)]`,
//! `#[system(crate = engine::ecs)]`. If `engine` re-exports all of the core, `extern crate engine as strata_ecs;` once at the root of the
//! crate works as well.
#![forbid(unsafe_code)]

mod hygiene;
mod ctxt;
mod generics;
mod item;
mod expand;
mod manifest;
mod place;
mod suggest;
mod attr;
mod types;
mod tuple;
mod demands;
mod saving;
mod persistence;
mod relationship;
mod entities;
mod description;
mod label;
mod require;
mod component;
mod bundle;
mod event;
mod marker;
mod relation;
mod state_form;
mod state;
mod query_filter;
mod query_data;
mod system_param;
mod system;
#[cfg(test)]
mod golden;

use proc_macro::TokenStream;

#[doc = include_str!("docs/component.md")]
#[proc_macro_derive(Component, attributes(component, require, entities, relationship, relationship_target))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), component::expand).into()
}

/// Makes a type a resource: a world contains at most one value of it.
///
/// # Options
///
/// - `#[resource(clone)]`, `hash`, `serialize`: the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned` (with the feature
///   `serde`). A generic type whose own bounds do not prove it is a resource only for the type arguments that do.
/// - `#[resource(transient)]`: the resource belongs to the process, like a window. Snapshots, files, deltas and comparisons skip it; it is
///   not changed when a world is restored or loaded.
/// - `#[resource(save = "skip")]`: a file contains the resource only if the format lists it; comparisons skip it. Snapshots contain it.
/// - `#[resource(persistence = function)]`: the function returns one of these, or a text form in which the resource is saved without being
///   listed: see `Persistence`.
/// - `#[resource(name = "gravity")]`: the name of the resource in files. Without this option it is the path of the type.
/// - `#[resource(version = 2)]`, `upgrade = function`, `alias = "pull"`: its version in files, the conversion of an older version, and
///   earlier names, as for a component: see [there](macro@Component#in-files).
/// - `#[resource(missing = "add `AudioPlugin` to the `App`")]`: a hint how a program gets the resource, which is part of the errors about a
///   missing resource; `{}` in it stands for the type parameters of a generic resource.
/// - `#[resource(crate = path)]`: where `strata-ecs` is found.
///
/// Functions, fields and entities inside are detected as for a component: see `#[derive(Component)]`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct Score(u32);
///
/// let mut world = World::new();
/// world.init_resource::<Score>();
/// world.resource_mut::<Score>().0 += 1;
/// assert_eq!(world.resource::<Score>().0, 1);
/// ```
#[proc_macro_derive(Resource, attributes(resource, entities))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), marker::resource).into()
}

/// Makes a type a relation: the value of a pair of two entities.
///
/// # Options
///
/// - `#[relation(on_target_despawn = "release")]`, or `"cascade"`, or `"ignore"`: the policy for pairs whose target is despawned. The pair
///   is removed; or its source is despawned; or the pair stays until its source is despawned. The default is to remove the pair.
/// - `#[relation(exclusive)]`: a source has at most one pair; a new pair replaces it.
/// - `#[relation(symmetric)]`: a pair has no direction.
/// - `#[relation(acyclic)]`: a pair that would form a cycle is not created.
/// - `#[relation(clone)]`, `hash`, `serialize`: the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned`, as for a
///   [component](macro@Component). Without these options the traits are detected, for generic types from their bounds alone.
/// - `#[relation(name = "hunting")]`: the name of the relation in files. Without this option it is the path of the type.
/// - `#[relation(version = 2)]`, `upgrade = function`, `alias = "chasing"`: its version in files, the conversion of an older version, and
///   earlier names, as for a component: see [there](macro@Component#in-files).
/// - `#[relation(crate = path)]`: where `strata-ecs` is found.
///
/// Functions, fields and entities inside are detected as for a component: see `#[derive(Component)]`. Pairs are cloned with their source if
/// the type is `Clone`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// #[relation(exclusive, on_target_despawn = "cascade")]
/// struct Hunting {
///     since: u32,
/// }
///
/// let mut world = World::new();
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { since: 3 }, rabbit);
/// assert!(world.pairs_from::<Hunting>(wolf).entities().eq([rabbit]));
/// ```
#[proc_macro_derive(Relation, attributes(relation, entities))]
pub fn derive_relation(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), relation::expand).into()
}

/// Describes a type that is neither a component nor a resource: its name in files and its fields. Descriptions of components and resources
/// with fields of this type include these. A component describes itself, so `derive(Describe)` together with `derive(Component)` does not
/// compile.
///
/// # Options
///
/// - `#[describe(name = "point")]`: the name of the type in files. Without this option it is the path of the type.
/// - `#[describe(plain)]`: any bytes are a value, as with `#[component(plain)]`.
/// - `#[describe(editable)]`: private fields can be set by their names, too, as with `#[component(editable)]`.
/// - `#[describe(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::component::{ComponentDescriptor, Describe};
/// use strata_ecs::prelude::*;
///
/// #[derive(Describe)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// #[derive(Component)]
/// struct Position(Point);
///
/// let fields = ComponentDescriptor::of::<Position>().fields()[0].fields();
/// assert_eq!(fields[1].name(), "y");
/// ```
#[proc_macro_derive(Describe, attributes(describe))]
pub fn derive_describe(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), description::expand).into()
}

/// Implements `MapEntities`, which replaces the entities inside a value: those in fields whose types implement `MapEntities`. A field whose
/// type mentions a type with entities and cannot be mapped does not compile; `#[entities(ignore)]` above a field keeps its entities. The
/// implementation requires `T: MapEntities` of the type parameters that fields depend on.
///
/// # Options
///
/// - `#[map_entities(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::entity::MapEntities;
/// use strata_ecs::prelude::*;
///
/// #[derive(MapEntities)]
/// enum Order {
///     Wait,
///     Follow(Entity),
///     Guard(Vec<Entity>),
/// }
///
/// let mut world = World::new();
/// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
/// let mut order = Order::Follow(a);
/// order.map_entities(&mut (a, b));
/// assert!(matches!(order, Order::Follow(entity) if entity == b));
/// # let _ = (Order::Wait, Order::Guard(vec![]));
/// ```
#[proc_macro_derive(MapEntities, attributes(map_entities, entities))]
pub fn derive_map_entities(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), entities::expand).into()
}

/// Makes a type a message: a value that some systems write and others read.
///
/// # Options
///
/// - `#[message(clone)]`, `hash`: as for a [resource](macro@Resource), for generic messages whose bounds do not prove it.
/// - `#[message(transient)]`, `save = "skip"`, `persistence = function`: whether snapshots, files and comparisons include the list of
///   messages, as for a resource.
/// - `#[message(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Message)]
/// struct Collision(Entity, Entity);
/// # let _ = Collision(Entity::PLACEHOLDER, Entity::PLACEHOLDER);
/// ```
#[proc_macro_derive(Message, attributes(message))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), marker::message).into()
}

/// Makes a type an event: a value that is passed to observers immediately.
///
/// # Options
///
/// - `#[event(trigger = Type)]`: the type that finds its observers, which implements `Trigger`. By default the event has no target entity.
/// - `#[event(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Event)]
/// struct Explosion {
///     radius: f32,
/// }
/// # let _ = Explosion { radius: 1.0 };
/// ```
#[proc_macro_derive(Event, attributes(event))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), event::event).into()
}

/// Makes a struct an event with a target entity; observers of that entity run.
///
/// The field called `entity` holds the entity, or the one with `#[event_target]`, or the only one. Its type is `Entity`, or one that is
/// `Clone` and can become an `Entity`.
///
/// # Options
///
/// - `#[entity_event(propagate = &'static Component)]`: the event can propagate from an entity to the entity that this component points to,
///   if an observer calls `on.propagate(true)`. The type may be any read-only query data that implements `Traversal`.
///   `#[entity_event(propagate)]` alone propagates from a child to its parent, along `&'static ChildOf`.
/// - `#[entity_event(auto_propagate)]`: the event propagates until an observer calls `on.propagate(false)`; along `ChildOf`, unless
///   `propagate = ..` is given too.
/// - `#[entity_event(trigger = Type)]`: how it finds its observers, a type that implements `Trigger`.
/// - `#[entity_event(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Hit {
///     entity: Entity,
///     damage: u32,
/// }
///
/// #[derive(EntityEvent)]
/// struct Throw {
///     #[event_target]
///     item: Entity,
///     at: Entity,
/// }
///
/// #[derive(EntityEvent)]
/// struct Click(Entity);
/// # let _ = (|e| (Hit { entity: e, damage: 1 }.damage, Throw { item: e, at: e }.at, Click(e)));
/// ```
#[proc_macro_derive(EntityEvent, attributes(entity_event, event_target))]
pub fn derive_entity_event(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), event::entity_event).into()
}

/// Makes a struct or an enum a system set label: one set for each value.
///
/// A set is cloned, compared, hashed and printed, so the type needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`. A generic type is a set
/// for the arguments with which it implements these traits.
///
/// # Options
///
/// - `#[system_set(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
/// enum Physics {
///     Forces,
///     Collisions,
/// }
/// assert_ne!(Physics::Forces.intern(), Physics::Collisions.intern());
/// ```
#[proc_macro_derive(SystemSet, attributes(system_set))]
pub fn derive_system_set(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), label::system_set).into()
}

/// Makes a struct or an enum the name of schedules: one for each value.
///
/// A label is cloned, compared, hashed and printed, so the type needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`.
/// Types with parameters are labels where these are implemented.
///
/// # Options
///
/// - `#[schedule_label(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Startup;
/// assert_eq!(format!("{:?}", Startup.intern()), "Startup");
/// ```
#[proc_macro_derive(ScheduleLabel, attributes(schedule_label))]
pub fn derive_schedule_label(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), label::schedule_label).into()
}

/// Makes a struct or an enum a state of a program: for `strata-app`, which re-exports it.
///
/// A state is cloned, compared, hashed and printed, so the type needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`.
///
/// # Options
///
/// - `#[states(crate = path)]`: where `strata-app` is found.
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// enum Screen {
///     #[default]
///     Menu,
///     Game,
/// }
///
/// let mut app = App::new();
/// app.init_state::<Screen>();
/// assert_eq!(*app.world().resource::<State<Screen>>().get(), Screen::Menu);
/// ```
#[proc_macro_derive(States, attributes(states))]
pub fn derive_states(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), state::states).into()
}

/// Makes a struct or an enum a state that exists while another one has some value: for `strata-app`, which re-exports it.
///
/// `#[source(Other = pattern)]` gives the values of the other state for which it exists; it starts with its `Default`. The source may be an
/// `Option`, or a tuple of states.
///
/// # Options
///
/// - `#[sub_states(crate = path)]`: where `strata-app` is found.
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// enum Screen {
///     #[default]
///     Menu,
///     Game,
/// }
///
/// #[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// #[source(Screen = Screen::Game)]
/// enum Phase {
///     #[default]
///     Setup,
///     Battle,
/// }
///
/// let mut app = App::new();
/// app.init_state::<Screen>().add_sub_state::<Phase>();
/// app.update();
/// assert!(!app.world().contains_resource::<State<Phase>>());
/// app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Game);
/// app.update();
/// assert_eq!(*app.world().resource::<State<Phase>>().get(), Phase::Setup);
/// ```
#[proc_macro_derive(SubStates, attributes(sub_states, source))]
pub fn derive_sub_states(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), state::sub_states).into()
}

/// Makes a struct a bundle: its fields, each a component or a bundle, are added and removed together.
///
/// # Options
///
/// - `#[bundle(crate = path)]`: where `strata-ecs` is found.
/// - `#[bundle(ignore)]` on a field: the field is not added. When the bundle is taken out of an entity, the field is created by `Default`.
/// - `#[bundle(ignore_from_components)]`: no effect. bevy_ecs needs it for bundles that cannot be taken out of an entity; here all bundles
///   can.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Name(&'static str);
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[derive(Bundle)]
/// struct Monster {
///     name: Name,
///     health: Health,
///     #[bundle(ignore)]
///     note: String,
/// }
///
/// let mut world = World::new();
/// let troll = Monster { name: Name("troll"), health: Health(30), note: "hungry".into() };
/// let mut entity = world.spawn(troll);
/// let taken = entity.take::<Monster>().unwrap();
/// assert_eq!((taken.name.0, taken.health.0, taken.note.as_str()), ("troll", 30, ""));
/// ```
#[proc_macro_derive(Bundle, attributes(bundle))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), bundle::expand).into()
}

#[doc = include_str!("docs/query_data.md")]
#[proc_macro_derive(QueryData, attributes(query_data))]
pub fn derive_query_data(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), query_data::expand).into()
}

/// Makes a struct a system parameter: its fields, each a parameter, are fetched together.
///
/// The lifetimes are recognized by their names: `'w` for borrows of the world, `'s` for borrows of the system's state. The struct declares
/// those that its fields need. It may have type and const parameters with bounds, and named, unnamed or no fields; fields may be structs
/// with this derive, and `PhantomData`.
///
/// For its system the struct is one parameter: if two of its fields conflict, or a field conflicts with another parameter, the error names
/// the field.
///
/// # Options
///
/// - `#[system_param(builder)]`: also declares a struct of the fields' builders, named like this one with the suffix `Builder`. See
///   `SystemParamBuilder`.
/// - `#[system_param(crate = path)]`: where `strata-ecs` is found.
///
/// Above a field:
///
/// - `#[system_param(validation_message = "text")]`: if the field cannot be fetched, the error names the field and contains the text,
///   and then says what is missing.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Resource, Default)]
/// struct Deaths(u32);
///
/// #[derive(SystemParam)]
/// struct Graveyard<'w, 's> {
///     commands: Commands<'w, 's>,
///     deaths: ResMut<'w, Deaths>,
/// }
///
/// impl Graveyard<'_, '_> {
///     fn bury(&mut self, entity: Entity) {
///         self.commands.entity(entity).despawn();
///         self.deaths.0 += 1;
///     }
/// }
///
/// #[system]
/// fn die(entity: Entity, health: &Health, mut graveyard: Graveyard) {
///     if health.0 == 0 {
///         graveyard.bury(entity);
///     }
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Deaths>();
/// world.spawn_batch([Health(0), Health(1), Health(0)]);
/// world.run_system_once(die).unwrap();
/// assert_eq!((world.len(), world.resource::<Deaths>().0), (1, 2));
/// ```
#[proc_macro_derive(SystemParam, attributes(system_param))]
pub fn derive_system_param(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), system_param::expand).into()
}

/// Makes a struct a query filter: its fields are filters, all of which must hold.
///
/// The filter can be used wherever a filter is accepted: in tuples, in `Or<(..)>`, in a field of another filter. It is never constructed;
/// its fields only declare the filters.
///
/// # Options
///
/// - `#[query_filter(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Dead;
/// #[derive(Component)]
/// struct Frozen;
///
/// #[derive(QueryFilter)]
/// struct Alive {
///     health: With<Health>,
///     dead: Without<Dead>,
/// }
///
/// #[derive(QueryFilter)]
/// struct Awake<T: Component>(Alive, Without<T>);
///
/// let mut world = World::new();
/// world.spawn(Health(1));
/// world.spawn((Health(1), Frozen));
/// world.spawn((Health(0), Dead));
/// assert_eq!(world.query_filtered::<Entity, Alive>().iter(&world).count(), 2);
/// assert_eq!(world.query_filtered::<Entity, Awake<Frozen>>().iter(&world).count(), 1);
/// assert_eq!(world.query_filtered::<Entity, Or<(Alive, With<Dead>)>>().iter(&world).count(), 3);
/// ```
#[proc_macro_derive(QueryFilter, attributes(query_filter))]
pub fn derive_query_filter(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), query_filter::expand).into()
}

#[doc = include_str!("docs/system.md")]
#[proc_macro_attribute]
pub fn system(attribute: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(attribute.into(), item.into()).into()
}

/// Makes a function an observer: `#[system]`, of a function whose first parameter is `On<E>`.
///
/// The other parameters are as for a system. A reference is a component of the event's target, as are `Mut<T>`, `Ref<T>`, an `Option` of
/// one of these, `Has<T>` and `Entity`: the observer borrows it, and does not run for a target that lacks it. `World::warn_once` reports
/// the first such target, unless `with(..)` names the missing component. So the event must have a target: it is an `EntityEvent`, or a
/// lifecycle event such as `Add<T>`. Conflicts between parameters are detected at compile time, as for rows.
///
/// # Options
///
/// - `#[observer(with(A, B))]`, `without(..)`, `any(..)`, `allow(..)`, `added(..)`, `changed(..)`: the observer runs only for targets that
///   match, as for `#[system]`.
/// - `#[observer(run_if(condition))]`, `associated`, `crate = path`: as for `#[system]`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(EntityEvent)]
/// struct Damage {
///     entity: Entity,
///     points: u32,
/// }
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Armor(u32);
/// #[derive(Component)]
/// struct Ghost;
///
/// #[observer(without(Ghost))]
/// fn hurt(on: On<Damage>, health: &mut Health, armor: Option<&Armor>, mut commands: Commands) {
///     let absorbed = armor.map_or(0, |armor| armor.0);
///     health.0 = health.0.saturating_sub(on.points.saturating_sub(absorbed));
///     if health.0 == 0 {
///         commands.entity(on.entity).despawn();
///     }
/// }
///
/// let mut world = World::new();
/// world.add_observer(hurt);
/// let knight = world.spawn((Health(9), Armor(2))).id();
/// let [ghost, stone] = [world.spawn((Health(1), Ghost)).id(), world.spawn_empty().id()];
/// for entity in [knight, ghost, stone] {
///     world.trigger(Damage { entity, points: 5 });
/// }
/// assert_eq!(world.get::<Health>(knight).unwrap().0, 6);
/// assert_eq!(world.get::<Health>(ghost).unwrap().0, 1);
/// ```
#[proc_macro_attribute]
pub fn observer(attribute: TokenStream, item: TokenStream) -> TokenStream {
    system::expand_observer(attribute.into(), item.into()).into()
}
