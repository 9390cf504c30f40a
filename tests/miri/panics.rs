//! Panics of user code in the middle of operations.

use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

#[test]
fn a_destructor_that_panics_leaves_a_whole_world() {
    type Operation = fn(&mut World, Entity);
    let operations: [Operation; 4] = [
        |world, id| _ = world.entity_mut(id).insert(Counted(Token::new())),
        |world, id| _ = world.entity_mut(id).remove::<Counted>(),
        |world, id| _ = world.despawn(id),
        |world, _| world.clear_entities(),
    ];
    for operation in operations {
        drops::reset();
        let mut world = World::new();
        let id = world.spawn((Counted(Token::armed()), Label("kept".to_owned()))).id();
        let other = world.spawn((Counted(Token::new()), Label("other".to_owned()))).id();
        expect_panic(|| operation(&mut world, id));
        if let Some(label) = world.get::<Label>(other) {
            assert_eq!(label.0, "other");
        }
        world.spawn((Counted(Token::new()), Label("new".to_owned())));
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn an_iterator_that_panics_leaves_the_rows_before_it() {
    let mut world = World::new();
    let values = (0..4).map(|i| {
        assert!(i < 3, "the iterator is broken");
        (Label(i.to_string()), Marked)
    });
    expect_panic(|| world.spawn_batch(values).count());
    assert_eq!(world.query::<&Label>().iter(&world).count(), 3);
}
