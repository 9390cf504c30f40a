//! Queries that no entity matches both of, though it takes more than one term to see it.

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct A;
#[derive(Component)]
struct B;
#[derive(Component)]
#[component(storage = "sparse")]
struct S;
#[derive(Component)]
struct Of<T: Send + Sync + 'static>(T);

/// Two queries of health, each of whose rows gets something else.
macro_rules! beside {
    ($($name:ident: $a:ty, $b:ty;)*) => {
        $(
            fn $name(mut a: Query<&mut Health, $a>, mut b: Query<&mut Health, $b>) {
                a.iter_mut().for_each(|mut health| health.0 += 1);
                b.iter_mut().for_each(|mut health| health.0 += 100);
            }
        )*
        const FUNCTIONS: [fn(&mut Schedule); 0 $(+ { stringify!($name); 1 })*] = [$(|schedule| { schedule.add_systems($name); }),*];
    };
}

beside! {
    alternatives: Or<(With<A>, With<B>)>, (Without<A>, Without<B>);
    nested: Or<(Or<(With<A>, With<S>)>, With<B>)>, (Without<A>, Without<B>, Without<S>);
    common_with: Or<((With<A>, With<B>), (With<A>, With<S>))>, Without<A>;
    common_without: Or<((Without<A>, With<B>), (Without<A>, With<S>))>, With<A>;
    both_branch: Or<((With<A>, Without<B>), (Without<A>, With<B>))>, Or<((With<A>, With<B>), (Without<A>, Without<B>))>;
    of_product: (Or<(With<A>, With<B>)>, Or<(With<A>, Without<B>)>), Without<A>;
    of_change: Or<(Changed<A>, Added<B>)>, (Without<A>, Without<B>);
    generic: Or<(With<Of<u8>>, With<Of<u16>>)>, (Without<Of<u8>>, Without<Of<u16>>);
    impossible: (With<A>, Without<A>), ();
}

#[system]
fn written_out(a: Query<&mut Health, Or<(With<A>, With<B>)>>, b: Query<&mut Health, (Without<A>, Without<B>)>) {
    let _ = (a.count(), b.count());
}

#[system]
fn any_of(mut a: Query<(&mut Health, AnyOf<(&A, &B)>)>, b: Query<&Health, (Without<A>, Without<B>)>) {
    a.iter_mut().for_each(|(mut health, _)| health.0 += b.iter().count() as u32);
}

#[system(with(A), without(B))]
fn rows(health: &mut Health, others: Query<&Health, Or<(Without<A>, With<B>)>>) {
    health.0 += others.iter().count() as u32;
}

fn main() {
    for add in FUNCTIONS {
        let mut world = World::new();
        for bits in 0..16_u8 {
            let mut entity = world.spawn((Health(0), Of(0_u16)));
            if bits & 1 != 0 {
                entity.insert(A);
            }
            if bits & 2 != 0 {
                entity.insert(B);
            }
            if bits & 4 != 0 {
                entity.insert(S);
            }
            if bits & 8 != 0 {
                entity.insert(Of(1_u8));
            }
        }
        let mut schedule = Schedule::default();
        add(&mut schedule);
        schedule.run(&mut world);
        let mut all = world.query::<&Health>();
        assert!(all.iter(&world).all(|health| matches!(health.0, 0 | 1 | 100)));
    }
    let mut world = World::new();
    let [both, other] = [world.spawn((Health(1), A)).id(), world.spawn(Health(1)).id()];
    let mut schedule = Schedule::default();
    schedule.add_systems((written_out, any_of, rows).chain());
    schedule.run(&mut world);
    assert_eq!((world.get(both), world.get(other)), (Some(&Health(3)), Some(&Health(1))));
}
