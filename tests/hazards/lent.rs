//! Resources that are taken out of a world for a scope in which the world is exchanged for another one, and values that are created from a
//! world.

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::assert_usable;
use super::exchanged_worlds::{Aside, Text};

#[test]
fn a_resource_that_is_lent_out_comes_back_to_the_world_that_it_was_taken_out_of() {
    for panics in [false, true] {
        let (mut here, aside) = Aside::pair();
        let scope = |world: &mut World| {
            world.resource_scope(|world, mut text: Mut<'_, Text>| {
                text.0.push_str(", changed");
                aside.exchange(world);
                assert_eq!(world.resource::<Text>().0, "aside");
                assert!(aside.with(|first| first.get_resource::<Text>().is_none()));
                assert!(!panics, "out of order");
            });
        };
        if panics {
            expect_panic(|| scope(&mut here));
        } else {
            scope(&mut here);
        }
        assert_eq!(here.resource::<Text>().0, "aside");
        aside.with(|first| {
            // Also for readers, and for systems.
            assert_eq!(first.resource::<Text>().0, "here, changed");
            assert!(first.contains_resource::<Text>() && first.is_resource_changed::<Text>());
            assert_eq!(first.run_system_once(|text: Res<'_, Text>| text.0.clone()).as_deref(), Ok("here, changed"));
            first.resource_mut::<Text>().0.push('!');
            assert_eq!(first.remove_resource(), Some(Text(String::from("here, changed!"))));
            assert!(!first.contains_resource::<Text>());
        });
        aside.finish(here);
    }
}

#[test]
fn what_comes_into_the_place_of_a_resource_that_is_lent_out_elsewhere_is_replaced() {
    for order in 0..3 {
        let (mut here, aside) = Aside::pair();
        here.resource_scope(|world, text: Mut<'_, Text>| {
            world.insert_resource(Text(String::from("meanwhile")));
            assert_eq!(world.resource::<Text>().0, "meanwhile");
            // A loan inside of the loan.
            world.resource_scope(|world, mut inner: Mut<'_, Text>| {
                inner.0.push_str(", inside");
                if order == 0 {
                    aside.exchange(world);
                }
            });
            if order == 1 {
                assert_eq!(world.resource::<Text>().0, "meanwhile, inside");
                aside.exchange(world);
            }
            aside.with(|first| {
                if order < 2 {
                    assert_eq!(first.resource::<Text>().0, "meanwhile, inside");
                    assert_eq!(first.resource_mut::<Text>().0, "meanwhile, inside");
                    first.insert_resource(Text(String::from("once more")));
                    assert_eq!(first.resource::<Text>().0, "once more");
                    assert_eq!(first.get_resource_or_insert_with(|| Text(String::new())).0, "once more");
                }
            });
            assert_eq!(text.0, "here");
        });
        if order < 2 {
            aside.with(|first| assert_eq!(first.resource::<Text>().0, "here"));
            aside.with(|first| assert_eq!(first.resource_mut::<Text>().0, "here"));
            assert_eq!(here.resource::<Text>().0, "aside");
        } else {
            assert_eq!(here.resource::<Text>().0, "here");
        }
        aside.finish(here);
    }
}

#[test]
fn a_resource_whose_world_is_dropped_while_it_is_lent_out_is_dropped_once() {
    #[derive(Resource)]
    struct Shared(Arc<()>);

    let value = Arc::new(());
    let mut world = World::new();
    world.insert_resource(Shared(Arc::clone(&value)));
    world.resource_scope(|world, shared: Mut<'_, Shared>| {
        *world = World::new();
        assert_eq!(Arc::strong_count(&shared.0), 2);
    });
    assert_eq!(Arc::strong_count(&value), 1);
    assert!(!world.contains_resource::<Shared>());
    // Back in a world that does not look any more.
    let aside = Arc::new(Mutex::new(World::new()));
    world.insert_resource(Shared(Arc::clone(&value)));
    world.resource_scope(|world, _: Mut<'_, Shared>| {
        world.insert_resource(Shared(Arc::clone(&value)));
        std::mem::swap(world, &mut *aside.lock().expect("no panic"));
    });
    assert_eq!(Arc::strong_count(&value), 3);
    drop(aside);
    assert_eq!(Arc::strong_count(&value), 1);
    assert_usable(&mut world);
}

#[test]
fn a_resource_may_come_back_while_its_world_is_used_on_another_thread() {
    let (mut here, _) = Aside::pair();
    for _ in 0..20 {
        let mut other = World::new();
        std::thread::scope(|threads| {
            let other = &mut other;
            here.resource_scope(|world, mut text: Mut<'_, Text>| {
                text.0.push('x');
                std::mem::swap(world, other);
                let first = &mut *other;
                threads.spawn(move || {
                    while !first.contains_resource::<Text>() {
                        std::thread::yield_now();
                    }
                    assert!(first.resource::<Text>().0.ends_with('x'));
                    first.run_system_once(|mut text: ResMut<'_, Text>| text.0.push('y')).expect("it is there");
                });
            });
        });
        std::mem::swap(&mut here, &mut other);
        assert!(here.resource::<Text>().0.ends_with("xy"));
    }
    assert_usable(&mut here);
}

#[test]
fn a_value_that_is_made_of_a_world_may_not_replace_it() {
    #[derive(Resource)]
    struct Usurper;
    impl FromWorld for Usurper {
        fn from_world(world: &mut World) -> Self {
            *world = World::new();
            Self
        }
    }

    let mut world = World::new();
    let ways: [fn(&mut World); 5] = [
        |world| world.init_resource::<Usurper>(),
        |world| _ = world.get_resource_or_init::<Usurper>(),
        |world| world.init_non_send::<Usurper>(),
        |world| {
            world.commands().init_resource::<Usurper>();
            world.flush();
        },
        |world| _ = SystemState::<Local<'_, Usurper>>::new(world),
    ];
    for way in ways {
        let text = expect_panic(|| way(&mut world));
        assert!(text.contains("replaced the world"), "{text}");
        assert!(!world.contains_resource::<Usurper>() && !world.contains_non_send::<Usurper>());
        assert_usable(&mut world);
    }
}
