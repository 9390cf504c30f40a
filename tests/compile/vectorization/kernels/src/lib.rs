//! Systems whose machine code is looked at by the test `assembly`, which says of each what is expected.
//!
//! They are compiled and never run. Each has a name of its own, by which its loops are found in the assembly, and a body of
//! its own, so that the compiler does not make one function of two.

use strata_ecs::prelude::*;

/// Where something is.
#[derive(Component)]
pub struct Position {
    x: f32,
    y: f32,
    z: f32,
}

/// Where something goes.
#[derive(Component)]
pub struct Velocity {
    x: f32,
    y: f32,
    z: f32,
}

/// Where something is, as an array.
#[derive(Component)]
pub struct Place([f32; 3]);

/// Where something is pushed.
#[derive(Component)]
pub struct Push([f32; 3]);

/// The remaining health.
#[derive(Component)]
pub struct Health(i32);

/// A counter.
#[derive(Component)]
pub struct Count(u32);

/// The state of a generator of random numbers.
#[derive(Component)]
pub struct Seed(u32);

/// A small number.
#[derive(Component)]
pub struct Small(u8);

/// A number.
#[derive(Component)]
pub struct Heat(f32);

/// A number for sums.
#[derive(Component)]
pub struct Total(f64);

/// One of several columns.
#[derive(Component)]
pub struct Lane<const AT: usize>(f32);

/// The length of a step.
#[derive(Resource)]
pub struct Dt(f32);

/// The sum over all rows.
#[derive(Resource)]
pub struct Sum(f32);

/// A list to look things up in.
#[derive(Resource)]
pub struct List(Vec<f32>);

/// One column.
#[system]
pub fn damp(velocity: &mut Velocity) {
    velocity.x *= 0.98;
    velocity.y *= 0.98;
    velocity.z *= 0.98;
}

/// Two columns and a resource.
#[system]
pub fn integrate(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
    position.x += velocity.x * dt.0;
    position.y += velocity.y * dt.0;
    position.z += velocity.z * dt.0;
}

/// Minimum and maximum.
#[system]
pub fn confine(position: &mut Position) {
    position.x = position.x.clamp(-100.0, 100.0);
    position.y = position.y.clamp(-100.0, 100.0);
    position.z = position.z.clamp(-100.0, 100.0);
}

/// Bounds that are read from a resource, of which is asserted that they are in order.
#[derive(Resource)]
pub struct Bounds {
    least: f32,
    most: f32,
}

/// The same between bounds that are not known when it is compiled.
#[system]
pub fn confine_between(position: &mut Position, bounds: Res<Bounds>) {
    position.x = position.x.clamp(bounds.least, bounds.most);
    position.y = position.y.clamp(bounds.least, bounds.most);
    position.z = position.z.clamp(bounds.least, bounds.most);
}

/// Integers that do not wrap around.
#[system]
pub fn count_up(count: &mut Count) {
    count.0 = count.0.saturating_add(1);
}

/// Shifts and exclusive ors.
#[system]
pub fn draw_lots(seed: &mut Seed) {
    seed.0 ^= seed.0 << 13;
    seed.0 ^= seed.0 >> 17;
    seed.0 ^= seed.0 << 5;
}

/// Floating-point numbers of two sizes.
#[system]
pub fn widen(total: &mut Total, heat: &Heat) {
    total.0 += f64::from(heat.0);
}

/// Bytes that become floating-point numbers.
#[system]
pub fn widen_bytes(heat: &mut Heat, small: &Small) {
    heat.0 += f32::from(small.0);
}

/// A branch that need not be one.
#[system]
pub fn floor_at_zero(health: &mut Health) {
    health.0 = if health.0 < 0 { 0 } else { health.0 };
}

/// A value that is stored in some rows only.
#[system]
pub fn store_in_some_rows(health: &mut Health) {
    if health.0 < 0 {
        health.0 = 0;
    }
}

/// Eight columns.
#[system]
pub fn eight_columns(
    a: &mut Lane<0>,
    b: &mut Lane<1>,
    c: &mut Lane<2>,
    d: &mut Lane<3>,
    e: &Lane<4>,
    f: &Lane<5>,
    g: &Lane<6>,
    h: &Lane<7>,
) {
    a.0 += e.0;
    b.0 += f.0;
    c.0 += g.0;
    d.0 += h.0;
}

/// The ids of the entities.
#[system]
pub fn number_entities(entity: Entity, heat: &mut Heat) {
    heat.0 += entity.index() as f32;
}

/// A body that would not be inlined if it were left to the compiler.
#[system]
pub fn long_body(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
    let (mut x, mut y, mut z) = (position.x, position.y, position.z);
    macro_rules! turns {
        ($($by:literal)*) => { $(
            x += y * velocity.z * dt.0 - $by;
            y += z * velocity.x * dt.0 - $by;
            z += x * velocity.y * dt.0 - $by;
            x = x.clamp(-100.0, 100.0);
            y = y.clamp(-100.0, 100.0);
            z = z.clamp(-100.0, 100.0);
        )* };
    }
    turns!(0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9);
    (position.x, position.y, position.z) = (x, y, z);
}

/// As [`integrate`], with internal iteration in a world system.
#[system]
pub fn integrate_inside(mut bodies: Query<(&mut Position, &Velocity)>) {
    bodies.iter_mut().for_each(|(mut position, velocity)| {
        position.x += velocity.x;
        position.y += velocity.y;
        position.z += velocity.z;
    });
}

/// Internal iteration that only reads, over one column.
#[system]
pub fn add_up_inside(heats: Query<&Heat>, mut sum: ResMut<Sum>) {
    // Bits can be combined in any order.
    sum.0 += heats.iter().fold(0, |bits, heat| bits ^ heat.0.to_bits()) as f32;
}

/// Internal iteration over one column that is changed.
#[system]
pub fn cool_inside(mut heats: Query<&mut Heat>) {
    heats.iter_mut().for_each(|mut heat| heat.0 *= 0.5);
}

/// Internal iteration over many columns, all of which are changed.
#[system]
pub fn warm_lanes_inside(
    mut lanes: Query<(
        (&mut Lane<0>, &mut Lane<1>, &mut Lane<2>, &mut Lane<3>),
        (&mut Lane<4>, &mut Lane<5>, &mut Lane<6>),
    )>,
) {
    lanes.iter_mut().for_each(|((mut a, mut b, mut c, mut d), (mut e, mut f, mut g))| {
        a.0 += 1.0;
        b.0 += 2.0;
        c.0 += 3.0;
        d.0 += 4.0;
        e.0 += 5.0;
        f.0 += 6.0;
        g.0 += 7.0;
    });
}

/// Internal iteration over many columns, on several threads.
#[system]
pub fn blend_lanes_spread(
    mut lanes: Query<(&mut Lane<0>, &mut Lane<1>, &Lane<2>, &Lane<3>, &Lane<4>, &Lane<5>, &Lane<6>, &Lane<7>)>,
) {
    lanes.par_iter_mut().for_each(|(mut a, mut b, c, d, e, f, g, h)| {
        a.0 += c.0 * d.0 + e.0;
        b.0 += f.0 * g.0 + h.0;
    });
}

/// Internal iteration with a loop in the function.
#[system]
pub fn push_inside(mut bodies: Query<(&mut Place, &Push)>) {
    bodies.iter_mut().for_each(|(mut place, push)| {
        for axis in 0..3 {
            place.0[axis] += push.0[axis];
        }
    });
}

/// As [`integrate`], on several threads.
#[system(par)]
pub fn integrate_spread(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
    position.x -= velocity.x * dt.0;
    position.y -= velocity.y * dt.0;
    position.z -= velocity.z * dt.0;
}

/// Filters that all rows of a table pass.
#[system(with(Health), without(Count))]
pub fn filtered(heat: &mut Heat) {
    heat.0 += 0.5;
}

// Those in which there is something to find.

#[inline(never)]
fn elsewhere(heat: f32) -> f32 {
    heat.sqrt() + 1.0
}

/// A call for each row.
#[system]
pub fn calls_for_each_row(heat: &mut Heat) {
    heat.0 *= elsewhere(heat.0);
}

/// Each row needs the result of the one before.
#[system]
pub fn sums_in_order(heat: &Heat, mut sum: ResMut<Sum>) {
    sum.0 += heat.0;
}

/// A check of an index for each row.
#[system]
pub fn checks_an_index(count: &Count, heat: &mut Heat, list: Res<List>) {
    heat.0 += list.0[count.0 as usize];
}

/// A branch that has to be one.
#[system]
pub fn branches(count: &mut Count, health: &Health) {
    if health.0 > 0 {
        count.0 /= health.0 as u32;
    }
}
