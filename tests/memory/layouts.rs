//! Hazard 22: memory is given back with the layout that it was asked for with.
//!
//! The allocator of this program records the layout of each block and compares it with the layout with which the block is released, so
//! every test that uses this allocator tests layouts. Here columns, storages, queues and values of all kinds of layouts grow and shrink.

use strata_ecs::prelude::*;
use strata_tests::{alloc, process};

#[derive(Component, Clone, Default)]
struct Byte(u8);
#[derive(Component, Clone, Default)]
struct Odd([u8; 3]);
#[derive(Component, Clone, Default)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Component, Clone, Default)]
#[repr(align(128))]
struct Nothing;
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Aside([u16; 3]);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Clone, Default)]
#[require(Odd, Wide)]
struct Needy;

/// Lets all kinds of memory come, grow and go.
fn use_all(world: &mut World) {
    let mut removed = world.removed_value_reader::<Wide>();
    let _ = world.query_filtered::<(), Or<(Changed<Byte>, Changed<Aside>, Changed<Tag>)>>();
    for rows in [1, 3, 60, 700] {
        let bundle = || (Byte(1), Odd([2; 3]), Wide(3), Nothing, Aside([4; 3]), Tag);
        let ids: Vec<Entity> = world.spawn_batch((0..rows).map(|_| bundle())).collect();
        world.spawn_columns((vec![Wide(1); rows], vec![Aside([1; 3]); rows])).expect("equally long").for_each(drop);
        world.all::<With<Odd>>().remove::<(Wide, Nothing)>();
        world.many(&ids[rows / 2..]).insert((Wide(5), Needy));
        let mut builder = EntityBuilder::new();
        builder.add(Wide(3)).add(Nothing).add(Aside([1; 3]));
        world.spawn_dynamic(&mut builder);
        world.clone_entity(ids[0]).expect("all can be cloned");
        for &id in &ids {
            world.commands().entity(id).insert((Wide(1), Aside([2; 3]))).remove::<Byte>();
        }
        world.commands().spawn(Wide(2));
        world.flush();
        assert!(removed.read(world).count() > 0);
        ids.iter().step_by(2).for_each(|&id| world.entity_mut(id).despawn());
        world.shrink_to_fit();
        world.check_invariants();
    }
    world.clear_entities();
    world.shrink_to_fit();
}

#[test]
fn hazard_22_all_memory_is_released_with_its_layout() {
    let before = alloc::held();
    let mut world = World::new();
    use_all(&mut world);
    use_all(&mut world);
    let mut other = World::new();
    world.spawn((Wide(1), Aside([1; 3])));
    world.all::<()>().move_to(&mut other);
    drop((world, other));
    assert_eq!(alloc::held(), before);
}

#[test]
fn a_release_with_another_layout_ends_the_process() {
    let name = "layouts::a_release_with_another_layout_ends_the_process";
    if process::is_child_for(name) {
        alloc::release_with_another_layout();
        return;
    }
    let output = process::run_in_child(name);
    process::assert_aborted(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("released with another layout"));
}
