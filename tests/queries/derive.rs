//! `#[derive(QueryData)]` for named structs.

use super::*;

#[derive(QueryData)]
#[query_data(derive(Debug, PartialEq))]
struct Reader {
    entity: Entity,
    a: &'static A,
    b: Option<&'static B>,
    tagged: Has<Tag>,
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Writer {
    a: &'static mut A,
    s: Option<&'static mut S>,
    c: Has<C>,
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Nested {
    reader_of_b: OnlyB,
    writer: Writer,
}

#[derive(QueryData)]
struct OnlyB {
    b: &'static B,
}

#[derive(QueryData)]
struct Generic<T, const MARK: usize>
where
    T: Component + Clone,
{
    value: &'static T,
    entity: Entity,
}

#[test]
fn fields_are_terms() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Reader>();
    let item = query.get(&world, entities[10]).expect("it matches");
    assert_eq!(item, ReaderItem { entity: entities[10], a: &A(10), b: Some(&B(String::from("10"))), tagged: true });
    assert_eq!(query.iter(&world).count(), numbers(|i| i % 7 != 0).len());
    for item in query.iter(&world) {
        assert_eq!(entities[item.a.0 as usize], item.entity);
        assert_eq!(item.b.is_some(), item.a.0 % 2 == 0);
        assert_eq!(item.tagged, item.a.0 % 5 == 0);
    }
}

#[test]
fn mutable_structs_write_and_have_a_read_only_twin() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Writer>();
    for mut item in query.iter_mut(&mut world) {
        item.a.0 += 100;
        if let Some(s) = &mut item.s {
            s.0 += 100;
        }
    }
    assert_eq!(world.get::<A>(entities[8]), Some(&A(108)));
    assert_eq!(world.get::<S>(entities[8]), Some(&S(108)));
    assert_eq!(world.get::<S>(entities[7]), Some(&S(7)));
    for item in query.iter(&world) {
        let _: &A = item.a;
        let _: Option<&S> = item.s;
        assert_eq!(item.c, (item.a.0 - 100) % 3 == 0);
    }
    assert_eq!(world.query::<WriterReadOnly>().iter(&world).count(), query.iter(&world).count());
}

#[test]
fn structs_nest_and_stand_in_tuples() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query_filtered::<(Nested, Entity), Without<Tag>>();
    let mut rows = 0;
    for (mut item, entity) in query.iter_mut(&mut world) {
        assert_eq!(item.reader_of_b.b.0, item.writer.a.0.to_string());
        item.writer.a.0 += 1;
        assert!(entity.index() < 61);
        rows += 1;
    }
    assert_eq!(rows, numbers(|i| i % 7 != 0 && i % 2 == 0 && i % 5 != 0).len());
    assert_eq!(query.iter(&world).count(), rows);
}

#[test]
fn generic_structs_are_queries() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<Generic<A, 3>>();
    let item = query.get(&world, entities[5]).expect("it matches");
    assert_eq!((item.value, item.entity), (&A(5), entities[5]));
}

#[test]
fn a_struct_may_have_a_parameter_that_no_field_is_about() {
    #[derive(QueryData)]
    struct Typed<T: 'static> {
        id: Entity,
        marker: std::marker::PhantomData<T>,
    }
    fn ids(all: Query<'_, '_, Typed<String>, With<A>>) -> Vec<Entity> {
        all.iter().map(|TypedItem { id, marker: () }| id).collect()
    }
    let mut world = World::new();
    let id = world.spawn(A(1)).id();
    assert_eq!(world.run_system_once(ids).unwrap(), [id]);
}
