//! Components without bytes whose drop can be seen: each is dropped once all the same.

use std::cell::Cell;

use super::*;

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
    static DROPPED: Cell<usize> = const { Cell::new(0) };
}

macro_rules! counted {
    ($($(#[$attribute:meta])* $name:ident)*) => { $(
        #[derive(Component)]
        $(#[$attribute])*
        struct $name(());

        impl $name {
            fn new() -> Self {
                MADE.set(MADE.get() + 1);
                Self(())
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                DROPPED.set(DROPPED.get() + 1);
            }
        }
    )* };
}

counted!(
    Nothing
    #[component(storage = "sparse")]
    Aside
    #[repr(align(64))]
    Wide
);

/// How many of them are alive.
fn alive() -> usize {
    MADE.get() - DROPPED.get()
}

type Record = fn(&mut EntityCommands<'_>);

/// Steps, and how many components without bytes there are afterwards on an entity that had none, or all three.
const GROUPS: [(Record, [usize; 2]); 8] = [
    (|entity| drop_ref(entity.insert(Nothing::new()).insert(Nothing::new())), [1, 3]),
    (|entity| drop_ref(entity.insert((Nothing::new(), Aside::new())).remove::<Aside>()), [1, 2]),
    (|entity| drop_ref(entity.remove::<(Aside, Wide)>().insert(Aside::new())), [1, 2]),
    (|entity| drop_ref(entity.remove::<Aside>().insert_if_new((Aside::new(), Wide::new()))), [2, 3]),
    (|entity| drop_ref(entity.insert_if_new((Nothing::new(), Aside::new())).insert(Aside::new())), [2, 3]),
    (|entity| drop_ref(entity.insert(Wide::new()).remove::<(Wide, Nothing)>().insert(Nothing::new())), [1, 2]),
    (|entity| entity.insert((Wide::new(), Aside::new())).insert_if_new(Nothing::new()).despawn(), [0, 0]),
    (|entity| drop_ref(entity.insert(Aside::new()).retain::<Wide>().insert_if_new(Aside::new())), [1, 2]),
];

fn drop_ref(_: &mut EntityCommands<'_>) {}

#[test]
fn values_without_bytes_are_dropped_once_by_groups_of_any_kind() {
    for (record, left) in GROUPS {
        for full in [false, true] {
            let mut world = World::new();
            let mut entity = world.spawn(Unit);
            if full {
                entity.insert((Nothing::new(), Aside::new(), Wide::new()));
            }
            let entity = entity.id();
            record(&mut world.commands().entity(entity));
            world.flush();
            world.check_invariants();
            assert_eq!(alive(), left[usize::from(full)]);
            record(&mut world.commands().spawn_empty());
            drop(world);
            assert_eq!(alive(), 0);
        }
    }
}

#[test]
fn values_without_bytes_are_dropped_once_if_their_entity_is_dead() {
    for (record, _) in GROUPS {
        let mut world = World::new();
        let entity = world.spawn((Nothing::new(), Aside::new())).id();
        world.despawn(entity);
        record(&mut world.commands().entity(entity));
        world.flush();
        assert_eq!(alive(), 0);
    }
}
