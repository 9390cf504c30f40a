//! `#[query_data(contiguous(..))]`: slices with the names of the fields.

use strata_ecs::component::Mutable;
use strata_ecs::query::ContiguousQueryData;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct Place(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct Speed(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
#[component(storage = "sparse")]
struct Mark(u32);

/// Both types have names. It is more visible than its components.
#[derive(QueryData)]
#[query_data(mutable, contiguous(all), derive(Debug))]
pub(crate) struct Mover {
    entity: Entity,
    place: &'static mut Place,
    speed: Option<&'static Speed>,
    marked: Has<Speed>,
}

#[derive(QueryData)]
#[query_data(mutable, contiguous(mutable))]
struct Written {
    place: &'static mut Place,
    speed: &'static Speed,
}

#[derive(QueryData)]
#[query_data(mutable, contiguous(immutable))]
struct ReadOnly {
    place: &'static mut Place,
    speed: &'static Speed,
}

#[derive(QueryData)]
#[query_data(contiguous(all), derive(Clone, Copy, Debug, PartialEq))]
struct Reader(&'static Speed, Entity);

#[derive(QueryData)]
#[query_data(contiguous(immutable))]
struct ReadsAnyway {
    place: &'static Place,
}

#[derive(QueryData)]
#[query_data(contiguous(mutable, immutable), mutable)]
struct Of<T: Component<Mutability = Mutable>, D: ContiguousQueryData, const N: usize>
where
    D::ReadOnly: ContiguousQueryData,
{
    value: Mut<'static, T>,
    other: D,
}

#[derive(QueryData)]
#[query_data(mutable, contiguous(all))]
struct Nested {
    mover: Mover,
    unnamed: Unnamed,
    any: AnyOf<(Reader, &'static Mark)>,
    r#type: (Ref<'static, Speed>, Entity),
}

#[derive(QueryData)]
struct Unnamed {
    speed: &'static Speed,
    entity: Entity,
}

#[derive(QueryData)]
#[query_data(contiguous(all))]
struct Wide {
    a: Entity,
    b: &'static Place,
    c: &'static Speed,
    d: Entity,
    e: Entity,
    f: Entity,
    g: Entity,
    h: Entity,
    i: Entity,
    j: Entity,
    k: Entity,
    l: Has<Mark>,
    m: Entity,
    n: Entity,
    o: Entity,
    p: Entity,
    q: &'static Place,
}

fn world() -> (World, [Entity; 5]) {
    let mut world = World::new();
    let moving = world.spawn_batch([1, 2, 3].map(|n| (Place(n), Speed(n * 10)))).collect::<Vec<_>>();
    let still = world.spawn_batch([4, 5].map(Place)).collect::<Vec<_>>();
    (world, [moving, still].concat().try_into().unwrap())
}

#[test]
fn slices_have_the_names_of_the_fields() {
    let (mut world, ids) = world();
    let mut movers = world.query::<Mover>();
    for MoverContiguousItem { entity, place, speed, marked } in movers.contiguous_iter_mut(&mut world) {
        assert_eq!((entity.len(), speed.is_some()), (place.len(), marked));
        for (place, speed) in place.iter_mut().zip(speed.into_iter().flatten()) {
            place.0 += speed.0;
        }
    }
    let runs: Vec<MoverReadOnlyContiguousItem<'_, '_>> = movers.contiguous_iter(&world).collect();
    assert_eq!(runs[0].place, [Place(11), Place(22), Place(33)]);
    assert_eq!(runs[0].speed, Some(&[Speed(10), Speed(20), Speed(30)][..]));
    assert_eq!((runs[1].place, runs[1].speed, runs[1].marked), (&[Place(4), Place(5)][..], None, false));
    assert_eq!([runs[0].entity, runs[1].entity].concat(), ids);
    assert!(format!("{:?}", runs[1]).starts_with("MoverReadOnlyContiguousItem { entity: ["));
    assert_eq!(world.run_system_once(|all: Query<'_, '_, Mover>| all.contiguous_iter().count()).unwrap(), 2);
}

#[test]
fn the_target_says_which_type_has_names() {
    let (mut world, ids) = world();
    for slices in world.query::<Written>().contiguous_iter_mut(&mut world) {
        let WrittenContiguousItem { place, speed } = slices;
        place[0].0 += speed[0].0;
    }
    let mut written = world.query::<Written>();
    let (places, _): (&[Place], &[Speed]) = written.contiguous_iter(&world).next().unwrap();
    assert_eq!(places[0], Place(11));

    let mut read_only = world.query::<ReadOnly>();
    for (places, speeds) in read_only.contiguous_iter_mut(&mut world) {
        places[1].0 += speeds[1].0;
    }
    let ReadOnlyReadOnlyContiguousItem { place, speed } = read_only.contiguous_iter(&world).next().unwrap();
    assert_eq!((place[1], speed.len()), (Place(22), 3));

    let mut reader = world.query::<Reader>();
    let read: Vec<ReaderContiguousItem<'_, '_>> = reader.contiguous_iter(&world).collect();
    assert_eq!((read.len(), read[0].0[2], read[0].1), (1, Speed(30), &ids[..3]));
    let mut anyway = world.query::<ReadsAnyway>();
    let lengths = anyway.contiguous_iter(&world).map(|ReadsAnywayContiguousItem { place }| place.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn generic_structs_and_exact_changes() {
    let (mut world, ids) = world();
    let mut all = world.query::<Of<Place, (&Speed, Reader), 3>>();
    let mut changed = world.query_filtered::<Entity, Changed<Place>>();
    world.clear_trackers();
    for OfContiguousItem { mut value, other: (speeds, reader) } in all.contiguous_iter_mut(&mut world) {
        assert_eq!(speeds.len(), reader.1.len());
        value.get_mut(1).unwrap().0 = 7;
    }
    assert!(changed.iter(&world).any(|entity| entity == ids[1]));
    assert_eq!(world.get(ids[1]), Some(&Place(7)));
    let OfReadOnlyContiguousItem { value, other: (_, reader) } = all.contiguous_iter(&world).next().unwrap();
    assert_eq!((value[1], reader.0.len()), (Place(7), 3));
}

#[test]
fn structs_in_structs_keep_their_names() {
    let (mut world, ids) = world();
    world.entity_mut(ids[1]).insert(Mark(9));
    let mut nested = world.query::<(Nested, Entity)>();
    let mut seen: Vec<Entity> = Vec::new();
    for (slices, entities) in nested.contiguous_iter(&world) {
        let (speeds, same): (&[Speed], &[Entity]) = slices.unnamed;
        assert_eq!((slices.mover.entity, same, slices.r#type.1), (entities, entities, entities));
        assert_eq!(slices.mover.speed, Some(speeds));
        let (reader, marks) = slices.any;
        assert_eq!((reader.unwrap().0, slices.mover.place.len()), (speeds, 1));
        // Where a sparse component takes part, a run has one row.
        assert_eq!(marks.map(|marks| marks[0]), (entities == [ids[1]]).then_some(Mark(9)));
        seen.extend(entities);
    }
    assert_eq!(seen, ids[..3]);
}

#[test]
fn more_fields_than_a_tuple_has() {
    let (mut world, ids) = world();
    world.entity_mut(ids[0]).insert(Mark(0));
    let mut wide = world.query::<Wide>();
    let all: Vec<WideContiguousItem<'_, '_>> = wide.contiguous_iter(&world).collect();
    assert_eq!(all.len(), 3);
    for (slices, id) in all.iter().zip(ids) {
        let WideContiguousItem { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q } = slices;
        assert!([a, d, e, f, g, h, i, j, k, m, n, o, p].iter().all(|entities| **entities == [id]));
        assert_eq!((*b, c.len(), *l), (*q, 1, id == ids[0]));
    }
}
