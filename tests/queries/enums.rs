//! `#[derive(QueryData)]` for enums, and `AnyOf`.

use strata_ecs::access::ComponentConflict;
use strata_tests::panics::expect_panic;

use super::*;

#[derive(QueryData)]
#[query_data(mutable, derive(Debug))]
enum Target {
    Both { b: &'static mut B, a: &'static A },
    Sparse(&'static mut S, Has<C>),
    Plain(&'static mut A),
    Other,
}

/// Which variant of `Target` number `i` of the zoo is.
fn kind(i: u32) -> usize {
    let has_a = !i.is_multiple_of(7);
    if has_a && i.is_multiple_of(2) {
        0
    } else if i.is_multiple_of(4) || i.is_multiple_of(7) {
        1
    } else {
        if has_a { 2 } else { 3 }
    }
}

fn kind_of(item: &TargetItem<'_, '_>) -> usize {
    match item {
        TargetItem::Both { .. } => 0,
        TargetItem::Sparse(..) => 1,
        TargetItem::Plain(..) => 2,
        TargetItem::Other => 3,
    }
}

#[test]
fn the_first_variant_that_matches_is_yielded() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let nothing = world.spawn(Other).id();
    let mut query = world.query::<(Entity, Target)>();
    let mut seen = [0; 4];
    for (entity, item) in query.iter_mut(&mut world) {
        let expected = entities.iter().zip(0..).find(|(other, _)| **other == entity).map_or(3, |(_, i)| kind(i));
        assert_eq!(kind_of(&item), expected, "{entity}: {item:?}");
        seen[expected] += 1;
    }
    let count = |k| numbers(|i| kind(i) == k).len();
    assert_eq!(seen, [count(0), count(1), count(2), count(3) + 1]);
    assert_eq!(query.query(&world).count(), 61);
    assert!(matches!(query.get(&world, nothing), Ok((_, TargetReadOnlyItem::Other))));
}

#[test]
fn variants_write_what_they_name_and_the_twin_reads() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Target>();
    query.iter_mut(&mut world).for_each(|item| match item {
        TargetItem::Both { mut b, a } => b.0 = format!("both {}", a.0),
        TargetItem::Sparse(mut s, _) => s.0 += 100,
        TargetItem::Plain(mut a) => a.0 += 200,
        TargetItem::Other => {}
    });
    for (i, entity) in (0..60).zip(&entities) {
        let b = world.get::<B>(*entity).map(|b| b.0.clone());
        let (a, s) = (world.get::<A>(*entity).copied(), world.get::<S>(*entity).copied());
        let k = kind(i);
        assert_eq!(b, (i % 2 == 0).then(|| if k == 0 { format!("both {i}") } else { i.to_string() }));
        assert_eq!(a, (i % 7 != 0).then_some(A(if k == 2 { i + 200 } else { i })));
        assert_eq!(s, (i % 4 == 0 || i % 7 == 0).then_some(S(if k == 1 { i + 100 } else { i })));
    }
    for item in query.iter(&world) {
        if let TargetReadOnlyItem::Sparse(s, has_c) = item {
            let _: &S = s;
            assert_eq!(has_c, (s.0 - 100) % 3 == 0);
        }
    }
    let by_twin = world.query::<TargetReadOnly>().iter(&world).count();
    assert_eq!(by_twin, 60);
}

#[test]
fn single_entities_are_found_as_in_any_query() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Target>();
    // 7 has S and no A; 9 has A only; 2 has A and B.
    let [first, second, third] =
        query.get_many_mut(&mut world, [entities[7], entities[9], entities[2]]).expect("all match");
    match (first, second, third) {
        (TargetItem::Sparse(mut s, false), TargetItem::Plain(mut a), TargetItem::Both { b, a: &A(2) }) => {
            s.0 += 1;
            a.0 += 1;
            assert_eq!(b.0, "2");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((world.get::<S>(entities[7]), world.get::<A>(entities[9])), (Some(&S(8)), Some(&A(10))));
    assert!(query.get_many_mut(&mut world, [entities[7], entities[7]]).is_err());
    let kinds: Vec<bool> = query
        .iter_many(&world, [entities[9], entities[9], entities[7]])
        .matched()
        .map(|item| matches!(item, TargetReadOnlyItem::Plain(_)))
        .collect();
    assert_eq!(kinds, [true, true, false]);
    let mut pairs = query.iter_combinations_mut::<2>(&mut world);
    let mut count = 0;
    while let Some([left, right]) = pairs.fetch_next() {
        if let (TargetItem::Plain(mut left), TargetItem::Plain(right)) = (left, right) {
            left.0 = right.0;
        }
        count += 1;
    }
    assert_eq!(count, 60 * 59 / 2);
    let mut alone = World::new();
    alone.spawn(A(1));
    let mut query = alone.query::<Target>();
    assert!(matches!(query.single(&alone), Ok(TargetReadOnlyItem::Plain(A(1)))));
}

#[derive(QueryData)]
enum Strict {
    Two(&'static B, &'static C),
    Sparse { s: &'static S },
}

#[test]
fn entities_without_any_variant_are_passed_over() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Strict>();
    for (i, entity) in (0..60).zip(&entities) {
        let two = i % 2 == 0 && i % 3 == 0;
        let sparse = i % 4 == 0 || i % 7 == 0;
        match query.get(&world, *entity) {
            Ok(StrictItem::Two(b, _)) => assert!(two && b.0 == i.to_string(), "{i}"),
            Ok(StrictItem::Sparse { s }) => assert!(!two && sparse && s.0 == i, "{i}"),
            Err(error) => assert!(!two && !sparse, "{i}: {error}"),
        }
    }
    let expected = numbers(|i| i % 6 == 0 || i % 4 == 0 || i % 7 == 0).len();
    assert_eq!(query.iter(&world).count(), expected);
    assert_eq!(query.iter(&world).fold(0, |count, _| count + 1), expected);
    assert_eq!(query.query(&world).count(), expected);
    // A table that is made later.
    world.spawn((C, B(String::from("late")), Other));
    assert!(query.iter(&world).any(|item| matches!(item, StrictItem::Two(B(b), _) if b == "late")));
}

/// Every variant demands `S`, so only entities with it are visited.
#[derive(QueryData)]
enum AllSparse {
    WithA(&'static S, &'static A),
    Alone(&'static S),
}

#[test]
fn a_sparse_component_that_all_variants_demand_leads_the_way() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(AllSparse, Entity)>();
    let mut with_a = Vec::new();
    let mut alone = Vec::new();
    for (item, entity) in query.iter(&world) {
        match item {
            AllSparseItem::WithA(s, a) => {
                assert_eq!(s.0, a.0);
                with_a.push(s.0);
            }
            AllSparseItem::Alone(s) => alone.push(s.0),
        }
        assert!(entities.contains(&entity));
    }
    with_a.sort_unstable();
    alone.sort_unstable();
    assert_eq!(with_a, numbers(|i| i % 4 == 0 && i % 7 != 0));
    assert_eq!(alone, numbers(|i| i % 7 == 0));
}

#[derive(QueryData)]
enum Inner {
    B { b: &'static B },
    C(&'static C),
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Around {
    inner: Inner,
    a: Option<&'static mut A>,
}

#[derive(QueryData)]
#[query_data(mutable)]
enum Outer<T: Component> {
    Nested(Around, &'static T),
    Tuple((Entity, Option<Inner>)),
}

#[test]
fn enums_nest_and_have_parameters() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Outer<S>>();
    for (i, entity) in (0..60).zip(&entities) {
        let inner = i % 2 == 0 || i % 3 == 0;
        let item = query.get_mut(&mut world, *entity).expect("the last variant matches all");
        match item {
            OuterItem::Nested(around, s) => {
                assert!(inner && (i % 4 == 0 || i % 7 == 0));
                assert_eq!((s.0, around.a.map(|a| a.0)), (i, (i % 7 != 0).then_some(i)));
                assert_eq!(matches!(around.inner, InnerItem::B { .. }), i % 2 == 0);
            }
            OuterItem::Tuple((id, optional)) => {
                assert_eq!(id, *entity);
                assert_eq!(optional.is_some(), inner);
                assert!(!(inner && (i % 4 == 0 || i % 7 == 0)));
            }
        }
    }
}

/// More variants than one term of the core has.
macro_rules! many {
    ($($Variant:ident $N:literal),*) => {
        #[derive(Component)]
        struct Numbered<const N: usize>(usize);

        #[derive(QueryData)]
        enum Many {
            $($Variant(&'static Numbered<$N>),)*
            Last(&'static A),
        }

        fn number(item: &ManyItem<'_, '_>) -> usize {
            match item {
                $(ManyItem::$Variant(value) => { assert_eq!(value.0, $N); $N })*
                ManyItem::Last(_) => 1000,
            }
        }

        #[test]
        fn there_may_be_many_variants() {
            let mut world = World::new();
            $(world.spawn((Numbered::<$N>($N), A(0)));)*
            world.spawn(A(1));
            let mut query = world.query::<Many>();
            let found: Vec<usize> = query.iter(&world).map(|item| number(&item)).collect();
            assert_eq!(found, [$($N,)* 1000]);
        }
    };
}

many!(
    V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6, V7 7, V8 8, V9 9, V10 10, V11 11, V12 12, V13 13, V14 14, V15 15, V16 16,
    V17 17, V18 18, V19 19, V20 20, V21 21, V22 22, V23 23, V24 24, V25 25, V26 26, V27 27, V28 28, V29 29
);

#[derive(QueryData)]
#[query_data(mutable)]
enum SameTwice {
    First { a: &'static mut A, with: &'static C },
    Second { a: &'static mut A },
}

#[derive(QueryData)]
#[query_data(mutable)]
enum WithinOne {
    Bad { a: &'static mut Hidden, again: &'static Hidden },
    Good { b: &'static B },
}

/// A type with type parameters has no exact key at compile time, so conflicts about it are found at run time.
#[derive(Component)]
struct Of<T: Send + Sync + 'static>(T);
type Hidden = Of<u8>;

#[derive(QueryData)]
#[query_data(mutable)]
enum HiddenTwice {
    First { a: &'static mut Hidden, with: &'static C },
    Second { a: &'static mut Hidden },
}

#[test]
fn variants_may_borrow_the_same_but_one_variant_may_not_borrow_twice() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<SameTwice>();
    for item in query.iter_mut(&mut world) {
        match item {
            SameTwiceItem::First { mut a, with: _ } => a.0 += 1,
            SameTwiceItem::Second { mut a } => a.0 += 2,
        }
    }
    let expected: u32 = numbers(|i| i % 7 != 0).iter().map(|i| i + if i % 3 == 0 { 1 } else { 2 }).sum();
    assert_eq!(world.query::<&A>().iter(&world).map(|a| a.0).sum::<u32>(), expected);
    let said = expect_panic(|| world.query::<WithinOne>());
    assert!(said.contains("borrows component") && said.contains("Of<u8>`"), "{said}");
    let mut world = World::new();
    for panics in [
        expect_panic(|| world.query::<(HiddenTwice, &Hidden)>()),
        expect_panic(|| world.query::<(Option<HiddenTwice>, &mut Hidden)>()),
        expect_panic(|| world.query::<(HiddenTwice, HiddenTwice)>()),
        expect_panic(|| world.query::<AnyOf<(&Hidden, &B, &mut Hidden)>>()),
    ] {
        assert!(panics.contains("twice, once mutably"), "{panics}");
    }
}

#[test]
fn what_all_variants_demand_keeps_queries_apart() {
    let mut world = World::new();
    let enums = world.query::<SameTwice>();
    let id = world.component_id::<A>().expect("it is registered");
    assert!(enums.access().touches(id));
    let others = world.query_filtered::<&mut A, Without<A>>();
    assert_eq!(enums.access().conflict_with(others.access()), None);
    let without_c = world.query_filtered::<&mut A, Without<C>>();
    assert_eq!(
        enums.access().conflict_with(without_c.access()),
        Some(ComponentConflict::Component(id)),
        "the second variant does not demand C"
    );
    let any = world.query::<AnyOf<((&mut A, &C), (&B, &C))>>();
    assert_eq!(any.access().conflict_with(without_c.access()), None, "all members demand C");
}

#[test]
fn parameters_with_enums_conflict_as_others_do() {
    fn together(_: Query<'_, '_, HiddenTwice>, _: Query<'_, '_, &mut Hidden, Without<B>>) {}
    fn apart(_: Query<'_, '_, SameTwice>, _: Query<'_, '_, &mut A, Without<A>>) {}
    let mut world = World::new();
    let said = expect_panic(|| world.run_system_once(together));
    assert!(said.contains("component") && said.contains("Of<u8>`"), "{said}");
    world.run_system_once(apart).expect("nothing fails");
}

#[test]
fn any_of_yields_all_that_is_there() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(Entity, AnyOf<(&mut B, &mut S, Has<C>)>)>();
    assert_eq!(query.iter(&world).count(), 60, "`Has` matches every entity");
    let mut query = world.query::<AnyOf<(&mut B, &mut S)>>();
    for (i, entity) in (0..60).zip(&entities) {
        let (has_b, has_s) = (i % 2 == 0, i % 4 == 0 || i % 7 == 0);
        match query.get_mut(&mut world, *entity) {
            Ok((b, s)) => {
                assert_eq!((b.is_some(), s.is_some()), (has_b, has_s));
                assert!(has_b || has_s);
                if let Some(mut s) = s {
                    s.0 += 1;
                }
            }
            Err(_) => assert!(!has_b && !has_s, "{i}"),
        }
    }
    assert_eq!(world.get::<S>(entities[7]), Some(&S(8)));
    let count = query.iter(&world).count();
    assert_eq!(count, numbers(|i| i % 2 == 0 || i % 7 == 0).len());
    let mut rows = 0;
    for (b, s) in query.contiguous_iter_mut(&mut world) {
        assert_eq!(b.map_or(1, |b| b.len()), 1);
        assert_eq!(s.map_or(1, |s| s.len()), 1);
        rows += 1;
    }
    assert_eq!(rows, count);
}

#[test]
fn any_of_table_components_gives_whole_tables_as_slices() {
    let mut world = World::new();
    world.spawn_batch([A(1), A(2), A(3)]);
    world.spawn_batch([(A(4), C), (A(5), C)]);
    world.spawn_batch([B(String::new())]);
    world.spawn_batch([Other, Other]);
    let mut query = world.query::<AnyOf<(&A, &B)>>();
    let lengths: Vec<(usize, usize)> =
        query.contiguous_iter(&world).map(|(a, b)| (a.map_or(0, <[A]>::len), b.map_or(0, <[B]>::len))).collect();
    assert_eq!(lengths, [(3, 0), (2, 0), (0, 1)]);
    assert_eq!(query.query(&world).count(), 6);
}

#[derive(QueryData)]
#[query_data(mutable, derive(Debug))]
struct Pair(Entity, &'static mut A);

#[test]
fn tuple_structs_are_queries() {
    let mut world = World::new();
    let entity = world.spawn(A(3)).id();
    let mut query = world.query::<Pair>();
    let PairItem(id, mut a) = query.single_mut(&mut world).expect("one");
    assert_eq!(id, entity);
    a.0 = 4;
    let PairReadOnlyItem(_, a) = query.single(&world).expect("one");
    assert_eq!(a, &A(4));
}
