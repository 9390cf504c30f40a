//! Query enums against a naive model: random changes, and after each of them every query gives what a look at each entity
//! by hand gives.

use proptest::prelude::*;

use strata_tests::effort;

use super::*;

/// The components of an entity in the model.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Row {
    a: Option<u32>,
    b: Option<u32>,
    c: bool,
    s: Option<u32>,
    tag: bool,
}

/// One change of one entity.
#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn(u8),
    Despawn(usize),
    Insert(usize, u8),
    Remove(usize, u8),
    Bump,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..32_u8).prop_map(Step::Spawn),
        1 => any::<usize>().prop_map(Step::Despawn),
        3 => (any::<usize>(), 0..5_u8).prop_map(|(at, which)| Step::Insert(at, which)),
        3 => (any::<usize>(), 0..5_u8).prop_map(|(at, which)| Step::Remove(at, which)),
        2 => Just(Step::Bump),
    ];
    prop::collection::vec(step, 1..60)
}

fn insert(world: &mut World, entity: Entity, row: &mut Row, which: u8, value: u32) {
    let mut entity = world.entity_mut(entity);
    match which {
        0 => {
            entity.insert(A(value));
            row.a = Some(value);
        }
        1 => {
            entity.insert(B(value.to_string()));
            row.b = Some(value);
        }
        2 => {
            entity.insert(C);
            row.c = true;
        }
        3 => {
            entity.insert(S(value));
            row.s = Some(value);
        }
        _ => {
            entity.insert(Tag);
            row.tag = true;
        }
    }
}

fn remove(world: &mut World, entity: Entity, row: &mut Row, which: u8) {
    let mut entity = world.entity_mut(entity);
    match which {
        0 => {
            entity.remove::<A>();
            row.a = None;
        }
        1 => {
            entity.remove::<B>();
            row.b = None;
        }
        2 => {
            entity.remove::<C>();
            row.c = false;
        }
        3 => {
            entity.remove::<S>();
            row.s = None;
        }
        _ => {
            entity.remove::<Tag>();
            row.tag = false;
        }
    }
}

/// Table variants before and after sparse ones, and no variant for the remaining entities.
#[derive(QueryData)]
#[query_data(mutable)]
enum Mixed {
    TaggedA { tag: &'static Tag, a: &'static mut A },
    BAndC(&'static B, &'static C),
    Sparse { s: &'static mut S, b: Option<&'static B> },
    A(&'static mut A, Has<Tag>),
}

/// Everything is decided per table.
#[derive(QueryData)]
#[query_data(mutable)]
enum Tables {
    Ab(&'static mut A, &'static B),
    C { c: &'static C, tagged: Has<Tag> },
    A(&'static mut A),
}

/// Both demand the tag.
#[derive(QueryData)]
enum Tagged {
    S(&'static Tag, &'static S),
    Plain(&'static Tag),
}

/// The item of a query for an entity, or the expected item.
type Seen = (Entity, &'static str, [Option<u32>; 2], bool);

fn text(b: &B) -> Option<u32> {
    b.0.parse().ok()
}

fn mixed(world: &mut World) -> Vec<Seen> {
    let mut query = world.query::<(Entity, Mixed)>();
    let each = |(entity, item): (Entity, MixedItem<'_, '_>)| match item {
        MixedItem::TaggedA { tag: _, a } => (entity, "tagged a", [Some(a.0), None], false),
        MixedItem::BAndC(b, _) => (entity, "b and c", [text(b), None], false),
        MixedItem::Sparse { s, b } => (entity, "sparse", [Some(s.0), b.and_then(text)], false),
        MixedItem::A(a, tagged) => (entity, "a", [Some(a.0), None], tagged),
    };
    let folded: Vec<Seen> = query.iter_mut(world).map(each).collect();
    let mut stepped = Vec::new();
    for item in query.iter_mut(world) {
        stepped.push(each(item));
    }
    assert_eq!(folded, stepped);
    assert_eq!(query.query(world).count(), folded.len());
    for seen in &folded {
        assert_eq!(each(query.get_mut(world, seen.0).expect("it was yielded")), *seen);
    }
    folded
}

fn tables(world: &mut World) -> Vec<Seen> {
    let mut query = world.query::<(Entity, Tables)>();
    let seen: Vec<Seen> = query
        .iter(world)
        .map(|(entity, item)| match item {
            TablesReadOnlyItem::Ab(a, b) => (entity, "a b", [Some(a.0), text(b)], false),
            TablesReadOnlyItem::C { c: _, tagged } => (entity, "c", [None, None], tagged),
            TablesReadOnlyItem::A(a) => (entity, "a", [Some(a.0), None], false),
        })
        .collect();
    assert_eq!(query.query(world).count(), seen.len());
    seen
}

fn tagged(world: &mut World) -> Vec<Seen> {
    let mut query = world.query::<(Tagged, Entity)>();
    query
        .iter(world)
        .map(|(item, entity)| match item {
            TaggedItem::S(_, s) => (entity, "s", [Some(s.0), None], false),
            TaggedItem::Plain(_) => (entity, "plain", [None, None], false),
        })
        .collect()
}

fn any_of(world: &mut World) -> Vec<Seen> {
    let mut query = world.query::<(Entity, AnyOf<(&mut A, (&S, &Tag))>)>();
    query
        .iter_mut(world)
        .map(|(entity, (a, s))| (entity, "any", [a.map(|a| a.0), s.map(|(s, _)| s.0)], false))
        .collect()
}

fn expect_mixed((entity, row): &(Entity, Row)) -> Option<Seen> {
    let (kind, values, flag) = match *row {
        Row { tag: true, a: Some(a), .. } => ("tagged a", [Some(a), None], false),
        Row { b: Some(b), c: true, .. } => ("b and c", [Some(b), None], false),
        Row { s: Some(s), b, .. } => ("sparse", [Some(s), b], false),
        Row { a: Some(a), tag, .. } => ("a", [Some(a), None], tag),
        _ => return None,
    };
    Some((*entity, kind, values, flag))
}

fn expect_tables((entity, row): &(Entity, Row)) -> Option<Seen> {
    let (kind, values, flag) = match *row {
        Row { a: Some(a), b: Some(b), .. } => ("a b", [Some(a), Some(b)], false),
        Row { c: true, tag, .. } => ("c", [None, None], tag),
        Row { a: Some(a), .. } => ("a", [Some(a), None], false),
        _ => return None,
    };
    Some((*entity, kind, values, flag))
}

fn expect_tagged((entity, row): &(Entity, Row)) -> Option<Seen> {
    row.tag.then_some(match row.s {
        Some(s) => (*entity, "s", [Some(s), None], false),
        None => (*entity, "plain", [None, None], false),
    })
}

fn expect_any((entity, row): &(Entity, Row)) -> Option<Seen> {
    let s = row.s.filter(|_| row.tag);
    (row.a.is_some() || s.is_some()).then_some((*entity, "any", [row.a, s], false))
}

/// Adds to what the mixed query yields mutably, in the world and in the model.
fn bump(world: &mut World, rows: &mut [(Entity, Row)]) {
    for item in world.query::<Mixed>().iter_mut(world) {
        match item {
            MixedItem::TaggedA { mut a, .. } => a.0 += 1,
            MixedItem::BAndC(..) => {}
            MixedItem::Sparse { mut s, .. } => s.0 += 10,
            MixedItem::A(mut a, _) => a.0 += 100,
        }
    }
    for (entity, row) in rows {
        match expect_mixed(&(*entity, *row)) {
            Some((_, "tagged a", ..)) => row.a = row.a.map(|a| a + 1),
            Some((_, "sparse", ..)) => row.s = row.s.map(|s| s + 10),
            Some((_, "a", ..)) => row.a = row.a.map(|a| a + 100),
            _ => {}
        }
    }
}

fn sorted(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort_unstable();
    seen
}

fn run(steps: &[Step]) {
    let mut world = World::new();
    let mut rows: Vec<(Entity, Row)> = Vec::new();
    for (step, value) in steps.iter().zip(0_u32..) {
        match *step {
            Step::Spawn(mask) => {
                let entity = world.spawn_empty().id();
                let mut row = Row::default();
                for which in (0..5).filter(|which| mask & (1 << which) != 0) {
                    insert(&mut world, entity, &mut row, which, value);
                }
                rows.push((entity, row));
            }
            Step::Bump => bump(&mut world, &mut rows),
            Step::Despawn(at) | Step::Insert(at, _) | Step::Remove(at, _) => {
                if rows.is_empty() {
                    continue;
                }
                let at = at % rows.len();
                let (entity, row) = &mut rows[at];
                match *step {
                    Step::Insert(_, which) => insert(&mut world, *entity, row, which, value),
                    Step::Remove(_, which) => remove(&mut world, *entity, row, which),
                    _ => {
                        world.despawn(*entity);
                        rows.swap_remove(at);
                    }
                }
            }
        }
        let expected = |of: fn(&(Entity, Row)) -> Option<Seen>| sorted(rows.iter().filter_map(of).collect());
        assert_eq!(sorted(mixed(&mut world)), expected(expect_mixed));
        assert_eq!(sorted(tables(&mut world)), expected(expect_tables));
        assert_eq!(sorted(tagged(&mut world)), expected(expect_tagged));
        assert_eq!(sorted(any_of(&mut world)), expected(expect_any));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn query_enums_give_what_the_model_gives(steps in steps()) {
        run(&steps);
    }
}
