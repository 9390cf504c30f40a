//! `#[derive(SystemParam)]`: structs of parameters.

use std::marker::PhantomData;

use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::{A, B, H, HTotal, Total, sum, world};

#[derive(SystemParam)]
struct Spawner<'w, 's, T: Component + Clone> {
    existing: Query<'w, 's, &'static T>,
    commands: Commands<'w, 's>,
    spawned: Local<'s, u32>,
    total: Option<ResMut<'w, Total>>,
}

impl<T: Component + Clone> Spawner<'_, '_, T> {
    fn double(&mut self) {
        for value in &self.existing {
            self.commands.spawn(value.clone());
            *self.spawned += 1;
        }
        if let Some(total) = &mut self.total {
            total.0 = *self.spawned;
        }
    }
}

#[test]
fn fields_are_fetched_together() {
    fn double(mut spawner: Spawner<'_, '_, B>) {
        spawner.double();
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(double);
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.query::<&B>().iter(&world).count(), 40);
    assert_eq!(*world.resource::<Total>(), Total(30));
    world.remove_resource::<Total>();
    schedule.run(&mut world);
    assert_eq!(world.query::<&B>().iter(&world).count(), 80);
}

#[derive(SystemParam)]
struct OnlyWorld<'w>(&'w World, Res<'w, Total>);
#[derive(SystemParam)]
struct OnlyState<'s> {
    runs: Local<'s, u32>,
}
#[derive(SystemParam)]
struct Nothing;
#[derive(SystemParam)]
struct Marker<T: 'static, const N: usize>(PhantomData<T>);
#[derive(SystemParam)]
struct Nested<'s, 'w, T, const N: usize>
where
    T: Component + Clone,
{
    world: OnlyWorld<'w>,
    state: (OnlyState<'s>, Nothing),
    marker: Marker<T, N>,
}

#[test]
fn structs_have_any_of_the_lifetimes_and_nest() {
    fn nested<T: Component + Clone>(mut nested: Nested<'_, '_, T, 3>) -> (usize, u32, u32) {
        *nested.state.0.runs += 7;
        let Nothing = nested.state.1;
        let Marker::<T, 3>(PhantomData) = nested.marker;
        (nested.world.0.len(), nested.world.1.0, *nested.state.0.runs)
    }
    assert_eq!(world().run_system_once(nested::<A>), Ok((20, 0, 7)));
}

#[derive(SystemParam)]
struct Heal<'w, 's> {
    set: ParamSet<'w, 's, (Query<'w, 's, &'static A>, Query<'w, 's, &'static mut A>)>,
    others: Lookup<'w, 's, &'static B>,
    commands: Commands<'w, 's>,
    runs: Local<'s, u32>,
}

#[system]
fn heal(entity: Entity, b: &B, mut heal: Heal, _: Nothing) {
    assert_eq!(heal.others.get(entity), Ok(b));
    let count = heal.set.p0().count() as u32;
    heal.set.p1().iter_mut().for_each(|mut a| a.0 += count);
    heal.commands.spawn_empty();
    *heal.runs += 1;
    assert!(*heal.runs <= 10);
}

#[test]
fn rows_may_have_structs_beside_them() {
    let mut world = world();
    world.run_system_once(heal).expect("it runs");
    assert_eq!(sum(&mut world), 190 + 10 * 20 * 20);
    assert_eq!(world.len(), 30);
}

#[test]
fn a_struct_may_be_in_a_set_and_in_a_tuple() {
    fn system((mut set, state): (ParamSet<'_, '_, (Heal<'_, '_>, Spawner<'_, '_, A>, Heal<'_, '_>)>, OnlyState<'_>)) {
        assert_eq!(*state.runs, 0);
        assert_eq!(set.p0().set.p0().count(), 20);
        set.p1().double();
        set.p2().set.p1().iter_mut().for_each(|mut a| a.0 = 1);
    }
    let mut world = world();
    world.run_system_once(system).expect("it runs");
    assert_eq!(world.len(), 40);
}

#[test]
fn conflicts_name_the_fields() {
    #[derive(SystemParam)]
    struct Within<'w, 's> {
        _first: Query<'w, 's, &'static H>,
        _second: (Query<'w, 's, &'static mut H>,),
    }
    #[derive(SystemParam)]
    struct Outer<'w>(Res<'w, HTotal>, Inner<'w>);
    #[derive(SystemParam)]
    struct Inner<'w> {
        _total: ResMut<'w, HTotal>,
    }
    #[derive(SystemParam)]
    struct Twice<'w, 's> {
        _query: Query<'w, 's, (&'static mut H, &'static H)>,
    }
    #[system]
    fn named<T: Component<Mutability = Mutable>>(_first: Query<&mut T>, _other: Commands, second: Spawner<H>) {
        let _ = second.existing.count();
    }
    let mut world = world();
    let text = expect_panic(|| world.run_system_once(|_: Nothing, _: Within<'_, '_>| ()));
    assert!(text.contains("parameter 2 (field `_first`) and parameter 2 (field `_second`) both borrow"), "{text}");
    let text = expect_panic(|| world.run_system_once(|_: Outer<'_>| ()));
    assert!(text.contains("parameter 1 (field `0`) and parameter 1 (field `1._total`) both borrow"), "{text}");
    let text = expect_panic(|| world.run_system_once(|_: Res<'_, HTotal>, _: Commands<'_, '_>, _: Inner<'_>| ()));
    assert!(text.contains("parameter 1 and parameter 3 (field `_total`) both borrow"), "{text}");
    let text = expect_panic(|| world.run_system_once(|_: Twice<'_, '_>| ()));
    assert!(text.contains("parameter 1 (field `_query`): component"), "{text}");
    let text = expect_panic(|| world.run_system_once(named::<H>));
    assert!(text.contains("parameter `_first` and parameter `second` (field `existing`)"), "{text}");
}

#[test]
fn a_missing_field_keeps_the_system_from_running() {
    #[derive(Resource)]
    struct Missing;
    #[derive(SystemParam)]
    struct Both<'w>(ResMut<'w, Total>, Res<'w, Missing>);
    let mut world = world();
    let error = world.run_system_once(|mut both: Both<'_>| both.0.0 += 1).expect_err("a resource is missing");
    assert!(error.to_string().contains("Missing"), "{error}");
    assert_eq!(*world.resource::<Total>(), Total(0));
}

#[test]
fn there_may_be_any_number_of_fields() {
    #[derive(SystemParam)]
    #[rustfmt::skip]
    struct Many<'w, 's> {
        a0: Local<'s, u32>, a1: Local<'s, u32>, a2: Local<'s, u32>, a3: Local<'s, u32>, a4: Local<'s, u32>,
        b0: Res<'w, Total>, b1: Res<'w, Total>, b2: Res<'w, Total>, b3: Res<'w, Total>, b4: Res<'w, Total>,
        c0: Local<'s, u8>, c1: Local<'s, u8>, c2: Local<'s, u8>, c3: Local<'s, u8>, c4: Local<'s, u8>,
        d0: Local<'s, u8>, d1: Local<'s, u8>, d2: Local<'s, u8>, d3: Local<'s, u8>, d4: Local<'s, u8>,
        e: Query<'w, 's, &'static mut A>,
    }
    fn many(mut many: Many<'_, '_>) -> u32 {
        *many.a4 = 4;
        *many.c0 = 1;
        *many.d4 = 2;
        many.e.iter_mut().for_each(|mut a| a.0 += 1);
        let zero =
            *many.a0 + *many.a1 + *many.a2 + *many.a3 + many.b0.0 + many.b1.0 + many.b2.0 + many.b3.0 + many.b4.0;
        let bytes = [many.c0, many.c1, many.c2, many.c3, many.c4, many.d0, many.d1, many.d2, many.d3, many.d4];
        zero + *many.a4 + bytes.iter().map(|byte| u32::from(**byte)).sum::<u32>()
    }
    assert_eq!(world().run_system_once(many), Ok(7));
}

#[derive(Resource)]
struct Treasure;

#[derive(Component)]
struct Captain;

#[derive(SystemParam)]
#[system_param(builder)]
struct Ship<'w, 's> {
    #[system_param(validation_message = "open the hold first")]
    treasure: Res<'w, Treasure>,
    #[system_param(validation_message = "hire exactly one")]
    captain: Single<'w, 's, Entity, With<Captain>>,
    turns: Local<'s, u32>,
}

#[derive(SystemParam)]
struct Mast<'w>(#[system_param(validation_message = "hoist it")] Option<Res<'w, Treasure>>, Res<'w, Treasure>);

#[test]
fn a_field_that_cannot_be_fetched_is_named_with_its_validation_message() {
    fn sail(mut ship: Ship<'_, '_>) -> Entity {
        *ship.turns += 1;
        let _ = &ship.treasure;
        *ship.captain
    }
    fn climb(mast: Mast<'_>) -> bool {
        mast.0.is_some() && mast.1.is_changed()
    }
    let mut world = World::new();
    let error = world.run_system_cached(sail).unwrap_err().to_string();
    assert!(error.contains("Parameter `Ship::treasure` failed validation: open the hold first"), "{error}");
    assert!(error.contains("structs::Treasure` does not exist"), "{error}");
    let error = world.run_system_once(climb).unwrap_err().to_string();
    assert!(!error.contains("hoist it"), "an optional field is always there: {error}");
    world.insert_resource(Treasure);
    let error = world.run_system_once(sail).unwrap_err();
    assert!(error.is_skip(), "a `Single` without an entity skips the system");
    let error = error.to_string();
    assert!(
        error.contains("Parameter `Ship::captain` failed validation: hire exactly one: no entity matches"),
        "{error}"
    );
    let mut schedule = Schedule::default();
    schedule.add_systems(|ship: Ship<'_, '_>| unreachable!("{}", *ship.captain));
    schedule.run(&mut world);
    let captain = world.spawn(Captain).id();
    assert_eq!(world.run_system_cached(sail).unwrap(), captain);
}

#[test]
fn a_struct_that_is_optional_is_absent_if_a_field_with_a_message_is() {
    fn sail(ship: Option<Mast<'_>>) -> bool {
        ship.is_some()
    }
    let mut world = World::new();
    assert!(!world.run_system_once(sail).unwrap());
    world.insert_resource(Treasure);
    assert!(world.run_system_once(sail).unwrap());
}
