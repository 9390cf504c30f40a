//! Terms that are made at run time from component ids. The types are defined only here. They use the same cache,
//! driver, change filters, conflict checks and explanations as terms that are types.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::access::term::{ConstTerm, Term, TermComponent, TermEntry, Usage};
use crate::access::{ComponentConflict, ParamAccess};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::query::{
    Added, AnyOf, Changed, Fetch, FilterTerms, Kept, Or, Presence, Query, QueryData, QueryExplanation, QueryFilter,
    QueryState, ReadOnlyFetch, Rows, TermState, TickScan, With, Without,
};
use crate::storage::column::ColumnAddress;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tracking::TickKind;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::{IntoSystem, ParamError, ParamSource, SystemMeta, SystemParam};
use crate::world::{RunSystemOnce, World};

/// Query data: the value of a component, without its type.
struct Erased;

/// The item of [`Erased`].
#[derive(Clone, Copy)]
struct ErasedValue<'w> {
    address: NonNull<u8>,
    type_id: Option<TypeId>,
    marker: PhantomData<&'w ()>,
}

impl<'w> ErasedValue<'w> {
    fn get<C: Component>(self) -> Option<&'w C> {
        // SAFETY: `ErasedTerm` made this from a value of the type with this id, which is borrowed for 'w.
        (self.type_id == Some(TypeId::of::<C>())).then(|| unsafe { self.address.cast().as_ref() })
    }
}

impl QueryData for Erased {
    type Terms = ErasedTerm;
    type ReadOnly = Self;
    type Item<'w, 's> = ErasedValue<'w>;

    fn item<'w, 's>(got: <ErasedTerm as Fetch>::Item<'w>, _: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        got
    }
}

struct ErasedTerm;

/// The component that the term reads.
#[derive(Clone, Copy)]
struct ErasedState {
    id: ComponentId,
    sparse: Option<u32>,
}

#[derive(Clone, Copy)]
struct ErasedValues<'w> {
    address: NonNull<u8>,
    storage: Option<&'w SparseStorage>,
    size: usize,
    type_id: Option<TypeId>,
}

// SAFETY: the term from which the state is made reads one component. Its rows are read from the column of a table that
// has one, or, for a sparse component, from its storage for entities that it contains.
unsafe impl Fetch for ErasedTerm {
    type State = ErasedState;
    type Column = ColumnAddress;
    type TableFetch<'w> = ErasedValues<'w>;
    type Item<'w> = ErasedValue<'w>;
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::AtRunTime;

    fn state(term: Term<'_>) -> ErasedState {
        match *term.node() {
            TermEntry::Component(Usage::Read, TermComponent { id: Some(id), sparse, .. }) => ErasedState { id, sparse },
            _ => panic!("`{}` does not read a component", term.text()),
        }
    }

    fn column(state: &ErasedState, table: &Table) -> Option<ColumnAddress> {
        if state.sparse.is_some() { Some(ColumnAddress::NOWHERE) } else { table.column_address(state.id) }
    }

    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &ErasedState,
        column: ColumnAddress,
        _: &'w Table,
    ) -> ErasedValues<'w> {
        let info =
            cell.store().structure.archetypes.components.info(state.id).expect("the component is one of the world");
        let storage = state.sparse.map(|number| &cell.store().structure.sparse[number as usize]);
        let address = match storage {
            Some(_) => NonNull::dangling(),
            // SAFETY: the caller ensures that the column belongs to a table of the store, which is borrowed for 'w.
            None => unsafe { column.data() },
        };
        ErasedValues { address, storage, size: info.layout().size(), type_id: info.type_id() }
    }

    fn contains(ready: ErasedValues<'_>, entity: Entity) -> bool {
        ready.storage.is_none_or(|storage| storage.contains(entity.index()))
    }

    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        let address = match ready.storage {
            Some(storage) => {
                // SAFETY: the caller ensures that the row exists.
                let entity = unsafe { rows.entity(row) };
                storage.get(entity.index()).expect("`contains` was true")
            }
            // SAFETY: the row exists (ensured by the caller), so it is within the column, whose values have this size.
            None => unsafe { ready.address.add(row * ready.size) },
        };
        ErasedValue { address, type_id: ready.type_id, marker: PhantomData }
    }
}

// SAFETY: the state refuses terms that write.
unsafe impl ReadOnlyFetch for ErasedTerm {}

/// A filter on one component: `With`, `Without`, `Added` or `Changed`, depending on its term.
struct ErasedFilter;

impl QueryFilter for ErasedFilter {
    type Terms = Self;
}

#[derive(Clone, Copy)]
enum Asked<'w> {
    Presence(Presence<'w>, bool),
    Changes(TickScan<'w>),
}

// SAFETY: the usage of the component in the term decides which rows match: entities that have it, lack it, or have a new
// value of it.
unsafe impl FilterTerms for ErasedFilter {
    type State = (Usage, TermState, bool);
    type TableFetch<'w> = Asked<'w>;

    const TERM: ConstTerm = ConstTerm::AtRunTime;

    fn state(term: Term<'_>) -> Self::State {
        match term.node() {
            TermEntry::Component(usage, component) if !usage.borrows() && *usage != Usage::Has => {
                (*usage, TermState::of(term), component.sparse.is_some())
            }
            _ => panic!("`{}` is not a filter on a component", term.text()),
        }
    }

    fn visit_table<'w>(cell: StoreCell<'w>, (usage, state, is_sparse): &Self::State, table: &'w Table) -> Asked<'w> {
        match usage {
            Usage::Added => Asked::Changes(TickScan::new(cell, *state, table, TickKind::Added, *is_sparse)),
            Usage::Changed => Asked::Changes(TickScan::new(cell, *state, table, TickKind::Changed, *is_sparse)),
            _ => Asked::Presence(Presence::new(cell, *state, table, *is_sparse), *usage == Usage::With),
        }
    }

    fn contains(ready: Asked<'_>, entity: Entity, row: usize) -> bool {
        match ready {
            Asked::Presence(presence, wanted) => presence.of(entity) == wanted,
            Asked::Changes(changes) => changes.is_new(entity, row),
        }
    }

    fn any(ready: Asked<'_>) -> bool {
        match ready {
            Asked::Presence(..) => true,
            Asked::Changes(changes) => changes.any(),
        }
    }
}

#[derive(Component, PartialEq, Debug)]
struct Health(u32);

#[derive(Component, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Shield(u32);

#[derive(Component, PartialEq, Debug)]
struct Poison(u32);

#[derive(Component, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Stun(u32);

/// Creates entities with every set of the four components, several of each.
fn world() -> World {
    let mut world = World::new();
    for n in 0..160 {
        let mut entity = world.spawn_empty();
        if n & 1 != 0 {
            entity.insert(Health(n));
        }
        if n & 2 != 0 {
            entity.insert(Shield(n));
        }
        if n & 4 != 0 {
            entity.insert(Poison(n));
        }
        if n & 8 != 0 {
            entity.insert(Stun(n));
        }
    }
    world
}

fn made<D: QueryData, F: QueryFilter>(world: &mut World, terms: &[(Usage, ComponentId)]) -> QueryState<D, F> {
    QueryState::with_terms(&mut world.store, terms, &[]).expect("nothing is borrowed twice")
}

/// Runs a query for one component with a filter on another one, and compares the results with those of the equivalent
/// query that is made of types.
fn compare<C: Component + Debug + PartialEq, T: Component, F: QueryFilter>(world: &mut World, usage: Usage) {
    let ids = [world.register_component::<C>(), world.register_component::<T>()];
    let mut dynamic = made::<(Entity, Erased), ErasedFilter>(world, &[(Usage::Read, ids[0]), (usage, ids[1])]);
    let mut typed = world.query_filtered::<(Entity, &C), F>();

    let mut found: Vec<(Entity, &C)> =
        dynamic.iter(world).map(|(entity, value)| (entity, value.get::<C>().expect("of this type"))).collect();
    let mut expected: Vec<(Entity, &C)> = typed.iter(world).collect();
    let shown = format!("{usage:?} of {:?}", world.components().name(ids[1]));
    // Rows from a list of changes come in another order, so the results are sorted.
    found.sort_by_key(|(entity, _)| *entity);
    expected.sort_by_key(|(entity, _)| *entity);
    assert_eq!(found, expected, "{shown}");
    assert_eq!(dynamic.matched_tables(), typed.matched_tables(), "{shown}");
    assert_eq!(dynamic.cache.drivers, typed.cache.drivers, "{shown}");
    assert_eq!(dynamic.access(), typed.access(), "{shown}");
    let entities: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    for entity in entities {
        assert_eq!(dynamic.get(world, entity).is_ok(), typed.get(world, entity).is_ok(), "{shown}");
    }
    let explained = QueryExplanation::of_state(&world.store, &dynamic).to_string();
    assert_eq!(explained, world.explain_query_filtered::<(Entity, &C), F>().to_string());
}

/// Compares all filters on both components, which have different storage, with data of either storage.
fn compare_all(world: &mut World) {
    macro_rules! filters {
        ($($Data:ident $Filter:ident $Of:ident),*) => {
            $(compare::<$Data, $Of, $Filter<$Of>>(world, Usage::$Filter);)*
        };
    }
    filters!(Health With Poison, Health Without Poison, Health Added Poison, Health Changed Poison);
    filters!(Health With Stun, Health Without Stun, Health Added Stun, Health Changed Stun);
    filters!(Shield With Poison, Shield Without Poison, Shield Added Poison, Shield Changed Poison);
    filters!(Shield With Stun, Shield Without Stun, Shield Added Stun, Shield Changed Stun);
}

#[test]
fn they_match_what_types_match() {
    let mut world = world();
    compare_all(&mut world);
    world.clear_trackers();
    compare_all(&mut world);
    let entities: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    for (n, entity) in entities.into_iter().enumerate() {
        match n % 7 {
            0 => drop(world.entity_mut(entity).insert((Poison(1), Stun(2)))),
            1 => _ = world.get_mut::<Poison>(entity).map(|mut poison| poison.0 += 1),
            2 => _ = world.get_mut::<Stun>(entity).map(|mut stun| stun.0 += 1),
            3 => drop(world.entity_mut(entity).remove::<Poison>()),
            _ => {}
        }
    }
    compare_all(&mut world);
}

#[test]
fn they_stand_beside_terms_that_are_types() {
    let mut world = world();
    let [health, poison] = [world.register_component::<Health>(), world.register_component::<Poison>()];
    let shield = world.register_component::<Shield>();
    type Data = (Option<Erased>, (Entity, AnyOf<(&'static Stun, Erased)>));
    type Filter = (Or<(ErasedFilter, With<Stun>)>, Without<Shield>);
    let terms = [(Usage::Read, health), (Usage::Read, shield), (Usage::Without, poison)];
    let mut dynamic = made::<Data, Filter>(&mut world, &terms);
    type TypedData = (Option<&'static Health>, (Entity, AnyOf<(&'static Stun, &'static Shield)>));
    let mut typed = world.query_filtered::<TypedData, (Or<(Without<Poison>, With<Stun>)>, Without<Shield>)>();
    let found: Vec<_> = dynamic
        .iter(&world)
        .map(|(health, (entity, (stun, shield)))| {
            let health = health.map(|value| value.get::<Health>().expect("of this type"));
            (health, (entity, (stun, shield.map(|value| value.get::<Shield>().expect("of this type")))))
        })
        .collect();
    assert!(!found.is_empty());
    assert_eq!(found, typed.iter(&world).collect::<Vec<_>>());
}

#[test]
fn new_tables_are_found_and_values_have_their_types() {
    let mut world = World::new();
    let [health, poison] = [world.register_component::<Health>(), world.register_component::<Poison>()];
    let mut dynamic = made::<Erased, ErasedFilter>(&mut world, &[(Usage::Read, health), (Usage::Without, poison)]);
    assert!(dynamic.is_empty(&world));
    let entity = world.spawn(Health(7)).id();
    world.spawn((Health(8), Stun(1)));
    world.spawn((Health(9), Poison(1)));
    assert_eq!(dynamic.count(&world), 2);
    let value = dynamic.get(&world, entity).expect("it matches");
    assert_eq!((value.get::<Health>(), value.get::<Poison>()), (Some(&Health(7)), None));
}

/// With the feature `track_location`, all components are tracked from the start.
#[cfg(not(feature = "track_location"))]
#[test]
fn asking_for_changes_keeps_them_known() {
    let mut world = World::new();
    let id = world.register_component::<Health>();
    let is_tracked = |world: &World| world.components().info(id).is_some_and(|info| info.is_tracked());
    made::<Entity, ErasedFilter>(&mut world, &[(Usage::With, id)]);
    assert!(!is_tracked(&world));
    let _changed = made::<Entity, ErasedFilter>(&mut world, &[(Usage::Changed, id)]);
    assert!(is_tracked(&world));
}

#[test]
fn a_query_that_borrows_twice_is_refused() {
    let mut world = World::new();
    let id = world.register_component::<Health>();
    let terms = [(Usage::Read, id)];
    assert_eq!(
        QueryState::<(&mut Health, Erased), ()>::with_terms(&mut world.store, &terms, &[]).err(),
        Some(ComponentConflict::Component(id))
    );
    assert!(QueryState::<(&Health, Erased), ()>::with_terms(&mut world.store, &terms, &[]).is_ok());
}

#[test]
#[should_panic(expected = "the terms that are known at run time only are made, each once")]
fn a_query_needs_all_terms() {
    _ = World::new().query::<(Entity, Erased)>();
}

#[test]
#[should_panic(expected = "the world has met no such component")]
fn a_component_that_the_world_has_never_met_is_refused() {
    let id = world().register_component::<Health>();
    made::<Erased, ()>(&mut World::new(), &[(Usage::Read, id)]);
}

#[test]
#[should_panic(expected = "`&mut Health` does not read a component")]
fn a_term_of_another_usage_is_refused() {
    let mut world = World::new();
    let id = world.register_component::<Health>();
    made::<Erased, ()>(&mut world, &[(Usage::Write, id)]);
}

/// A parameter: a query for the health of all poisoned entities, made at run time.
struct Poisoned<'w, 's>(Query<'w, 's, Erased, ErasedFilter>);

struct PoisonedSource;

// SAFETY: `init` adds the access of the query.
unsafe impl ParamSource for PoisonedSource {
    type State = QueryState<Erased, ErasedFilter>;
    type Got<'w, 's> = Query<'w, 's, Erased, ErasedFilter>;

    const COUNT: usize = 1;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        let (health, poison) = (store.register_component::<Health>(), store.register_component::<Poison>());
        let terms = [(Usage::Read, health), (Usage::With, poison)];
        let state = Self::State::with_terms(store, &terms, &[]).expect("nothing is borrowed twice");
        meta.add_access(ParamAccess::Query(state.access().clone()), store);
        meta.next_param();
        state
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        state.update_known(cell.store());
        // SAFETY: the state is up to date (updated above); the caller ensures the access.
        Ok(unsafe { Query::new(cell, state) })
    }
}

impl SystemParam for Poisoned<'_, '_> {
    type Source = PoisonedSource;
    type Item<'w, 's> = Poisoned<'w, 's>;

    fn item<'w, 's>(got: <PoisonedSource as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        Poisoned(got)
    }
}

/// Returns the total health of the poisoned entities, and the number of the other entities.
fn tells(poisoned: Poisoned<'_, '_>, others: Query<'_, '_, &mut Health, Without<Poison>>) -> (u32, usize) {
    (poisoned.0.iter().filter_map(ErasedValue::get::<Health>).map(|health| health.0).sum(), others.count())
}

#[test]
fn a_system_takes_such_a_query_beside_one_that_is_disjoint() {
    let mut world = World::new();
    world.spawn_batch([(Health(3), Poison(0)), (Health(4), Poison(0))]);
    world.spawn(Health(100));
    assert_eq!(world.run_system_once(tells).expect("it runs"), (7, 1));
}

#[test]
#[should_panic(
    expected = "both borrow component `strata_ecs::world::tests::dynamic_terms::Health`, one of them mutably"
)]
fn a_system_refuses_such_a_query_beside_one_that_writes_the_same() {
    fn collides(_: Poisoned<'_, '_>, _: Query<'_, '_, &mut Health>) {}
    IntoSystem::into_system(collides).initialize(&mut World::new());
}
