//! Systems whose parameters were built.

use strata_ecs::prelude::*;
use strata_ecs::system::{LocalBuilder, ParamBuilder, SystemParamBuilder};

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Resource, Default)]
struct Total(u32);

/// It has no default of its own that a test could see.
struct Unmade(u32);

impl FromWorld for Unmade {
    fn from_world(_: &mut World) -> Self {
        panic!("the builder has the value");
    }
}

#[test]
fn a_local_begins_with_what_was_given_and_goes_on_from_there() {
    let mut world = World::new();
    world.init_resource::<Total>();
    let system = (LocalBuilder(Unmade(10)), ParamBuilder::resource_mut::<Total>(), LocalBuilder(3_u32))
        .build_state(&mut world)
        .build_system(|mut count, mut total, step| {
            count.0 += *step;
            total.0 = count.0;
        });
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 13);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 16);
}

#[test]
fn all_kinds_of_parameters_are_built_and_what_they_record_is_applied() {
    let mut world = World::new();
    world.spawn_batch([(Health(1), Enemy), (Health(2), Enemy)]);
    world.spawn(Health(4));
    world.init_resource::<Total>();
    let system = (
        ParamBuilder::query_filtered::<&Health, With<Enemy>>(),
        (ParamBuilder::of::<Commands<'_, '_>>(), ParamBuilder::resource::<Total>()),
        ParamBuilder::local::<u32>(),
        ParamBuilder::query::<Entity>(),
    )
        .build_state(&mut world)
        .build_system(|enemies, (mut commands, total), mut runs, all| {
            *runs += 1;
            assert!(total.0 == 0 && all.count() == 3);
            commands.spawn(Health(enemies.iter().map(|health| health.0).sum()));
            *runs
        });
    let id = world.register_system(system);
    assert_eq!(world.run_system(id).unwrap(), 1);
    let mut healths: Vec<u32> = world.query::<&Health>().iter(&world).map(|health| health.0).collect();
    healths.sort_unstable();
    assert_eq!(healths, [1, 2, 3, 4]);
}

#[test]
fn a_builder_that_says_no_type_builds_what_the_state_has() {
    fn sum(first: Local<'_, u32>, total: Res<'_, Total>, second: Local<'_, u32>) -> u32 {
        *first + total.0 + *second
    }
    let mut world = World::new();
    world.insert_resource(Total(100));
    let state: SystemState<(Local<'_, u32>, Res<'_, Total>, Local<'_, u32>)> =
        (ParamBuilder, ParamBuilder, LocalBuilder(7)).build_state(&mut world);
    assert_eq!(world.run_system_once(state.build_any_system(sum)).unwrap(), 107);
}

#[test]
fn parameters_in_each_others_way_are_refused_and_another_world_begins_anew() {
    /// A resource whose type the compiler cannot compare.
    struct Hidden;
    impl Resource for Hidden {}
    let mut world = World::new();
    let text = strata_tests::panics::expect_panic(|| {
        (ParamBuilder::resource_mut::<Hidden>(), ParamBuilder::resource::<Hidden>()).build_state(&mut world)
    });
    assert!(text.contains("both borrow resource"), "{text}");
    fn read(value: Local<'_, u32>) -> u32 {
        *value
    }
    let mut system = (LocalBuilder(5_u32),).build_state(&mut world).build_any_system(read);
    system.initialize(&mut world);
    assert_eq!(system.run((), &mut world).unwrap(), 5);
    let mut other = World::new();
    system.initialize(&mut other);
    assert_eq!(system.run((), &mut other).unwrap(), 0);
}

/// Builders that know more than the types.
mod at_run_time {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use strata_ecs::component::ComponentId;
    use strata_ecs::system::{DynParamBuilder, DynSystemParam, IfBuilder, ParamSetBuilder, QueryParamBuilder};

    use super::*;

    #[derive(Component)]
    struct Friend;

    /// Returns the message of the panic about conflicting parameters.
    fn refusal(build: impl FnOnce()) -> String {
        let payload = catch_unwind(AssertUnwindSafe(build)).unwrap_err();
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    fn filled() -> (World, [ComponentId; 2]) {
        let mut world = World::new();
        let ids = [world.register_component::<Enemy>(), world.register_component::<Friend>()];
        world.spawn_batch([(Health(1), Enemy), (Health(2), Enemy)]);
        world.spawn((Health(4), Friend));
        (world, ids)
    }

    fn sum(query: Query<'_, '_, &Health>) -> u32 {
        query.iter().map(|health| health.0).sum()
    }

    #[test]
    fn a_query_matches_what_its_builder_adds() {
        let (mut world, [enemy, friend]) = filled();
        let state = (QueryParamBuilder::new(move |builder| _ = builder.with_id(enemy)),).build_state(&mut world);
        assert_eq!(world.run_system_once(state.build_any_system(sum)).unwrap(), 3);
        let boxed = QueryParamBuilder::new_box(move |builder| _ = builder.without_id(enemy).with_id(friend));
        let system = (boxed,).build_state(&mut world).build_any_system(sum);
        let system = world.register_system(system);
        assert_eq!(world.run_system(system).unwrap(), 4);
        // Tables that are new are looked at.
        world.spawn((Health(8), Friend, Extra));
        assert_eq!(world.run_system(system).unwrap(), 12);
        // A query that exists already is one, too.
        let query = QueryBuilder::<&Health>::new(&mut world).with::<Enemy>().build();
        let state = (query,).build_state(&mut world);
        assert_eq!(world.run_system_once(state.build_any_system(sum)).unwrap(), 3);
    }

    #[derive(Component)]
    struct Extra;

    #[test]
    fn what_a_builder_borrows_is_borrowed_by_the_system() {
        let (mut world, _) = filled();
        let text = refusal(|| {
            let writes = QueryParamBuilder::new(|builder| _ = builder.data::<&mut Health>());
            let _: SystemState<(Query<'_, '_, Entity>, Query<'_, '_, &Health>)> =
                (writes, ParamBuilder).build_state(&mut world);
        });
        assert!(text.contains("both borrow component") && text.contains("Health"), "{text}");
        let text = refusal(|| {
            let other = World::new().query::<Entity>();
            let _: SystemState<(Query<'_, '_, Entity>,)> = (other,).build_state(&mut world);
        });
        assert!(text.contains("belongs to world"), "{text}");
    }

    #[test]
    fn a_builder_that_exchanges_the_world_is_refused_even_if_another_one_exchanges_it_back() {
        let (mut world, other) = (World::new(), World::new());
        let other = std::cell::RefCell::new(other);
        let text = refusal(|| {
            let swap = || {
                QueryParamBuilder::new(|builder: &mut QueryBuilder<'_, Entity>| {
                    std::mem::swap(builder.world_mut(), &mut *other.borrow_mut());
                })
            };
            let _: SystemState<(Query<'_, '_, Entity>, Query<'_, '_, Entity>)> =
                (swap(), swap()).build_state(&mut world);
        });
        assert!(text.contains("has replaced the world"), "{text}");
    }

    #[test]
    fn members_of_sets_are_built_and_lent_one_at_a_time() {
        let (mut world, [enemy, friend]) = filled();
        let with = |id| QueryParamBuilder::new(move |builder| _ = builder.with_id(id));
        let state = (ParamSetBuilder((with(enemy), with(friend))), ParamBuilder).build_state(&mut world);
        fn swap_sums(
            mut set: ParamSet<'_, '_, (Query<'_, '_, &mut Health>, Query<'_, '_, &mut Health>)>,
            _: Query<'_, '_, Entity>,
        ) -> [u32; 2] {
            let enemies = set.p0().iter().map(|health| health.0).sum();
            set.p1().iter_mut().for_each(|mut health| health.0 = enemies);
            [enemies, set.p1().iter().map(|health| health.0).sum()]
        }
        assert_eq!(world.run_system_once(state.build_any_system(swap_sums)).unwrap(), [3, 3]);
    }

    #[test]
    fn a_set_of_any_number_of_members_may_have_members_in_each_others_way() {
        let (mut world, [enemy, friend]) = filled();
        fn add(mut set: ParamSet<'_, '_, Vec<Query<'_, '_, &mut Health>>>, mut commands: Commands<'_, '_>) -> usize {
            assert!(!set.is_empty());
            let first = set.get_mut(0).iter().count() as u32;
            set.for_each(|mut query| query.iter_mut().for_each(|mut health| health.0 += first));
            commands.spawn_empty();
            set.len()
        }
        let builder = |id: Option<ComponentId>| {
            QueryParamBuilder::new(move |builder| id.into_iter().for_each(|id| _ = builder.with_id(id)))
        };
        let builders: Vec<_> = [Some(enemy), Some(friend), None].map(builder).into_iter().collect();
        let state = (ParamSetBuilder(builders), ParamBuilder).build_state(&mut world);
        let system = world.register_system(state.build_any_system(add));
        assert_eq!(world.run_system(system).unwrap(), 3);
        let mut healths: Vec<u32> = world.query::<&Health>().iter(&world).map(|health| health.0).collect();
        healths.sort_unstable();
        assert_eq!(healths, [5, 6, 8]);
        assert_eq!(world.len(), 4);
    }

    #[test]
    fn vectors_of_parameters_are_checked_among_each_other_and_record() {
        let mut world = World::new();
        fn spawn(mut all: Vec<Commands<'_, '_>>) -> usize {
            all.iter_mut().for_each(|commands| _ = commands.spawn_empty());
            all.len()
        }
        let state = (vec![ParamBuilder; 3],).build_state(&mut world);
        let system = world.register_system(state.build_any_system(spawn));
        assert_eq!((world.run_system(system).unwrap(), world.len()), (3, 3));
        // Without a builder, the vector is empty.
        assert_eq!((world.run_system_once(spawn).unwrap(), world.len()), (0, 3));
        let text = refusal(|| {
            let _: SystemState<(Vec<ResMut<'_, Total>>,)> = (vec![ParamBuilder; 2],).build_state(&mut world);
        });
        assert!(text.contains("both borrow resource") && text.contains("Total"), "{text}");
    }

    #[derive(Resource)]
    struct Other;

    #[test]
    fn a_dynamic_parameter_is_what_its_builder_says_and_nothing_else() {
        let (mut world, [enemy, _]) = filled();
        world.insert_resource(Total(5));
        fn show(mut param: DynSystemParam<'_, '_>, runs: Option<Res<'_, Other>>) -> u32 {
            assert!(runs.is_none());
            if let Some(total) = param.downcast_mut::<Res<'_, Total>>() {
                return total.0;
            }
            if let Some(mut commands) = param.downcast_mut::<Commands<'_, '_>>() {
                commands.spawn(Health(100));
                return 0;
            }
            assert!(param.downcast_mut::<ResMut<'_, Total>>().is_none());
            param.downcast::<Query<'_, '_, &Health>>().map_or(99, sum)
        }
        let mut run = |builder: DynParamBuilder<'_>| {
            let state = (builder, ParamBuilder).build_state(&mut world);
            world.run_system_once(state.build_any_system(show)).unwrap()
        };
        assert_eq!(run(DynParamBuilder::new::<Res<'_, Total>>(ParamBuilder)), 5);
        let query = QueryParamBuilder::new(|builder| _ = builder.with_id(enemy));
        assert_eq!(run(DynParamBuilder::new::<Query<'_, '_, &Health>>(query)), 3);
        assert_eq!(run(DynParamBuilder::new::<Local<'_, u32>>(LocalBuilder(3))), 99);
        assert_eq!(run(DynParamBuilder::new::<Commands<'_, '_>>(ParamBuilder)), 0);
        assert_eq!(world.len(), 4, "what was recorded was applied");
        assert_eq!(world.run_system_once(show).unwrap(), 99);
    }

    #[test]
    fn a_dynamic_parameter_borrows_and_has_to_be_there() {
        let mut world = World::new();
        fn nothing(_: DynSystemParam<'_, '_>) {}
        let state = (DynParamBuilder::new::<Res<'_, Total>>(ParamBuilder),).build_state(&mut world);
        let system = world.register_system(state.build_any_system(nothing));
        assert!(world.run_system(system).unwrap_err().to_string().contains("Total"));
        world.init_resource::<Total>();
        world.run_system(system).unwrap();
        let text = refusal(|| {
            let _: SystemState<(DynSystemParam<'_, '_>, ResMut<'_, Total>)> =
                (DynParamBuilder::new::<Res<'_, Total>>(ParamBuilder), ParamBuilder).build_state(&mut world);
        });
        assert!(text.contains("both borrow resource") && text.contains("Total"), "{text}");
    }

    #[test]
    fn a_parameter_inside_of_if_is_built() {
        let mut world = World::new();
        let state = (IfBuilder((LocalBuilder(4_u32), ParamBuilder)),).build_state(&mut world);
        fn sum(If((first, total)): If<(Local<'_, u32>, Res<'_, Total>)>) -> u32 {
            *first + total.0
        }
        let system = world.register_system(state.build_system(sum));
        assert!(world.run_system(system).is_err());
        world.insert_resource(Total(3));
        assert_eq!(world.run_system(system).unwrap(), 7);
    }
}

mod structs {
    use std::marker::PhantomData;

    use strata_ecs::prelude::*;
    use strata_ecs::system::{IfBuilder, LocalBuilder, ParamBuilder, QueryParamBuilder, SystemParamBuilder};

    use super::{Enemy, Health, Total};

    /// With all that a struct may have: a field of a type that is less visible, type parameters, a nested struct, a raw name.
    #[derive(SystemParam)]
    #[system_param(builder)]
    pub(super) struct Counter<'w, 's, D: QueryData + 'static, T: Default + Send + Sync + 'static> {
        r#type: Query<'w, 's, D>,
        hidden: Local<'s, Hidden<T>>,
        pub(super) inner: Inner<'w, 's>,
        marker: PhantomData<D>,
    }

    #[derive(SystemParam)]
    #[system_param(builder)]
    pub(super) struct Inner<'w, 's>(pub(super) Local<'s, u32>, ResMut<'w, Total>);

    #[derive(SystemParam)]
    #[system_param(builder)]
    struct Empty;

    #[derive(Default)]
    struct Hidden<T>(T);

    /// More fields than a tuple has members.
    #[derive(SystemParam)]
    #[system_param(builder)]
    struct Many<'s> {
        a: Local<'s, u32>,
        b: Local<'s, u32>,
        c: Local<'s, u32>,
        d: Local<'s, u32>,
        e: Local<'s, u32>,
        f: Local<'s, u32>,
        g: Local<'s, u32>,
        h: Local<'s, u32>,
        i: Local<'s, u32>,
        j: Local<'s, u32>,
        k: Local<'s, u32>,
        l: Local<'s, u32>,
        m: Local<'s, u32>,
        n: Local<'s, u32>,
    }

    #[test]
    fn structs_have_builders_of_their_fields() {
        let mut world = World::new();
        world.init_resource::<Total>();
        world.spawn_batch([(Health(1), Enemy), (Health(2), Enemy)]);
        world.spawn(Health(4));
        let builder = || CounterBuilder {
            r#type: QueryParamBuilder::new(|builder| _ = builder.with::<Enemy>()),
            hidden: LocalBuilder(Hidden(10_u8)),
            inner: InnerBuilder(LocalBuilder(100), ParamBuilder),
            marker: ParamBuilder,
        };
        fn count(mut counter: Counter<'_, '_, &Health, u8>) -> (usize, u8, u32, u32) {
            *counter.inner.0 += 1;
            counter.inner.1.0 += 1;
            (counter.r#type.count(), counter.hidden.0, *counter.inner.0, counter.inner.1.0)
        }
        let state = (builder(),).build_state(&mut world);
        let id = world.register_system(state.build_system(|counter: Counter<'_, '_, &Health, u8>| count(counter)));
        assert_eq!(world.run_system(id).unwrap(), (2, 10, 101, 1));
        assert_eq!(world.run_system(id).unwrap(), (2, 10, 102, 2));
        assert_eq!(world.run_system_once((builder(),).build_system(count)).unwrap(), (2, 10, 101, 3));
        let state = (IfBuilder(builder()), EmptyBuilder {}).build_state(&mut world);
        let system = state.build_system(|If(counter): If<Counter<'_, '_, &Health, u8>>, _: Empty| count(counter).1);
        assert_eq!(world.run_system_once(system).unwrap(), 10);
    }

    #[test]
    fn a_struct_may_have_any_number_of_fields() {
        let one = LocalBuilder(1);
        let builder = ManyBuilder {
            a: one,
            b: one,
            c: one,
            d: one,
            e: one,
            f: one,
            g: one,
            h: one,
            i: one,
            j: one,
            k: one,
            l: one,
            m: one,
            n: ParamBuilder,
        };
        let sum = |many: Many<'_>| {
            let Many { a, b, c, d, e, f, g, h, i, j, k, l, m, n } = many;
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n].into_iter().map(|n| *n).sum::<u32>()
        };
        assert_eq!(World::new().run_system_once((builder,).build_system(sum)).unwrap(), 13);
    }

    #[test]
    fn a_conflict_of_a_field_names_it() {
        let conflict = strata_tests::panics::catch(|| {
            let write =
                strata_ecs::system::FilteredResourcesMutParamBuilder::new(|builder| _ = builder.add_write::<Total>());
            (write, InnerBuilder(LocalBuilder(1), ParamBuilder)).build_state(&mut World::new())
        });
        assert!(conflict.err().unwrap().contains("parameter 2 (field `1`)"));
    }
}

#[test]
fn a_system_is_built_when_it_meets_its_first_world() {
    fn count(mut next: Local<'_, u32>) -> u32 {
        *next += 1;
        *next
    }
    let mut system = (LocalBuilder(7),).build_system(count);
    let mut run = |world: &mut World| {
        system.initialize(world);
        system.run((), world).unwrap()
    };
    let mut worlds = [World::new(), World::new()];
    assert_eq!([run(&mut worlds[0]), run(&mut worlds[0])], [8, 9]);
    assert_eq!(run(&mut worlds[1]), 1);
}
