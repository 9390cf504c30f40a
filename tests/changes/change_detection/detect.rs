//! Reading and setting the change state of borrowed values.

use strata_ecs::change::Tick;
use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

use super::parts::{Aside, Health, Marked, Score, Tag};
use super::watcher::Watcher;

/// All that a reference tells: whether it was added and changed since, and when.
fn told(value: &impl DetectChanges) -> (bool, bool, u32, u32) {
    (value.is_added(), value.is_changed(), value.added().get(), value.last_changed().get())
}

/// Each method, for one kind of storage.
fn each_method<C: Component<Mutability = Mutable> + Default + PartialEq + std::fmt::Debug>(other: Option<C>) {
    let mut world = World::new();
    let _watcher = (world.query_filtered::<(), Changed<C>>(), world.query_filtered::<(), Added<C>>());
    let entity = world.spawn(C::default()).id();
    let born = world.change_tick().get();
    assert_eq!(told(&world.get_mut::<C>(entity).expect("present")), (true, true, born, born));
    world.clear_trackers();
    assert_eq!(told(&world.get_mut::<C>(entity).expect("present")), (false, false, born, born));
    let now = world.change_tick();
    world.get_mut::<C>(entity).expect("present").set_changed();
    assert_eq!(told(&world.entity(entity).get_ref::<C>().expect("present")), (false, true, born, now.get()));
    world.clear_trackers();
    let now = world.change_tick();
    world.get_mut::<C>(entity).expect("present").set_added();
    assert_eq!(told(&world.entity(entity).get_ref::<C>().expect("present")), (true, true, now.get(), now.get()));
    world.get_mut::<C>(entity).expect("present").set_last_changed(Tick::new(born));
    assert_eq!(told(&world.entity(entity).get_ref::<C>().expect("present")), (true, false, now.get(), born));
    world.get_mut::<C>(entity).expect("present").set_last_added(Tick::new(born));
    assert_eq!(told(&world.entity(entity).get_ref::<C>().expect("present")), (false, false, born, born));
    let mut value = world.get_mut::<C>(entity).expect("present");
    assert!(!value.set_if_neq(C::default()) && !value.is_changed());
    assert_eq!(value.replace_if_neq(C::default()), None);
    assert_eq!(value.bypass_change_detection(), &mut C::default());
    let _ = value.reborrow();
    assert!(!value.is_changed());
    if let Some(other) = other {
        assert_eq!(value.replace_if_neq(other), Some(C::default()));
        assert!(value.is_changed() && !value.is_added());
        value.set_last_changed(Tick::new(born));
        assert!(!value.is_changed());
        assert!(value.set_if_neq(C::default()) && value.is_changed());
        value.set_last_changed(Tick::new(born));
    }
    *value = C::default();
    assert!(value.is_changed() && Ref::from(value).is_changed());
    world.clear_trackers();
    let part = world.get_mut::<C>(entity).expect("present").map_unchanged(|value| value);
    assert!(!part.is_changed());
    let _ = part.into_inner();
    assert!(world.entity(entity).get_ref::<C>().expect("present").is_changed());
}

#[test]
fn each_method_of_a_component_in_a_table() {
    each_method(Some(Health(3)));
}

#[test]
fn each_method_of_a_component_without_a_size() {
    each_method::<Marked>(None);
}

#[test]
fn each_method_of_a_sparse_component() {
    each_method(Some(Aside(3)));
}

#[test]
fn each_method_of_a_tag() {
    each_method::<Tag>(None);
}

#[test]
fn each_method_of_a_resource() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let born = world.change_tick();
    let at = born.get();
    assert_eq!(told(&world.get_resource_ref::<Score>().expect("present")), (true, true, at, at));
    world.clear_trackers();
    assert_eq!(told(&world.resource_mut::<Score>()), (false, false, at, at));
    let now = world.change_tick().get();
    world.resource_mut::<Score>().set_changed();
    assert_eq!(told(&world.resource_mut::<Score>()), (false, true, at, now));
    world.resource_mut::<Score>().set_added();
    assert_eq!(told(&world.resource_mut::<Score>()), (true, true, now, now));
    world.resource_mut::<Score>().set_last_changed(born);
    assert_eq!(told(&world.resource_mut::<Score>()), (true, false, now, at));
    world.resource_mut::<Score>().set_last_added(born);
    assert_eq!(told(&world.resource_mut::<Score>()), (false, false, at, at));
    assert!(!world.resource_mut::<Score>().set_if_neq(Score(1)));
    world.resource_mut::<Score>().bypass_change_detection().0 = 2;
    assert!(!world.is_resource_changed::<Score>());
    assert_eq!(world.resource_mut::<Score>().replace_if_neq(Score(3)), Some(Score(2)));
    assert!(world.is_resource_changed::<Score>() && !world.is_resource_added::<Score>());
    assert_eq!(world.get_resource_change_ticks::<Score>().expect("present").changed.get(), now);
    world.remove_resource::<Score>();
    assert!(!world.is_resource_changed::<Score>() && world.get_resource_change_ticks::<Score>().is_none());
}

#[test]
fn filters_follow_what_was_set_by_hand() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..300).map(Health)).collect();
    let (mut changed, mut added) =
        (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Added<Health>>::of(&mut world));
    let before = world.entity(entities[0]).get_change_ticks::<Health>().expect("known").changed;
    for &entity in &entities[..100] {
        *world.get_mut::<Health>(entity).expect("present") = Health(3);
    }
    for &entity in &entities[..98] {
        world.get_mut::<Health>(entity).expect("present").set_last_changed(before);
    }
    world.get_mut::<Health>(entities[200]).expect("present").set_added();
    assert_eq!(changed.sees(&mut world), [entities[98], entities[99], entities[200]]);
    assert_eq!(added.sees(&mut world), entities[200..201]);
    // One that has been seen can be given back to all readers.
    let now = world.change_tick();
    world.get_mut::<Health>(entities[250]).expect("present").set_last_changed(now);
    world.get_mut::<Health>(entities[251]).expect("present").set_last_added(now);
    assert_eq!(changed.sees(&mut world), entities[250..252]);
    assert_eq!(added.sees(&mut world), entities[251..252]);
}

#[test]
fn values_that_were_borrowed_by_hand_count_as_new() {
    let mut value = 3;
    let mut borrowed = Mut::from(&mut value);
    assert!(borrowed.is_added() && borrowed.is_changed());
    borrowed.set_changed();
    borrowed.set_last_changed(Tick::new(0));
    assert!(borrowed.is_changed() && Ref::from(&4).is_added());
}

#[test]
fn a_reference_tells_whether_it_is_newer_than_a_tick() {
    let mut world = World::new();
    let _watcher = world.query_filtered::<(), Changed<Health>>();
    let before = world.change_tick();
    world.increment_change_tick();
    let entity = world.spawn(Health::default()).id();
    let born = world.change_tick();
    world.increment_change_tick();
    world.get_mut::<Health>(entity).expect("present").set_changed();
    let changed = world.change_tick();
    // The last run of the system does not matter.
    world.clear_trackers();
    let health = world.get_mut::<Health>(entity).expect("present");
    assert!(!health.is_added() && !health.is_changed());
    assert_eq!([before, born, changed].map(|tick| health.is_added_after(tick)), [true, false, false]);
    assert_eq!([before, born, changed].map(|tick| health.is_changed_after(tick)), [true, true, false]);
    // Without ticks it counts as new.
    let health = Health::default();
    assert!(Ref::from(&health).is_changed_after(changed) && Ref::from(&health).is_added_after(changed));
}

#[test]
fn a_part_of_a_resource_has_the_ticks_of_the_whole() {
    fn parts(mut score: ResMut<'_, Score>, mut expected: Local<'_, bool>) {
        assert!(*expected || score.is_added());
        let part = score.reborrow().map_unchanged(|score| &mut score.0);
        assert_eq!(part.is_changed(), !*expected);
        assert!(score.reborrow().filter_map_unchanged(|_| None::<&mut u32>).is_none());
        assert!(score.reborrow().try_map_unchanged(|_| Err::<&mut u32, _>(())).is_err());
        assert_eq!(score.is_changed(), !*expected, "to look for a part is no change");
        if *expected {
            *score.reborrow().map_unchanged(|score| &mut score.0) += 1;
            assert!(score.is_changed());
        }
        *expected = true;
    }
    let mut world = World::new();
    world.init_resource::<Score>();
    let mut schedule = Schedule::default();
    schedule.add_systems(parts);
    schedule.run(&mut world);
    schedule.run(&mut world);
    world.increment_change_tick();
    let before = world.change_tick();
    assert_eq!(world.modify_resource(|score: &mut Score| std::mem::replace(&mut score.0, 9)), Some(1));
    assert_eq!(world.resource_mut::<Score>().last_changed(), before, "the last change is this one");
}
