//! Whole entities as query data: what they borrow, what they give, and what they note of changes.

use strata_ecs::access::ComponentConflict;
use strata_ecs::component::Mutable;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::world::{EntityMutExcept, EntityRefExcept};

use super::*;

#[derive(Component, Debug, PartialEq)]
struct Boxed<T: Send + Sync + 'static>(T);

#[derive(Bundle)]
struct Both {
    a: A,
    s: S,
}

#[test]
fn every_entity_matches_and_gives_what_it_has() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(Entity, EntityRef<'_>)>();
    assert_eq!(query.iter(&world).count(), entities.len());
    for (id, entity) in query.iter(&world) {
        assert_eq!(entity.id(), id);
        assert_eq!(entity.get::<A>(), world.get::<A>(id));
        assert_eq!(entity.get::<S>(), world.get::<S>(id));
        assert_eq!(entity.contains::<Tag>(), world.entity(id).contains::<Tag>());
        assert_eq!(entity.location(), world.entity(id).location());
    }
    let mut with_sparse = world.query_filtered::<EntityRef<'_>, With<S>>();
    assert!(with_sparse.iter(&world).all(|entity| entity.get::<S>().is_some()));
    assert_eq!(with_sparse.iter(&world).count(), world.query::<&S>().iter(&world).count());
}

#[test]
fn a_system_changes_whatever_an_entity_has() {
    fn count_up(mut all: Query<'_, '_, EntityMut<'_>>) {
        for mut entity in &mut all {
            if let Some(mut a) = entity.get_mut::<A>() {
                a.0 += 1;
            }
            if let Some(mut s) = entity.reborrow().into_mut::<S>() {
                s.0 += 2;
            }
        }
    }
    let mut world = World::new();
    let entities = zoo(&mut world);
    world.run_system_once(count_up).expect("it runs");
    for (number, &id) in entities.iter().enumerate() {
        let number = number as u32;
        assert_eq!(world.get(id), (!number.is_multiple_of(7)).then_some(&A(number + 1)));
        assert_eq!(world.get(id), (number.is_multiple_of(4) || number.is_multiple_of(7)).then_some(&S(number + 2)));
    }
}

#[test]
fn only_what_is_written_is_changed_and_as_the_system_sees_it() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>);
    fn write_one(mut all: Query<'_, '_, EntityMut<'_>>) {
        for mut entity in &mut all {
            if entity.get::<A>() == Some(&A(5)) {
                entity.get_mut::<A>().expect("it has one").0 = 50;
            }
        }
    }
    fn watch(
        changed: Query<'_, '_, Entity, Changed<A>>,
        whole: Query<'_, '_, EntityRef<'_>>,
        mut seen: ResMut<'_, Seen>,
    ) {
        seen.0 = changed.iter().collect();
        let through: Vec<Entity> = whole
            .iter()
            .filter(|entity| entity.get_ref::<A>().is_some_and(|a| a.is_changed()))
            .map(|entity| entity.id())
            .collect();
        assert_eq!(seen.0, through, "relative to the last run of this system, both times");
    }
    let mut world = World::new();
    world.init_resource::<Seen>();
    let entities = zoo(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems((watch, write_one).chain());
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0.len(), 51, "all are new");
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [entities[5]]);
    schedule.run(&mut world);
    assert!(world.resource::<Seen>().0.is_empty());
}

#[test]
fn what_conflicts_with_what() {
    let mut world = World::new();
    zoo(&mut world);
    let a = ComponentConflict::Component(world.component_id::<A>().expect("the zoo has it"));
    let all = Some(ComponentConflict::AllComponents);
    let [reads, writes] =
        [world.query::<EntityRef<'_>>().access().clone(), world.query::<EntityMut<'_>>().access().clone()];
    let [reads_a, writes_a] = [world.query::<&A>().access().clone(), world.query::<&mut A>().access().clone()];
    let asks = world.query_filtered::<(), Changed<A>>().access().clone();
    let others = world.query::<EntityMutExcept<'_, '_, A>>().access().clone();
    let more = world.query::<EntityMutExcept<'_, '_, (A, B)>>().access().clone();
    let unmet = world.query::<&mut Boxed<u8>>().access().clone();
    assert_eq!(reads.conflict_with(&reads), None);
    assert_eq!(reads.conflict_with(&reads_a), None);
    assert_eq!(reads.conflict_with(&writes_a), Some(a));
    assert_eq!(writes.conflict_with(&reads_a), Some(a));
    assert_eq!(writes.conflict_with(&asks), Some(a));
    assert_eq!(reads.conflict_with(&asks), None);
    assert_eq!(writes.conflict_with(&reads), all);
    assert_eq!(writes.conflict_with(&writes), all);
    assert_eq!(others.conflict_with(&writes_a), None);
    assert_eq!(others.conflict_with(&asks), None);
    assert_eq!(others.conflict_with(&more), all);
    assert!(more.conflict_with(&world.query::<(&mut A, &mut B)>().access().clone()).is_none());
    assert!(others.conflict_with(&world.query::<&B>().access().clone()).is_some());
    assert!(writes.conflict_with(&unmet).is_some() && reads.conflict_with(&unmet).is_some());
    let [with, without] = [
        world.query_filtered::<EntityMut<'_>, With<A>>().access().clone(),
        world.query_filtered::<EntityMut<'_>, Without<A>>().access().clone(),
    ];
    assert_eq!(with.conflict_with(&without), None);
    assert_eq!(without.conflict_with(&writes_a), None);
    assert_eq!(with.conflict_with(&writes), all);
}

#[test]
fn components_that_a_view_leaves_out_are_not_given() {
    fn beside<T: Component<Mutability = Mutable> + Copy>(
        mut all: Query<'_, '_, (Entity, EntityMutExcept<'_, '_, T>)>,
        left_out: Query<'_, '_, &T>,
    ) {
        for (id, mut entity) in &mut all {
            assert!(entity.get_mut::<T>().is_none() && entity.get_ref::<T>().is_none());
            assert_eq!(entity.contains::<T>(), left_out.contains(id));
            assert!(
                entity.as_readonly().get::<T>().is_none() && entity.reborrow().into_readonly().get::<T>().is_none()
            );
            if let Some(mut b) = entity.get_mut::<B>() {
                b.0.push('!');
            }
        }
    }
    let mut world = World::new();
    let entities = zoo(&mut world);
    world.run_system_once(beside::<A>).expect("it runs");
    world.run_system_once(beside::<S>).expect("it runs");
    assert_eq!(world.get(entities[2]), Some(&B("2!!".into())));
    let mut query = world.query::<EntityRefExcept<'_, '_, Both>>();
    for entity in query.iter(&world) {
        assert!(entity.get::<A>().is_none() && entity.get::<S>().is_none());
        assert_eq!(entity.get::<B>(), world.get(entity.id()));
        let shown = format!("{entity:?}");
        assert!(!shown.contains("::A") && !shown.contains("::S"), "{shown}");
        assert_eq!(shown.contains("::B"), world.get::<B>(entity.id()).is_some(), "{shown}");
    }
}

#[test]
fn a_component_that_is_met_later_is_given_or_left_out_like_others() {
    let mut world = World::new();
    let mut except = world.query::<EntityMutExcept<'_, '_, Boxed<u8>>>();
    let mut whole = world.query::<EntityMut<'_>>();
    let id = world.spawn((Boxed(1_u8), Boxed(2_u16))).id();
    let mut entity = except.get_mut(&mut world, id).expect("every entity matches");
    assert!(entity.get_mut::<Boxed<u8>>().is_none());
    entity.get_mut::<Boxed<u16>>().expect("it is there").0 = 3;
    let mut entity = whole.get_mut(&mut world, id).expect("every entity matches");
    entity.get_mut::<Boxed<u8>>().expect("it is there").0 = 4;
    assert_eq!(world.get(id), Some(&Boxed(3_u16)));
    assert_eq!(world.get(id), Some(&Boxed(4_u8)));
}

#[test]
fn disabled_entities_are_passed_over_unless_they_are_named() {
    let mut world = World::new();
    let [here, away] = [world.spawn(A(1)).id(), world.spawn((A(2), Disabled)).id()];
    assert_eq!(world.query::<EntityRef<'_>>().single(&world).expect("one is enabled").id(), here);
    assert_eq!(world.query::<EntityRefExcept<'_, '_, Disabled>>().single(&world).expect("one is enabled").id(), here);
    assert_eq!(
        world.query::<EntityMutExcept<'_, '_, (A, Disabled)>>().single(&world).expect("one is enabled").id(),
        here
    );
    let mut disabled = world.query_filtered::<EntityRef<'_>, With<Disabled>>();
    assert_eq!(disabled.single(&world).expect("one is disabled").id(), away);
}

#[test]
fn threads_change_entities_of_their_own() {
    let mut world = World::new();
    world.spawn_batch((0..5000).map(A));
    world.spawn_batch((5000..9000).map(|number| (A(number), S(number))));
    world.query::<EntityMut<'_>>().par_iter_mut(&mut world).for_each(|mut entity| {
        entity.get_mut::<A>().expect("all have one").0 += 1;
        if let Some(mut s) = entity.get_mut::<S>() {
            s.0 += 1;
        }
    });
    assert_eq!(world.query::<&A>().iter(&world).map(|a| u64::from(a.0)).sum::<u64>(), (1..=9000).sum());
    assert_eq!(world.query::<&S>().iter(&world).map(|s| u64::from(s.0)).sum::<u64>(), (5001..=9000).sum());
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Row {
    id: Entity,
    whole: EntityMut<'static>,
    tagged: Has<Tag>,
}

#[test]
fn they_are_members_of_other_data() {
    fn grow(mut rows: Query<'_, '_, Row>) {
        for mut row in &mut rows {
            assert_eq!(row.id, row.whole.id());
            if row.tagged
                && let Some(mut a) = row.whole.get_mut::<A>()
            {
                a.0 += 100;
            }
        }
    }
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems(grow);
    schedule.run(&mut world);
    for (number, &id) in entities.iter().enumerate() {
        let (number, tagged) = (number as u32, number % 5 == 0);
        assert_eq!(world.get(id), (number % 7 != 0).then_some(&A(if tagged { number + 100 } else { number })));
    }
    let mut optional = world.query_filtered::<(Option<EntityRef<'_>>, Option<&B>), With<C>>();
    assert!(optional.iter(&world).all(|(entity, b)| entity.expect("each row has one").get::<B>() == b));
    let mut either = world.query::<AnyOf<(&C, EntityRef<'_>)>>();
    assert_eq!(either.iter(&world).count(), entities.len());
}

#[test]
fn systems_over_whole_entities_keep_their_order() {
    let mut world = World::new();
    world.spawn(A(1));
    let mut schedule = Schedule::default();
    // Each sees what the one before it wrote, whatever thread it ran on.
    schedule.add_systems(
        (
            |mut all: Query<'_, '_, EntityMut<'_>>| {
                all.single_mut().expect("one").get_mut::<A>().expect("it has one").0 *= 3
            },
            |mut all: Query<'_, '_, &mut A>| all.single_mut().expect("one").0 += 1,
            |all: Query<'_, '_, EntityRef<'_>>| assert_ne!(all.single().expect("one").get(), Some(&A(0))),
            |mut all: Query<'_, '_, EntityMutExcept<'_, '_, B>>| {
                all.single_mut().expect("one").get_mut::<A>().expect("it has one").0 *= 2
            },
        )
            .chain(),
    );
    for expected in [8, 50, 302] {
        schedule.run(&mut world);
        assert_eq!(world.query::<&A>().single(&world).expect("one").0, expected);
    }
}

#[test]
#[should_panic(expected = "every component")]
fn two_that_borrow_everything_are_refused_at_run_time_too() {
    fn twice<F: QueryFilter + 'static, G: QueryFilter + 'static>(
        _: Query<'_, '_, EntityMut<'_>, F>,
        _: Query<'_, '_, EntityRef<'_>, G>,
    ) {
    }
    // That the filters are not apart is known at run time only.
    let _ = World::new().run_system_once(twice::<Without<Boxed<u8>>, With<Boxed<u16>>>);
}

#[test]
fn a_query_explains_itself() {
    let mut world = World::new();
    zoo(&mut world);
    let explanation = world.explain_query::<(EntityMutExcept<'_, '_, (A, B)>, EntityRefExcept<'_, '_, C>)>();
    assert_eq!(explanation.matched_entities(), 60);
}
