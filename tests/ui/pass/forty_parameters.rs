#![deny(warnings)]
#![allow(clippy::too_many_arguments)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct N<const I: usize>(usize);
#[derive(Resource)]
struct P<const I: usize>(usize);

#[system]
fn none() {}

#[system()]
fn none_with_parentheses() {}

#[system]
fn rows(
    a0: &mut N<0>, a1: &N<1>, a2: &N<2>, a3: &N<3>, a4: &N<4>, a5: &N<5>, a6: &N<6>, a7: &N<7>, a8: &N<8>, a9: &N<9>,
    b0: &N<10>, b1: &N<11>, b2: &N<12>, b3: &N<13>, b4: &N<14>, b5: &N<15>, b6: &N<16>, b7: &N<17>, b8: &N<18>, b9: &N<19>,
    p0: Res<P<0>>, p1: Res<P<1>>, p2: Res<P<2>>, p3: Res<P<3>>, p4: Res<P<4>>, p5: Res<P<5>>, p6: Res<P<6>>, p7: Res<P<7>>,
    p8: Res<P<8>>, p9: Res<P<9>>, q0: Res<P<10>>, q1: Res<P<11>>, q2: Res<P<12>>, q3: Res<P<13>>, q4: Res<P<14>>,
    q5: Res<P<15>>, q6: Res<P<16>>, q7: Res<P<17>>, q8: Res<P<18>>, q9: ResMut<P<19>>,
) {
    a0.0 = a1.0 + a2.0 + a3.0 + a4.0 + a5.0 + a6.0 + a7.0 + a8.0 + a9.0
        + b0.0 + b1.0 + b2.0 + b3.0 + b4.0 + b5.0 + b6.0 + b7.0 + b8.0 + b9.0
        + p0.0 + p1.0 + p2.0 + p3.0 + p4.0 + p5.0 + p6.0 + p7.0 + p8.0 + p9.0
        + q0.0 + q1.0 + q2.0 + q3.0 + q4.0 + q5.0 + q6.0 + q7.0 + q8.0 + q9.0;
}

#[system]
fn params(
    p0: Res<P<0>>, p1: Res<P<1>>, p2: Res<P<2>>, p3: Res<P<3>>, p4: Res<P<4>>, p5: Res<P<5>>, p6: Res<P<6>>, p7: Res<P<7>>,
    p8: Res<P<8>>, p9: Res<P<9>>, q0: Res<P<10>>, q1: Res<P<11>>, q2: Res<P<12>>, q3: Res<P<13>>, q4: Res<P<14>>,
    q5: Res<P<15>>, q6: Res<P<16>>, q7: Res<P<17>>, q8: Res<P<18>>, q9: Res<P<19>>, l0: Local<u8>, l1: Local<u8>,
    l2: Local<u8>, l3: Local<u8>, l4: Local<u8>, l5: Local<u8>, l6: Local<u8>, l7: Local<u8>, l8: Local<u8>, l9: Local<u8>,
    m0: Local<u8>, m1: Local<u8>, m2: Local<u8>, m3: Local<u8>, m4: Local<u8>, m5: Local<u8>, m6: Local<u8>, m7: Local<u8>,
    m8: Local<u8>, all: Query<&N<0>>,
) {
    let sum = p0.0 + p1.0 + p2.0 + p3.0 + p4.0 + p5.0 + p6.0 + p7.0 + p8.0 + p9.0
        + q0.0 + q1.0 + q2.0 + q3.0 + q4.0 + q5.0 + q6.0 + q7.0 + q8.0 + q9.0;
    let locals = *l0 + *l1 + *l2 + *l3 + *l4 + *l5 + *l6 + *l7 + *l8 + *l9
        + *m0 + *m1 + *m2 + *m3 + *m4 + *m5 + *m6 + *m7 + *m8;
    assert_eq!((sum, locals), (190, 0));
    assert_eq!(all.single().unwrap().0, 380);
}

macro_rules! each {
    ($($i:literal)*) => {
        fn fill(world: &mut World) {
            let entity = world.spawn_empty().id();
            $( world.entity_mut(entity).insert(N::<$i>($i)); world.insert_resource(P::<$i>($i)); )*
        }
    };
}
each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

fn main() {
    let mut world = World::new();
    fill(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems((none, none_with_parentheses, rows, params));
    schedule.run(&mut world);
}
