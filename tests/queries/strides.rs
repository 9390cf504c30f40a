//! Loops over values of all sizes, alike or not: each way through a query comes to the same rows and notes the same changes.

use strata_ecs::prelude::*;

/// So many bytes, the first of which count.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Bytes<const BYTES: usize>([u8; BYTES]);

/// As large, another component.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Twin<const BYTES: usize>([u8; BYTES]);

/// Four-byte alignment, as most vectors have.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Vector([f32; 3]);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Other([f32; 3]);

#[derive(Component)]
struct Mark<const N: usize>;

impl<const BYTES: usize> Bytes<BYTES> {
    fn of(number: usize) -> Self {
        let mut bytes = [0; BYTES];
        bytes.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, of)| *byte = of);
        Self(bytes)
    }
}

/// Tables of several lengths, one of them empty.
fn filled<B: Bundle>(make: impl Fn(usize) -> B) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids = Vec::new();
    for (table, rows) in [1, 0, 64, 3, 130].into_iter().enumerate() {
        for _ in 0..rows {
            let mut entity = world.spawn(make(ids.len()));
            match table {
                0 => entity.insert(Mark::<0>),
                2 => entity.insert(Mark::<2>),
                3 => entity.insert(Mark::<3>),
                _ => &mut entity,
            };
            ids.push(entity.id());
        }
    }
    (world, ids)
}

fn check<const BYTES: usize>() {
    let (mut world, ids) = filled(|number| (Bytes::<BYTES>::of(number), Twin([7; BYTES])));
    let mut all = world.query::<(Entity, &Bytes<BYTES>)>();
    let expected: Vec<(Entity, Bytes<BYTES>)> = all.iter(&world).map(|(entity, &value)| (entity, value)).collect();
    assert_eq!(expected.len(), ids.len());
    for (entity, value) in &expected {
        assert_eq!(world.get::<Bytes<BYTES>>(*entity), Some(value));
    }
    let values: Vec<Bytes<BYTES>> = expected.iter().map(|&(_, value)| value).collect();

    let mut alike = world.query::<(&Bytes<BYTES>, &Twin<BYTES>)>();
    for taken in 0..=values.len() {
        let mut iter = alike.iter(&world);
        let mut seen: Vec<Bytes<BYTES>> = iter.by_ref().take(taken).map(|(&value, _)| value).collect();
        assert_eq!(iter.size_hint(), (values.len() - taken, Some(values.len() - taken)));
        assert_eq!(iter.clone().count(), values.len() - taken);
        let left = iter.clone().map(|(&value, _)| value).collect::<Vec<_>>();
        assert_eq!(iter.clone().fold(0, |count, _| count + 1), left.len());
        assert_eq!(iter.clone().nth(2).map(|(&value, _)| value), left.get(2).copied());
        let mut searched = iter.clone();
        let mut asked = 0;
        let found = searched.position(|_| {
            asked += 1;
            asked == 2
        });
        assert_eq!(found, left.get(1).map(|_| 1));
        assert_eq!(searched.next().map(|(&value, _)| value), left.get(2).copied());
        iter.for_each(|(&value, _)| seen.push(value));
        assert_eq!(seen, values);
    }
}

#[test]
fn values_of_all_sizes_come_in_their_order() {
    check::<0>();
    check::<1>();
    check::<2>();
    check::<3>();
    check::<4>();
    check::<12>();
    check::<20>();
    check::<24>();
    check::<64>();
    check::<100>();
}

#[test]
fn each_row_notes_its_own_change() {
    for step in [1, 2, 3, 7, 64, 65] {
        let (mut world, _) = filled(|number| (Vector([number as f32; 3]), Other([1.0; 3]), Bytes::<5>::of(number)));
        let mut changed = world.query_filtered::<(Entity, &Vector), Changed<Vector>>();
        world.clear_trackers();
        assert_eq!(changed.iter(&world).count(), 0);
        let mut alike = world.query::<(&mut Vector, &Other)>();
        let mut written = Vec::new();
        for (number, (mut vector, other)) in alike.iter_mut(&mut world).enumerate() {
            if number % step == 0 {
                vector.0[0] += other.0[0];
                written.push(*vector);
            }
        }
        assert_eq!(changed.iter(&world).map(|(_, &vector)| vector).collect::<Vec<_>>(), written, "every {step}th");

        world.clear_trackers();
        let mut iter = alike.iter_mut(&mut world);
        let (mut written, mut next) = (Vec::new(), iter.next());
        while let Some((mut vector, _)) = next {
            vector.0[1] -= 1.0;
            written.push(*vector);
            next = iter.nth(step - 1);
        }
        assert_eq!(changed.iter(&world).map(|(_, &vector)| vector).collect::<Vec<_>>(), written, "every {step}th");

        // `Ref` also reports changes, with and without values of other sizes.
        let mut alone = world.query::<Ref<'_, Vector>>();
        let told = alone.iter(&world).filter(Ref::is_changed).map(|vector| *vector).collect::<Vec<_>>();
        assert_eq!(told, written);
        let mut told = Vec::new();
        for vector in alone.iter(&world) {
            if vector.is_changed() {
                told.push(*vector);
            }
        }
        assert_eq!(told, written);
        let mut mixed = world.query::<(Ref<'_, Vector>, &Bytes<5>)>();
        let mut told = Vec::new();
        for (vector, _) in mixed.iter(&world) {
            if vector.is_changed() {
                told.push(*vector);
            }
        }
        assert_eq!(told, written);
    }
}

#[test]
fn a_panic_in_a_search_leaves_the_rows_behind_it() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let (mut world, ids) = filled(|number| Vector([number as f32; 3]));
    let mut all = world.query::<&Vector>();
    let order: Vec<f32> = all.iter(&world).map(|vector| vector.0[0]).collect();
    let mut iter = all.iter(&world);
    let mut left = 70;
    let search = |_: &Vector| {
        left -= 1;
        assert!(left > 0, "broken off");
        false
    };
    assert!(catch_unwind(AssertUnwindSafe(|| iter.any(search))).is_err());
    assert_eq!(iter.size_hint().0, ids.len() - 70);
    assert_eq!(iter.map(|vector| vector.0[0]).collect::<Vec<_>>(), order[70..]);
}
