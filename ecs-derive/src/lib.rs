//! The macros of the entity component system `strata-ecs`, which re-exports them all: depend on that crate, not on
//! this one.
//!
//! What the macros write is safe code that names one module of the core. Set the environment variable `STRATA_EXPAND` to
//! the name of an item to see what is written for it: `STRATA_EXPAND=movement cargo build`.
//!
//! Names that begin with `__strata` are the macros' own.
//!
//! # Another name for the core
//!
//! Every macro takes the option `crate = path`, for crates that know `strata-ecs` by another name or by a re-export:
//! `#[component(crate = engine::ecs)]`, `#[system(crate = engine::ecs)]`. A crate that merely renames the dependency can
//! write `extern crate other_name as strata_ecs;` once, at its root, instead.
#![forbid(unsafe_code)]

mod attr;
mod bundle;
mod component;
mod ctxt;
mod expand;
mod generics;
mod hygiene;
mod item;
mod query_data;
mod require;
mod resource;
mod suggest;
mod system;
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
/// - `#[component(storage = "table")]`: values lie in a column of the entity's table. This is the default.
/// - `#[component(storage = "sparse")]`: values lie outside the tables, for components that come and go. A zero-sized one
///   takes a bit an entity.
/// - `#[component(clone)]`: the type must be `Clone`, and its values are cloned with an entity. Without this option those
///   of every type are that is `Clone` and has no parameters; with parameters the option is needed, and only those types
///   are components then that are `Clone`.
/// - `#[component(clone = "never")]`: values are not cloned with an entity, even if the type is `Clone`.
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
/// struct Inventory<T, const SLOTS: usize>([Option<T>; SLOTS]);
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(9), Team::Red, Stunned, Inventory([Some(1), None]))).id();
/// assert!(world.entity(entity).contains::<Stunned>());
/// # let _ = Team::Blue;
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
/// count, in the attribute as in a bundle. `insert_if_new` adds what is missing even if the component itself is there already.
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
#[proc_macro_derive(Component, attributes(component, require))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), component::expand).into()
}

/// Makes a type a resource: a value of which a world has at most one.
///
/// # Options
///
/// - `#[resource(crate = path)]`: where `strata-ecs` is found.
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
#[proc_macro_derive(Resource, attributes(resource))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), resource::expand).into()
}

/// Makes a struct a bundle: its fields, each a component or a bundle, are added and removed together.
///
/// # Options
///
/// - `#[bundle(crate = path)]`: where `strata-ecs` is found.
/// - `#[bundle(ignore)]` on a field: the field is not added. When the bundle is taken out of an entity the field is made
///   by `Default`.
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

/// Makes a struct with named fields something that a query can ask for.
///
/// Each field is a query term: `&'static T`, `&'static mut T`, `Option<..>`, `Has<T>`, `Entity`, or another such struct.
/// For a struct `Mover` the macro writes `MoverItem`, which a query yields, and, if it is mutable, `MoverReadOnly` and
/// `MoverReadOnlyItem`, which `Query::iter` uses.
///
/// # Options
///
/// - `#[query_data(mutable)]`: fields may borrow mutably.
/// - `#[query_data(derive(Debug, ..))]`: traits to derive for the items.
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
#[proc_macro_derive(QueryData, attributes(query_data))]
pub fn derive_query_data(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), query_data::expand).into()
}

/// Turns a function into a system.
///
/// A function with **row parameters** becomes a *row system*: it runs once for each entity that has them, in one counted
/// loop over the columns of each table. Any other function becomes a *world system* and runs once.
///
/// | parameter | is | for each row |
/// |---|---|---|
/// | `&T`, `&mut T` | a component | the value; rows without it are passed over |
/// | `Mut<T>` | a component | the value, as queries yield it |
/// | `Option<&T>`, `Option<&mut T>` | a component | the value, if the row has it |
/// | `Has<T>` | whether the row has a component | a `bool` |
/// | `Entity` | the id of the row | the id |
/// | anything else | a system parameter, by value: `Res`, `ResMut`, `Query`, `Local`, `Commands`, .. | the same for all rows |
///
/// Components may be stored in tables or be sparse. Where the values of a sparse component are asked for, rows are visited
/// one by one.
///
/// Parameters may be patterns, be `mut`, and carry `cfg`s; there may be any number of them. The function may have type
/// and const parameters, with bounds, and is then added as `movement::<T>`. It returns nothing or a `Result`; the first row
/// that fails ends the run of the system. It can be called by hand, as in a unit test.
///
/// # Options
///
/// - `with(A, B)`: only rows that have these components, which are not borrowed.
/// - `without(A, B)`: only rows that have none of these.
/// - `any(A, B)`: only rows that have at least one of these.
/// - `crate = path`: where `strata-ecs` is found.
///
/// # Names
///
/// The name of the function becomes a constant of a type of its own. Other than the name of a function, the name of a
/// constant cannot be given to a local variable or a parameter in its scope: where there is a system `gravity`,
/// `let gravity = 9.81;` is an error in its module. Parameters of systems are exempt.
///
/// Whether a parameter is a component or a system parameter is told from how its type is written: `Mut`, `Has`, `Entity`
/// and `Option<&T>` are taken for the types of `strata-ecs`.
///
/// # Conflicts
///
/// If two parameters borrow the same component or resource, one of them mutably, the system does not compile. Queries whose
/// filters (or data) exclude each other by `With` and `Without` do not conflict. Aliases and `#[derive(QueryData)]` structs
/// are seen through. What is not known at that time (components with type parameters, systems with parameters of their own)
/// is checked when the system is first built, with a panic that says the same.
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
