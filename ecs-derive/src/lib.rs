//! The macros of the entity component system `strata-ecs`, which re-exports them all: depend on that crate, not on
//! this one.
//!
//! What the macros write is safe code that names one module of the core, or of `strata-app` for `States` and `SubStates`.
//! Set the environment variable `STRATA_EXPAND` to the name of an item to see what is written for it:
//! `STRATA_EXPAND=movement cargo build`.
//!
//! Names that begin with `__strata` are the macros' own.
//!
//! # Another name for the core
//!
//! The macros read in the `Cargo.toml` of the crate that uses them by which name it knows `strata-ecs`; if it depends on `strata-app`
//! alone, they find the core there. For other re-exports, every macro takes the option `crate = path`:
//! `#[component(crate = engine::ecs)]`, `#[system(crate = engine::ecs)]`. `extern crate engine as strata_ecs;`, once at the root of the
//! crate, serves as well if `engine` re-exports all of the core.
#![forbid(unsafe_code)]

mod attr;
mod bundle;
mod component;
mod ctxt;
mod demands;
mod description;
mod entities;
mod event;
mod expand;
mod generics;
#[cfg(test)]
mod golden;
mod hygiene;
mod item;
mod label;
mod manifest;
mod marker;
mod persistence;
mod place;
mod query_data;
mod query_filter;
mod relation;
mod relationship;
mod require;
mod saving;
mod state;
mod state_form;
mod suggest;
mod system;
mod system_param;
mod tuple;
mod types;

use proc_macro::TokenStream;

/// Makes a struct or an enum a component.
///
/// Any type that is `Send + Sync + 'static` will do: unit and tuple structs, enums, types with type and const parameters
/// and where clauses; with `Drop`, without `Default` or `Clone`. A component owns its data, so it has no lifetime
/// parameters.
///
/// # Options
///
/// - `#[component(storage = "table")]`, or `"Table"`: values lie in a column of the entity's table. This is the default.
/// - `#[component(storage = "sparse")]`, or `"SparseSet"`: values lie outside the tables, for components that come and go. A
///   zero-sized one takes a bit an entity.
/// - `#[component(track = "on_demand")]`: which values have changed is kept in worlds in which a query asks for it, with
///   `Changed`, `Added` or `Ref`. This is the default.
/// - `#[component(track = "always")]`: it is kept in every world, from the beginning.
/// - `#[component(track = "never")]`: it is never kept. A system or query that asks for it does not compile.
/// - `#[component(immutable)]`: a value changes only by inserting another one; see [below](#immutable-components).
/// - `#[component(summary_tick)]`: accepted, as in bevy_ecs, and has no effect. Each column with ticks keeps what the option asks for:
///   a query with `Changed` passes over tables and groups of rows without a change.
/// - `#[component(clone)]`: the type must be `Clone`, and its values are cloned with an entity. Without this option those
///   of every type are that is `Clone`, as far as its own bounds prove it: of `struct Slots<T>(T)` they do not, of
///   `struct Slots<T: Clone>(T)` they do. With this option only those types are components that are `Clone`.
/// - `#[component(clone = "never")]`: values are not cloned with an entity, even if the type is `Clone`.
/// - `#[component(hash)]`, `#[component(serialize)]`: as `clone`, for `Hash`, by which checksums take values, and for `Serialize` and
///   `DeserializeOwned`, which needs the feature `serde`. A type with parameters gets the bound, such as `Self: Hash`, on its
///   implementation of `Component`.
/// - `#[component(map_entities)]`: entities inside of values are replaced as the type's `MapEntities` says, which is demanded then; without
///   this option it is used if it is there, and fields of entities are replaced if it is not. `#[component(map_entities = function)]`: a
///   function does it, which takes the value and a mapper, as in `fn map<M: EntityMapper>(value: &mut Squad, mapper: &mut M)`.
/// - `#[component(name = "health")]`: the name of the component in files. Without this option it is the path of the type, as
///   in `my_game::units::Health`. Two components of a world cannot have the same name if an attribute gave it to one of them.
///   A type with parameters has its parameters in its name, `inventory<sword, 4>`, and has a name only if its bounds say that
///   each type parameter has one: `T: Component`, or `T: Describe`.
/// - `#[component(version = 2)]`: the version of the values in files, 1 without this option; `upgrade = function` makes values of those of
///   the version before, `upgrade(1 = function, 2 = function)` of older ones, too; `alias = "life"` and `alias("life", "hp")` are names that
///   the component had in files, without the parameters of the type. See [below](#in-files).
/// - `#[component(save = "skip")]`: values are not saved, unless a format lists the component.
/// - `#[component(editable)]`: private fields can be set by their names, too, by code that does not know the type:
///   `EntityWorldMut::set_field`. Without it only `pub` fields can. Not for types that rely on what is in their private fields.
/// - `#[component(plain)]`: any bytes, as many as a value has, are a value, so that a saved world can have the values as bytes, and
///   loading copies them. The type has `#[repr(C)]`, no padding, and fields of numbers with a fixed size, arrays of these, and types that
///   are `plain` themselves. Code of the type cannot rely on what its constructors check: a file may hold any bytes.
/// - `#[component(on_add = function)]`, `on_insert`, `on_discard`, `on_remove`, `on_despawn`: its hooks; see [below](#hooks).
/// - `#[component(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[derive(Component)]
/// enum Team {
///     Red,
///     Blue,
/// }
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Stunned;
///
/// #[derive(Component)]
/// #[component(track = "never")]
/// struct Scratch([f32; 4]);
///
/// #[derive(Component)]
/// struct Inventory<T, const SLOTS: usize>([Option<T>; SLOTS]);
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(9), Team::Red, Stunned, Inventory([Some(1), None]))).id();
/// assert!(world.entity(entity).contains::<Stunned>());
/// # let _ = (Team::Blue, Scratch([0.0; 4]));
/// ```
///
/// # In files
///
/// The package `strata-save` writes worlds to files, and does with them what the options say. An older version is a type with the fields of
/// then, of which only its `Deserialize` counts; the function that makes values of it captures nothing. `upgrade` needs the feature `serde` of
/// `strata-ecs`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// /// As it was in version 1.
/// #[derive(serde::Deserialize)]
/// struct HealthV1(u8);
///
/// #[derive(Component)]
/// #[component(name = "game.life", version = 2, upgrade = Life::from_v1, alias = "game.health")]
/// struct Life {
///     now: f32,
///     most: f32,
/// }
///
/// impl Life {
///     fn from_v1(HealthV1(now): HealthV1) -> Self {
///         Self { now: now.into(), most: 100.0 }
///     }
/// }
/// ```
///
/// # Immutable components
///
/// The values of a component with `#[component(immutable)]` never change in place: `insert`, `spawn` and other operations that
/// put whole values into an entity replace them, and removal takes them. So an index of the values stays right if it follows
/// insertions and removals. Reading works as with other components, and `Changed` and `Ref` see what was inserted.
///
/// A system, query or method that would borrow such a value mutably does not compile. Generic code that does it has the bound
/// `T: Component<Mutability = Mutable>`. Methods that take a `ComponentId` return an error.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// #[component(immutable)]
/// struct Parent(Entity);
///
/// let mut world = World::new();
/// let [old, new] = [world.spawn_empty().id(), world.spawn_empty().id()];
/// let child = world.spawn(Parent(old)).id();
/// world.entity_mut(child).insert(Parent(new));
/// assert_eq!(world.get(child), Some(&Parent(new)));
/// ```
///
/// ```compile_fail,E0277
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(immutable)]
/// struct Parent(Entity);
///
/// fn reparent(mut children: Query<&mut Parent>) {}
/// ```
///
/// # Hooks
///
/// A hook is a function that runs whenever the component comes to an entity or goes, in every world: see `component::ComponentHook`.
/// `on_add = path` names it, `on_add = |world, context| ..` is a closure, which captures nothing, and `on_add` alone is the associated
/// function `Self::on_add`. Any other expression, such as the call `on_add = make("text")`, is a function that is asked for whenever the
/// hook runs. Paths may have `Self` and the parameters of the type in them: `on_add = enter::<Self>`.
///
/// ```
/// use strata_ecs::component::HookContext;
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::DeferredWorld;
///
/// #[derive(Component)]
/// #[component(on_add, on_remove = |mut world, _| world.resource_mut::<Crew>().0 -= 1)]
/// struct Sailor;
///
/// impl Sailor {
///     fn on_add(mut world: DeferredWorld, _: HookContext) {
///         world.resource_mut::<Crew>().0 += 1;
///     }
/// }
///
/// #[derive(Resource, Default)]
/// struct Crew(u32);
///
/// let mut world = World::new();
/// world.init_resource::<Crew>();
/// let [ann, _bob] = [(); 2].map(|()| world.spawn(Sailor).id());
/// world.despawn(ann);
/// assert_eq!(world.resource::<Crew>().0, 1);
/// ```
///
/// # What is known of the type
///
/// The `component::ComponentDescriptor` of the component holds what the derive
/// finds, without any registration: the functions of the traits that the type has (`Clone`, `Default`, `PartialEq`, `Debug`),
/// as far as the bounds at its definition prove them, and its fields with their names, offsets, types and doc comments. For the
/// compiler a described field is a used one: it does not warn of fields of components that are never read.
///
/// # Entities inside
///
/// Entities inside of fields are replaced by others when entities are loaded, moved to another world, or cloned with what is linked to them.
/// A field is mapped if its type implements `MapEntities`, by whatever name it is written: `Entity`, `Option<Entity>`, `Vec<Entity>`,
/// tuples, maps and other collections, types with `#[derive(MapEntities)]`. A component that implements `MapEntities` itself is mapped by that.
///
/// - `#[entities(ignore)]` above a field: its entities stay as they are.
/// - `#[entities]` above a field: its type has to implement `MapEntities`.
/// - A field whose type mentions a type with entities, as in `Slot<Entity>`, and cannot be mapped does not compile. Fields of resources that
///   are not `Clone` may: those cannot be saved.
/// - A field that depends on a type parameter is mapped if the bounds prove that its type implements `MapEntities`. Without such a bound it is
///   mapped if it is an `Entity` or a common collection of entities; other types are not, so write `T: MapEntities` where they matter.
///
/// ```
/// use strata_ecs::component::ComponentDescriptor;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Bonds {
///     parent: Entity,
///     friends: Vec<(Entity, u32)>,
///     #[entities(ignore)]
///     origin: Option<Entity>,
/// }
///
/// let functions = ComponentDescriptor::of::<Bonds>().functions();
/// assert!(functions.map_entities_fn().is_some());
/// ```
///
/// # Relationships
///
/// Two components can keep the two sides of a link between entities:
///
/// - `#[relationship(relationship_target = Other)]` on the one that names the *target*. With several fields, `#[relationship]` stands above
///   the one that holds it; the others are `Default`. `allow_self_referential`: an entity may name itself. Values are immutable.
/// - `#[relationship_target(relationship = Other)]` on the one that lists those that name an entity, its *sources*: in a private field, a
///   `Vec<Entity>`, an `EntityHashSet` or an `Entity`. `linked_spawn`: they end with the entity.
///
/// The library keeps the second one. Both are stored outside of the tables. See `Relationship` and `ChildOf`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[relationship(relationship_target = Crew)]
/// struct Aboard {
///     #[relationship]
///     ship: Entity,
///     cabin: u32,
/// }
///
/// #[derive(Component)]
/// #[relationship_target(relationship = Aboard, linked_spawn)]
/// struct Crew(Vec<Entity>);
///
/// let mut world = World::new();
/// let ship = world.spawn_empty().id();
/// world.spawn(Aboard { ship, cabin: 7 });
/// assert_eq!(world.get::<Crew>(ship).unwrap().0.len(), 1);
/// world.despawn(ship);
/// assert!(world.is_empty());
/// # let _ = |aboard: Aboard| aboard.cabin;
/// ```
///
/// # Required components
///
/// `#[require(..)]` names components that an entity gets along with this one. Whenever the component is spawned or inserted,
/// by whatever way, those are added that the entity does not have and is not given at the same time:
///
/// - `#[require(Health)]`: with the value `Health::default()`.
/// - `#[require(Health(100))]`, `#[require(Health { points: 100 })]`: with this value, of a struct.
/// - `#[require(Health::FULL)]`, `#[require(Team::Red)]`, `#[require(Health::new(100))]`: a constant, a variant or a function
///   of the type. What follows a name in upper camel case is taken for one of these.
/// - `#[require(Health = expression)]`: any expression of the type.
///
/// The expression is evaluated for each value anew. It sees neither the world nor the other components, and is not called for
/// a value that would not be there afterwards: if commands for one entity are carried out together, only what the last of
/// them leaves missing is made. In which order the values for several entities are made is not specified. If it panics nothing
/// is added, and the world is as it was.
///
/// What a required component requires comes along too. If a component is required more than once, the value is that of the
/// nearest: a component's own requirements come before those of what it requires, and otherwise those that are written first
/// count, in the attribute as in a bundle. If one component of a bundle requires another one of it, directly or through others, the
/// first one's requirements come before those of the second, wherever they stand in the bundle. `insert_if_new` adds what those components
/// require that come: a component that is there already requires nothing then, and `insert` adds what is missing in any case.
/// Removing a component leaves there what it required. Clones and entities that move to another world get nothing that the
/// original does not have.
///
/// A component that requires itself through others is refused with a panic when a world meets it, which is then as before.
///
/// All of this is worked out once for each bundle. Spawning with required components goes straight to the table that has
/// them, and one move is enough to insert a component with what it requires.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq, Default)]
/// struct Health(u32);
/// #[derive(Component, Debug, PartialEq, Default)]
/// enum Mood {
///     #[default]
///     Calm,
///     Angry,
/// }
///
/// #[derive(Component)]
/// #[require(Health(10), Mood)]
/// struct Monster;
///
/// #[derive(Component)]
/// #[require(Monster = Monster, Mood::Angry)]
/// struct Dragon;
///
/// let mut world = World::new();
/// let dragon = world.spawn(Dragon).id();
/// assert_eq!(world.get(dragon), Some(&Health(10)));
/// assert_eq!(world.get(dragon), Some(&Mood::Angry));
///
/// let tough = world.spawn((Dragon, Health(300))).id();
/// assert_eq!(world.get(tough), Some(&Health(300)));
/// # let _ = Mood::Calm;
/// ```
#[proc_macro_derive(Component, attributes(component, require, entities, relationship, relationship_target))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), component::expand).into()
}

/// Makes a type a resource: a value of which a world has at most one.
///
/// # Options
///
/// - `#[resource(clone)]`, `hash`, `serialize`: the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned` (with the feature
///   `serde`). Of a type with parameters whose own bounds do not prove it, only those types are resources then that are.
/// - `#[resource(transient)]`: the resource belongs to the process, as a window does. Snapshots, files, deltas and comparisons pass over it;
///   it stays as it is when a world is restored or loaded.
/// - `#[resource(save = "skip")]`: a file has the resource only if the format lists it; comparisons pass over it. A snapshot has it.
/// - `#[resource(persistence = function)]`: the function returns one of these, or a form as text by which the resource is saved without being
///   listed: see `Persistence`.
/// - `#[resource(name = "gravity")]`: the name of the resource in files. Without this option it is the path of the type.
/// - `#[resource(version = 2)]`, `upgrade = function`, `alias = "pull"`: its version in files, what makes a value of one of an older version,
///   and names that it had, as of a component: see [there](macro@Component#in-files).
/// - `#[resource(missing = "add `AudioPlugin` to the `App`")]`: what a program does to have the resource. Errors say it where the resource does
///   not exist; `{}` in it stands for the type parameters of a generic resource.
/// - `#[resource(crate = path)]`: where `strata-ecs` is found.
///
/// Functions, fields and the entities inside are found as for a component: see `#[derive(Component)]`.
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

/// Makes a type a relation: a value that stands between two entities.
///
/// # Options
///
/// - `#[relation(on_target_despawn = "release")]`, or `"cascade"`, or `"ignore"`: what becomes of a pair whose target is despawned. It is
///   removed; or its source is despawned; or it stays until its source goes. Without this option it is removed.
/// - `#[relation(exclusive)]`: a source has one pair at most; another one takes its place.
/// - `#[relation(symmetric)]`: a pair has no direction.
/// - `#[relation(acyclic)]`: a pair that would close a circle is not made.
/// - `#[relation(clone)]`, `hash`, `serialize`: the type must be `Clone`, `Hash`, or `Serialize` and `DeserializeOwned`, as of a
///   [component](macro@Component). Without these options this is found out, for a type with parameters from their bounds alone.
/// - `#[relation(name = "hunting")]`: the name of the relation in files. Without this option it is the path of the type.
/// - `#[relation(version = 2)]`, `upgrade = function`, `alias = "chasing"`: its version in files, what makes values of those of an older
///   version, and names that it had, as of a component: see [there](macro@Component#in-files).
/// - `#[relation(crate = path)]`: where `strata-ecs` is found.
///
/// Functions, fields and the entities inside are found as for a component: see `#[derive(Component)]`. Pairs are cloned with their source
/// if the type is `Clone`.
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

/// Describes a type that is neither a component nor a resource: its name in files and its fields. Components and resources with
/// fields of this type are described with these, too. A component describes itself: beside `derive(Component)` this derive is a
/// second description, which does not compile.
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

/// Says how the entities inside of a type are exchanged for others: those in fields whose types implement `MapEntities` themselves. A
/// field whose type mentions a type with entities and cannot be mapped does not compile; `#[entities(ignore)]` above a field keeps its
/// entities. The implementation demands `T: MapEntities` of the type parameters that fields depend on.
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

/// Makes a type a message: a value that systems write and that others read.
///
/// # Options
///
/// - `#[message(clone)]`, `hash`: as of a [resource](macro@Resource): of a message with type parameters whose bounds do not prove it.
/// - `#[message(transient)]`, `save = "skip"`, `persistence = function`: how the list of the messages takes part in snapshots, files and
///   comparisons, as of a resource.
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

/// Makes a type an event: a value that observers are told of at once.
///
/// # Options
///
/// - `#[event(trigger = Type)]`: how it finds its observers, a type that implements `Trigger`. Without it the event is for no entity.
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

/// Makes a struct an event that is for an entity, whose observers are told of it.
///
/// The field called `entity` holds the entity, or the one with `#[event_target]`, or the only one. Its type is `Entity`, or one that is
/// `Clone` and can become an `Entity`.
///
/// # Options
///
/// - `#[entity_event(propagate = &'static Component)]`: the event can go on from an entity to the one that this component of it leads to,
///   for which `Traversal` is implemented, if an observer asks for it with `on.propagate(true)`. Any read-only query data may stand
///   there. `#[entity_event(propagate)]` alone: from a child to its parent, along `&'static ChildOf`.
/// - `#[entity_event(auto_propagate)]`: it goes on by itself until an observer says `on.propagate(false)`; along `ChildOf` as well, unless
///   `propagate = ..` stands beside it.
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

/// Makes a struct or an enum the name of system sets: one for each value.
///
/// A set is cloned, compared, hashed and printed, so the type needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`. Types
/// with parameters are sets where these are implemented.
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
/// `#[source(Other = pattern)]` says which values of the other state these are; it begins with its `Default`. The source may be
/// an `Option`, or a tuple of states.
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
/// - `#[bundle(ignore)]` on a field: the field is not added. When the bundle is taken out of an entity the field is made
///   by `Default`.
/// - `#[bundle(ignore_from_components)]`: as without it. bevy_ecs needs it for bundles that cannot be taken out of an entity; here all of
///   them can be.
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

/// Makes a struct or an enum something that a query can ask for.
///
/// Each field is a query term: `&'static T`, `&'static mut T`, `Ref<'static, T>`, `Option<..>`, `Has<T>`, `Entity`, or another
/// such type. For a type `Mover` the macro writes `MoverItem`, which a query yields, and, if it is mutable, `MoverReadOnly` and
/// `MoverReadOnlyItem`, which `Query::iter` uses.
///
/// # Options
///
/// - `#[query_data(mutable)]`: fields may borrow mutably.
/// - `#[query_data(contiguous(all))]`: slices have the names of the fields, too; see [below](#slices). With `contiguous(mutable)`
///   those of the type itself have, with `contiguous(immutable)` those of its read-only form.
/// - `#[query_data(derive(Debug, ..))]`: traits to derive for the items, with those of slices.
/// - `#[query_data(crate = path)]`: where `strata-ecs` is found.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(QueryData)]
/// #[query_data(mutable)]
/// struct Mover {
///     entity: Entity,
///     position: &'static mut Position,
///     velocity: Option<&'static Velocity>,
/// }
///
/// fn movement(mut movers: Query<Mover>) {
///     for mut mover in &mut movers {
///         mover.position.0 += mover.velocity.map_or(0.0, |velocity| velocity.0);
///     }
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn((Position(1.0), Velocity(2.0))).id();
/// world.run_system_once(movement).unwrap();
/// let mut movers = world.query::<Mover>();
/// let mover = movers.single(&world).unwrap();
/// assert_eq!((mover.entity, mover.position.0), (entity, 3.0));
/// ```
///
/// # Slices
///
/// `Query::contiguous_iter` yields the slices of a struct as a tuple, in the order of the fields. With
/// `#[query_data(contiguous(all))]` they are a struct with the same field names: `MoverContiguousItem` for `Mover`, and
/// `MoverReadOnlyContiguousItem` for its read-only form, which exists with `mutable`. It costs nothing.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(QueryData)]
/// #[query_data(mutable, contiguous(all))]
/// struct Mover {
///     position: &'static mut Position,
///     velocity: &'static Velocity,
/// }
///
/// fn movement(mut movers: Query<Mover>) {
///     for MoverContiguousItem { position, velocity } in movers.contiguous_iter_mut() {
///         for (position, velocity) in position.iter_mut().zip(velocity) {
///             position.0 += velocity.0;
///         }
///     }
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([(Position(1.0), Velocity(2.0)), (Position(5.0), Velocity(0.5))]);
/// world.run_system_once(movement).unwrap();
/// let mut movers = world.query::<Mover>();
/// let slices: MoverReadOnlyContiguousItem = movers.contiguous_iter(&world).next().unwrap();
/// assert_eq!(slices.position.iter().map(|position| position.0).sum::<f32>(), 8.5);
/// ```
///
/// # Enums
///
/// A query for an enum matches the entities that have all fields of at least one variant, and yields the first variant, in
/// the order of the definition, whose fields are all there. A variant without fields matches every entity.
///
/// Which variant it is depends on the table: with components that are stored in tables it is found out once per table.
/// With sparse ones each row is asked.
///
/// What any variant borrows is borrowed by the query; two variants may borrow the same component mutably, since an entity
/// yields one of them. Rows of an enum cannot be had as slices (`Query::contiguous_iter`).
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Armour(i32);
/// #[derive(Component)]
/// struct Door;
///
/// #[derive(QueryData)]
/// #[query_data(mutable)]
/// enum Target {
///     Armoured { health: &'static mut Health, armour: &'static Armour },
///     Alive(&'static mut Health),
///     Door(&'static Door),
/// }
///
/// fn hit(mut targets: Query<Target>) {
///     for target in &mut targets {
///         match target {
///             TargetItem::Armoured { mut health, armour } => health.0 -= 10 - armour.0,
///             TargetItem::Alive(mut health) => health.0 -= 10,
///             TargetItem::Door(Door) => {}
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let knight = world.spawn((Health(20), Armour(9))).id();
/// let bard = world.spawn(Health(20)).id();
/// world.spawn(Door);
/// world.run_system_once(hit).unwrap();
/// assert_eq!(world.get::<Health>(knight).unwrap().0, 19);
/// assert_eq!(world.get::<Health>(bard).unwrap().0, 10);
/// ```
#[proc_macro_derive(QueryData, attributes(query_data))]
pub fn derive_query_data(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), query_data::expand).into()
}

/// Makes a struct a system parameter: its fields, each a parameter, are fetched together.
///
/// The lifetimes go by their names: `'w` is that of what is borrowed from the world, `'s` that of what the system keeps.
/// A struct has those that its fields need. It may have type and const parameters with bounds, named or unnamed fields, or
/// none; fields may be structs with this derive, and `PhantomData`.
///
/// To its system the struct is one parameter: if two of its fields, or one of its fields and another parameter, are in each
/// other's way, the error names the field.
///
/// # Options
///
/// - `#[system_param(builder)]`: a struct with the name of this one and `Builder` behind it, of builders of the fields. See
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
/// The filter can stand wherever one can: in tuples, in `Or<(..)>`, in a field of another. It is never made; its fields
/// only say what is demanded.
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

/// Turns a function into a system.
///
/// A function with **row parameters** becomes a *row system*: it runs once for each entity that has them, in one counted
/// loop over the columns of each table. Any other function becomes a *world system* and runs once.
///
/// | parameter | is | for each row |
/// |---|---|---|
/// | `&T` | a component | the value; rows without it are passed over |
/// | `&mut T` | a component | the value; all rows that the system runs for count as changed |
/// | `Mut<T>` | a component | the value; a row counts as changed where it is dereferenced mutably |
/// | `Ref<T>` | a component | the value, which knows whether it has changed |
/// | `Option<&T>`, `Option<&mut T>`, `Option<Mut<T>>`, `Option<Ref<T>>` | a component | the same, if the row has it |
/// | `Has<T>` | whether the row has a component | a `bool` |
/// | `Entity` | the id of the row | the id |
/// | `#[parent]` with `Option<&T>`, `Option<Ref<T>>` or `Option<Entity>` | a component of the row's parent, in a system with `down` | the value, if there is one |
/// | `#[children]` with `ChildRows<&T>` | components of the row's children, in a system with `up` | those that there are |
/// | `&R`, `&mut R`, `Ref<R>` or `Mut<R>` in a system with `pairs = R` | the value of the pair; `#[pair]` says so where the type has another name | the value, for each pair of the row |
/// | `#[target]` with one of the forms above | a component of the pair's target, in a system with `pairs` | the same, for each pair of the row |
/// | `In<T>`, `InRef<T>`, `InMut<T>`, or a tuple of these, as the first of a world system | what the system is given by `pipe` or `run_system_with` | |
/// | `On<E>`, as the first of a world system | the event that it is told of, as an observer | |
/// | anything else | a system parameter, by value: `Res`, `ResMut`, `Query`, `Lookup`, `MessageWriter`, `Local`, `Commands`, .. | the same for all rows |
///
/// Components may be stored in tables or be sparse. Where the values of a sparse component are asked for, rows are visited
/// one by one.
///
/// Parameters may be patterns, be `mut`, and carry `cfg`s; there may be up to 40 of them. The function may have type
/// and const parameters, with bounds, and is then added as `movement::<T>`. It returns nothing or a `Result`; the first row
/// that fails ends the run of the system. It can be called by hand, as in a unit test.
///
/// # Options
///
/// - `with(A, B)`: only rows that have these components, which are not borrowed.
/// - `without(A, B)`: only rows that have none of these.
/// - `any(A, B)`: only rows that have at least one of these.
/// - `allow(A, B)`: also rows that have these, which are passed over otherwise: `allow(Disabled)`.
/// - `added(A, B)`: only rows to which all of these were added since the system ran last.
/// - `changed(A, B)`: only rows in which all of these were added or changed since the system ran last. Its own writes do not
///   count.
/// - `par`: several threads share the rows, if there are enough of them to be worth it. System parameters can be those that
///   only read (`Query`, `Lookup`, `Res`, `Option<Res>`, `&World`), `Commands` and `MessageWriter`, tuples of these and structs
///   with `#[derive(SystemParam)]`. What is recorded comes in the order of rows, on any number of threads; with `changed` that
///   is their order in the tables. When a row fails, rows behind it may have been gone through already, but what they have
///   recorded is thrown away.
/// - `down = ChildOf`: rows are visited in the order of a relationship, parents before their children: see
///   [below](#hierarchies). `up = ChildOf`: children before their parents.
/// - `pairs = R`: the system runs once for each pair of the relation `R` of which the row is the source: see [below](#pairs).
/// - `simd = off`: the loop of a row system is compiled once, as the rest of the program: see
///   [below](#instruction-sets).
/// - `pipeline = off`: the loop of a row system goes through all rows before the next system begins, whatever a schedule
///   could gain from running both block by block.
/// - `run_if(a, b)`: only if these conditions hold, which are systems that read and return a `bool`. All are asked before
///   each run. A world system must return `()` or a `Result<(), E>` then.
/// - `associated`: the function stands in an `impl`.
/// - `crate = path`: where `strata-ecs` is found.
///
/// # Names
///
/// The function stays one, with its parameters: it can be called, and a local variable or a parameter may have the same name. What
/// it returns becomes a `SystemFn`, whose `output` is what the body returns and whose type leads to the loop. In an `impl` the
/// name is that of an associated constant instead.
///
/// As with any function, a caller in another module needs to see the types of its parameters.
///
/// Whether a parameter is of the row is told from how its type is written: a reference, `Mut<T>`, `Ref<T>`, an `Option` of
/// one of these, `Has<T>` and `Entity` are, by any path. If a type of yours has one of these names, or an alias hides one, the
/// compiler says so, and an attribute on the parameter says what it is: `#[row]` or `#[param]`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// type Place<'a> = &'a Position;
///
/// #[system]
/// fn check(#[row] place: Place, #[param] world: &World) {
///     assert!(place.0 < world.len() as f32);
/// }
/// # let mut world = World::new();
/// # world.spawn(Position(0.5));
/// # world.run_system_once(check).unwrap();
/// ```
///
/// # Hierarchies
///
/// A system with `down = ChildOf` visits parents before their children, and one with `up = ChildOf` children before their parents, along
/// `ChildOf` or any other relationship. It may read of a parent, or of children, what it writes of the row, since these are never one
/// entity.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Local(f32);
/// #[derive(Component)]
/// struct Global(f32);
///
/// #[system(down = ChildOf)]
/// fn place(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
///     global.0 = parent.map_or(0.0, |parent| parent.0) + local.0;
/// }
///
/// let mut world = World::new();
/// let ship = world.spawn((Local(10.0), Global(0.0))).id();
/// let turret = world.spawn((Local(2.0), Global(0.0), ChildOf(ship))).id();
/// let barrel = world.spawn((Local(0.5), Global(0.0), ChildOf(turret))).id();
/// world.run_system_once(place).unwrap();
/// assert_eq!(world.get::<Global>(barrel).unwrap().0, 12.5);
/// ```
///
/// - `#[parent]` gives what the immediate parent has: `None` if the row has no parent, or one that lacks the component or is disabled
///   (unless `allow` says otherwise). The parent need not be one of the rows that the system visits.
/// - A parameter that is called `parent` (in a system with `up`, `children`; with `pairs`, `target`) and is read of the row itself is an error
///   without a mark, unless it is the link or its type has the same name; `#[row]` says that the row is meant.
/// - `#[children]` gives what those children have that the system visits, in the order of tables and rows, as an iterator: there may be one
///   such parameter, with several components if it is `ChildRows<(&A, &B)>`.
/// - With `changed(A)` or `added(A)` a system that goes down visits the rows that have changed and all below them, and one that goes up those
///   and all above them. A row that is new for the system, has another parent, or has lost its parent counts as changed; on the way up,
///   also a parent that has got or lost a child. What changes in parents that are not visited does not count.
/// - With `par`, several threads share the rows of one depth.
/// - Where a relationship leads around in a circle, one of its members is visited first, as if it had no parent.
///
/// Rows of one depth are gone through as in any row system, table by table. Which row has which depth is worked out by the first run, and
/// again if rows have come, gone or changed their tables, in `O(rows)`: about as long as a short loop over them takes. Links that have
/// changed are mended at the cost of what is below them. Otherwise a run costs what a loop over the rows costs in that order. A run with
/// `changed` costs what it visits. A system keeps 36 bytes for each row.
///
/// # Pairs
///
/// A system with `pairs = R` runs once for each pair of the relation `R`. Its row is the source of the pair; `#[target]` gives what the target
/// has, and a parameter of type `&R` or `&mut R` is the value of the pair.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
/// #[derive(Relation)]
/// struct Hunting {
///     speed: f32,
/// }
///
/// #[system(pairs = Hunting)]
/// fn pursue(velocity: &mut Velocity, at: &Position, hunting: &Hunting, #[target] prey: &Position) {
///     velocity.0 = (prey.0 - at.0).signum() * hunting.speed;
/// }
///
/// let mut world = World::new();
/// let rabbit = world.spawn(Position(-3.0)).id();
/// let wolf = world.spawn((Position(2.0), Velocity(0.0))).relate(Hunting { speed: 1.5 }, rabbit).id();
/// world.run_system_once(pursue).unwrap();
/// assert_eq!(world.get::<Velocity>(wolf).unwrap().0, -1.5);
/// ```
///
/// - Pairs are gone through in the order of the indices of their sources, and those of a source in the order in which they were made. A pair of a symmetric relation comes once, with the entity as its row that was the source when it was made.
/// - A pair whose target is not alive, lacks what is taken of it, or is disabled (unless `allow` says otherwise) is passed over. Without a
///   parameter with `#[target]`, nothing is asked of targets.
/// - Filters are about the source. `changed(R)` and `added(R)` are about the value of each pair.
/// - Targets may be written, `#[target] health: &mut Health`: a target of several pairs comes once for each of them. What is written of
///   targets may not be borrowed of the rows, and what is written of the rows may not be read of targets: an entity may be both, also in one
///   pair. With `par` targets are only read.
/// - Rows with `&mut T` count as changed if they have pairs; targets, if the system writes them.
///
/// A source costs what a row with a sparse component costs. Where tables have their columns is found out once for a few tables, and not for
/// each pair, so reading a target costs less than `Lookup::get` does; to write one costs what `Query::get_mut` does.
///
/// # Instruction sets
///
/// The loop of a row system is compiled for several instruction sets, of which the best that the processor has is
/// chosen when the program runs (see the module `simd`). The results are the same to the last bit. The function is
/// compiled with the loop, and so is what the compiler inlines into it; other functions that it calls are not.
///
/// Each instruction set costs time to compile, and space. So a loop is compiled once only, for what the whole program is
/// compiled for, where more would not make it faster:
///
/// - with `simd = off`;
/// - with `pairs`;
/// - if the rows have no values to compute with: the components have destructors or no size, or there are only `Has` and
///   `Entity`;
/// - if a row may end the loop: the function returns a `Result`, and `?` or `Err(..)` stands in its body. A function that
///   returns `Ok(())` early ends its row and not the loop;
/// - if a parameter is `Commands` or `MessageWriter`.
///
/// To compute with many rows and fail for some of them, or record something for some, use two systems.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system] // For all instruction sets.
/// fn movement(position: &mut Position, velocity: &Velocity) {
///     position.0 += velocity.0;
/// }
///
/// #[system] // Once: the first row that fails ends the loop.
/// fn check(position: &Position) -> Result {
///     if position.0.is_nan() { Err("a position is not a number")? }
///     Ok(())
/// }
///
/// #[system(simd = off)] // Once.
/// fn brake(velocity: &mut Velocity) {
///     velocity.0 *= 0.5;
/// }
/// # let mut world = World::new();
/// # let entity = world.spawn((Position(1.0), Velocity(2.0))).id();
/// # let mut schedule = Schedule::default();
/// # schedule.add_systems((movement, check, brake).chain());
/// # schedule.run(&mut world);
/// # assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
/// # assert_eq!(world.get::<Velocity>(entity).unwrap().0, 1.0);
/// ```
///
/// # In an `impl`
///
/// An associated function becomes a system with `#[system(associated)]`: an associated constant stands under its name. It
/// cannot have a receiver or type parameters, and writes the name of the type for `Self`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// struct Physics;
///
/// impl Physics {
///     const GRAVITY: f32 = 9.81;
///
///     #[system(associated)]
///     fn fall(position: &mut Position) {
///         position.0 -= Physics::GRAVITY;
///     }
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn(Position(10.0)).id();
/// world.run_system_once(Physics::fall).unwrap();
/// assert!(world.get::<Position>(entity).unwrap().0 < 1.0);
/// ```
///
/// # Errors
///
/// Each error that the macros give is explained in the index of errors, the page `error_index`, with code
/// that gives it and the same code mended.
///
/// # Conflicts
///
/// If two parameters borrow the same component or resource, one of them mutably, the system does not compile. To ask for the
/// changes of a component is to read it, except that a query may write what it asks the changes of. Queries whose
/// filters (or data) exclude each other by `With` and `Without` do not conflict. Aliases and `#[derive(QueryData)]` structs
/// are seen through. A system with type parameters is checked for each type that it is used with, which `cargo build` does
/// and `cargo check` does not; so are plain functions, and queries of a `World`. Two components with type parameters are
/// known to be one where both are written out; where an alias hides one of them, the check when the system is first built
/// sees it, and panics with the same words.
///
/// ```compile_fail
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[system]
/// fn heal(health: &mut Health, all: Query<&Health>) { // Both borrow `Health`, one of them mutably.
///     health.0 += all.iter().count() as u32;
/// }
/// ```
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
/// #[derive(Component)]
/// struct Frozen;
/// #[derive(Resource)]
/// struct Dt(f32);
///
/// /// A row system: it borrows components.
/// #[system(without(Frozen))]
/// fn movement(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
///     position.0 += velocity.0 * dt.0;
/// }
///
/// /// A world system: it has system parameters only.
/// #[system]
/// fn check(all: Query<&Position>) -> Result {
///     if all.iter().any(|position| position.0.is_nan()) { Err("a position is not a number")? }
///     Ok(())
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Dt(0.5));
/// let entity = world.spawn((Position(1.0), Velocity(2.0))).id();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((movement, check));
/// schedule.run(&mut world);
/// assert_eq!(world.get::<Position>(entity), Some(&Position(2.0)));
///
/// // By hand:
/// let mut position = Position(0.0);
/// movement(&mut position, &Velocity(3.0), Res::from(&Dt(1.0)));
/// assert_eq!(position, Position(3.0));
/// ```
#[proc_macro_attribute]
pub fn system(attribute: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(attribute.into(), item.into()).into()
}

/// Makes a function an observer: `#[system]`, of a function whose first parameter is `On<E>`.
///
/// The other parameters are as those of a system. A reference is a component of the target of the event, as are `Mut<T>`, `Ref<T>`, an
/// `Option` of one of these, `Has<T>` and `Entity`: the observer borrows it, and is not called for a target that lacks it. The first such
/// target is reported by `World::warn_once`, unless `with(..)` names what it lacks. So the event
/// has a target: it is an `EntityEvent`, or one of the life of components, such as `Add<T>`. Whether the parameters are in each other's way
/// is checked while the program is compiled, as for rows.
///
/// # Options
///
/// - `#[observer(with(A, B))]`, `without(..)`, `any(..)`, `allow(..)`, `added(..)`, `changed(..)`: what the target must have, or not, to be
///   told of, as for `#[system]`.
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
