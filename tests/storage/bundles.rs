//! Bundles: tuples, nested ones, derived ones, and what happens to a component that stands in a bundle twice.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::{catch, expect_panic, expect_panic_at};

#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct B(u64);
#[derive(Component, Debug, PartialEq, Clone, Default)]
struct C(String);
#[derive(Component, Debug, PartialEq, Clone, Copy, Default)]
struct N<const I: usize>(usize);
#[derive(Component, Debug, PartialEq, Default)]
#[component(storage = "sparse")]
struct Aside(u8);

#[derive(Bundle, Debug, PartialEq)]
struct Body {
    a: A,
    b: B,
}

#[derive(Bundle, Debug, PartialEq)]
struct Nested {
    body: Body,
    c: C,
}

#[derive(Bundle, Debug, PartialEq)]
struct Both(A, (B, C));

#[derive(Bundle, Debug, PartialEq)]
struct Nothing;

#[derive(Bundle, Debug, PartialEq)]
struct Of<T: Component, U>
where
    U: Bundle,
{
    first: T,
    rest: U,
}

#[derive(Bundle, Debug, PartialEq)]
struct WithNote {
    a: A,
    #[bundle(ignore)]
    note: Option<&'static str>,
}

#[test]
fn a_single_component_is_a_bundle() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    assert_eq!(world.get::<A>(entity), Some(&A(1)));
}

#[test]
fn the_empty_tuple_is_a_bundle() {
    let mut world = World::new();
    let entity = world.spawn(()).id();
    assert!(world.contains(entity));
    world.entity_mut(entity).insert(());
    assert_eq!(world.entity_mut(entity).take::<()>(), Some(()));
    world.check_invariants();
}

#[test]
fn tuples_have_up_to_fifteen_members() {
    macro_rules! n {
        ($($i:literal)*) => { ($(N::<$i>($i),)*) };
    }
    macro_rules! check {
        ($world:ident $entity:ident $($i:literal)*) => { $( assert_eq!($world.get::<N<$i>>($entity), Some(&N::<$i>($i))); )* };
    }
    let mut world = World::new();
    let entity = world.spawn(n!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)).id();
    check!(world entity 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    world.check_invariants();
}

#[test]
fn tuples_nest() {
    let mut world = World::new();
    let entity = world.spawn(((A(1), (B(2), ())), ((C(String::from("3")),), Aside(4)))).id();
    assert_eq!(world.get::<A>(entity), Some(&A(1)));
    assert_eq!(world.get::<B>(entity), Some(&B(2)));
    assert_eq!(world.get::<C>(entity), Some(&C(String::from("3"))));
    assert_eq!(world.get::<Aside>(entity), Some(&Aside(4)));
}

#[test]
fn the_order_of_a_bundle_does_not_matter() {
    let mut world = World::new();
    world.spawn((A(1), B(10)));
    world.spawn((B(20), A(2)));
    let mut found: Vec<(u32, u64)> = world.query::<(&A, &B)>().iter(&world).map(|(a, b)| (a.0, b.0)).collect();
    found.sort_unstable();
    assert_eq!(found, [(1, 10), (2, 20)]);
    world.check_invariants();
}

#[test]
fn derived_bundles_of_every_form_are_inserted() {
    let mut world = World::new();
    let named = world.spawn(Body { a: A(1), b: B(2) }).id();
    assert_eq!((world.get::<A>(named), world.get::<B>(named)), (Some(&A(1)), Some(&B(2))));
    let nested = world.spawn(Nested { body: Body { a: A(3), b: B(4) }, c: C(String::from("5")) }).id();
    assert_eq!(world.get::<C>(nested), Some(&C(String::from("5"))));
    assert_eq!(world.get::<A>(nested), Some(&A(3)));
    let tuple = world.spawn(Both(A(6), (B(7), C(String::from("8"))))).id();
    assert_eq!(world.get::<B>(tuple), Some(&B(7)));
    let generic = world.spawn(Of { first: A(9), rest: (B(10), Aside(11)) }).id();
    assert_eq!(world.get::<A>(generic), Some(&A(9)));
    assert_eq!(world.get::<Aside>(generic), Some(&Aside(11)));
    world.spawn(Nothing);
    world.check_invariants();
}

#[test]
fn a_derived_bundle_can_be_taken_back_whole() {
    let mut world = World::new();
    let make = || Nested { body: Body { a: A(3), b: B(4) }, c: C(String::from("5")) };
    let entity = world.spawn((make(), Aside(1))).id();
    assert_eq!(world.entity_mut(entity).take::<Nested>(), Some(make()));
    assert!(!world.entity(entity).contains::<A>());
    assert!(!world.entity(entity).contains::<C>());
    assert!(world.entity(entity).contains::<Aside>());
    world.check_invariants();
}

#[test]
fn taking_a_bundle_of_which_a_part_is_missing_takes_nothing() {
    let mut world = World::new();
    let entity = world.spawn((A(1), Aside(2))).id();
    assert_eq!(world.entity_mut(entity).take::<(A, B)>(), None);
    assert_eq!(world.get::<A>(entity), Some(&A(1)));
    assert_eq!(world.entity_mut(entity).take::<(A, Aside)>(), Some((A(1), Aside(2))));
    world.check_invariants();
}

#[test]
fn removing_a_bundle_removes_the_parts_that_are_there() {
    let mut world = World::new();
    let entity = world.spawn((A(1), C(String::from("c")))).id();
    world.entity_mut(entity).remove::<(A, B)>();
    assert!(!world.entity(entity).contains::<A>());
    assert!(world.entity(entity).contains::<C>());
    world.check_invariants();
}

#[test]
fn an_ignored_field_is_not_inserted_and_comes_back_as_its_default() {
    let mut world = World::new();
    let entity = world.spawn(WithNote { a: A(1), note: Some("gone") }).id();
    assert_eq!(world.entity_mut(entity).take::<WithNote>(), Some(WithNote { a: A(1), note: None }));
}

#[test]
fn inserting_a_bundle_overwrites_what_is_there_and_adds_the_rest() {
    let mut world = World::new();
    let entity = world.spawn((A(1), C(String::from("old")))).id();
    world.entity_mut(entity).insert((A(2), B(3), C(String::from("new"))));
    assert_eq!(world.get::<A>(entity), Some(&A(2)));
    assert_eq!(world.get::<B>(entity), Some(&B(3)));
    assert_eq!(world.get::<C>(entity), Some(&C(String::from("new"))));
    assert_eq!(world.len(), 1);
    world.check_invariants();
}

/// Components with type parameters: the compiler does not know whether two of them are the same.
#[derive(Component, Debug, PartialEq)]
struct Held<T: Send + Sync + 'static>(T);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct HeldAside<T: Send + Sync + 'static>(T);

#[test]
fn a_component_twice_in_a_bundle_is_refused_before_anything_changes() {
    let mut world = World::new();
    let witness = world.spawn((A(1), B(2))).id();
    let text = catch(|| world.spawn((Held(1), B(1), Held(2))).id()).expect_err("a duplicate in a spawn");
    assert!(text.contains("Held<i32>` twice: keep one of the two"), "the component is not named: {text}");
    let text =
        catch(|| world.entity_mut(witness).insert((Held(7), (Held(8),))).id()).expect_err("a duplicate in an insert");
    assert!(text.contains("Held<i32>"), "the component is not named: {text}");
    catch(|| world.spawn_batch([(Held(1), Held(1))]).count()).expect_err("a duplicate in a batch");
    catch(|| world.spawn((HeldAside(1), HeldAside(2))).id()).expect_err("a sparse duplicate");
    assert_eq!(world.len(), 1);
    assert_eq!(world.get::<A>(witness), Some(&A(1)));
    world.check_invariants();
    world.spawn((A(5), Held(6_u32), Held(7_i32)));
    assert_eq!(world.query::<&A>().iter(&world).count(), 2);
}

/// Where the user's code hands the bundle over, whatever the way. Commands are refused when they are recorded.
#[test]
fn a_component_twice_in_a_bundle_is_a_panic_at_the_caller() {
    let twice = || (Held(1), (B(1), Held(2)));
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let expect = |line: u32, action: &mut dyn FnMut()| {
        let ((file, at), text) = expect_panic_at(action);
        assert!(file.ends_with("storage/bundles.rs") && at == line, "{file}:{at}, not {line}: {text}");
        assert!(text.starts_with("bundle `(") && text.ends_with("Held<i32>` twice: keep one of the two"), "{text}");
    };
    expect(line!(), &mut || _ = world.spawn(twice()));
    expect(line!(), &mut || _ = world.try_spawn(twice()));
    expect(line!(), &mut || _ = world.spawn_at(entity, twice()));
    expect(line!(), &mut || _ = world.spawn_batch([twice()]));
    expect(line!(), &mut || _ = world.entity_mut(entity).insert(twice()));
    expect(line!(), &mut || _ = world.entity_mut(entity).insert_if_new(twice()));
    expect(line!(), &mut || _ = world.entity_mut(entity).replace::<A, _>(twice()));
    expect(line!(), &mut || _ = world.insert_batch([(entity, twice())]));
    expect(line!(), &mut || _ = world.all::<()>().insert_with(|_| twice()));
    expect(line!(), &mut || _ = world.commands().spawn(twice()));
    expect(line!(), &mut || world.commands().spawn_batch([twice()]));
    expect(line!(), &mut || _ = world.commands().entity(entity).insert(twice()));
    expect(line!(), &mut || _ = world.commands().entity(entity).try_insert(twice()));
    world.flush();
    assert_eq!((world.len(), world.get::<A>(entity)), (1, Some(&A(1))));
    world.check_invariants();
}

#[test]
fn a_component_twice_in_a_removal_is_harmless_or_refused() {
    let mut world = World::new();
    let entity = world.spawn((A(1), B(2))).id();
    let outcome = catch(|| world.entity_mut(entity).remove::<(A, A)>().id());
    let ((file, _), text) = expect_panic_at(|| world.all::<()>().remove::<(A, (B, A))>());
    assert!(file.ends_with("storage/bundles.rs") && text.contains("A` twice"), "{file}: {text}");
    assert_eq!(world.entity(entity).contains::<A>(), outcome.is_err());
    assert_eq!(world.get::<B>(entity), Some(&B(2)));
    world.check_invariants();
}

/// A field of a bundle that is no component, and that panics when it is made or dropped.
#[derive(Debug)]
struct Bomb {
    on_drop: bool,
}

impl Default for Bomb {
    fn default() -> Self {
        panic!("an ignored field cannot be made");
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.on_drop || std::thread::panicking(), "an ignored field cannot be dropped");
    }
}

#[derive(Component)]
struct First(Token);
#[derive(Component)]
struct Second(Token);
#[derive(Component)]
struct Last(Token);

#[derive(Bundle)]
struct Armed {
    second: Second,
    #[bundle(ignore)]
    bomb: Bomb,
}

fn armed(on_drop: bool) -> (First, Armed, Last) {
    (First(Token::new()), Armed { second: Second(Token::new()), bomb: Bomb { on_drop } }, Last(Token::new()))
}

#[test]
fn no_member_of_a_tuple_is_leaked_if_another_one_cannot_be_put_together() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn(armed(false)).id();
    let text = expect_panic(|| world.entity_mut(entity).take::<(First, Armed, Last)>().is_some());
    assert!(text.contains("cannot be made"), "{text}");
    assert_eq!(drops::alive(), 0);
    world.check_invariants();
    drops::assert_all_dropped_once();
}

#[test]
fn no_member_of_a_tuple_is_leaked_if_another_one_cannot_be_taken_apart() {
    drops::reset();
    let mut world = World::new();
    let text = expect_panic(|| world.spawn(armed(true)).id());
    assert!(text.contains("cannot be dropped"), "{text}");
    assert_eq!((drops::alive(), world.len()), (0, 0));
    world.commands().spawn((First(Token::new()), Last(Token::new())));
    let text = expect_panic(|| _ = world.commands().spawn(armed(true)));
    assert!(text.contains("cannot be dropped"), "{text}");
    world.flush();
    assert_eq!(drops::alive(), 2);
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}
