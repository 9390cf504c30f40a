//! The bodies of the measured loops: typical game loops, each written like the output of `#[system]`.

#![expect(clippy::too_many_arguments, reason = "each column is an argument of its own")]

use cgmath::{
    Euler, InnerSpace, Matrix as _, Matrix3, Matrix4, Point3, Quaternion, Rad, SquareMatrix, Transform, Vector3,
    VectorSpace,
};
use strata_ecs::__private::RowsOf;
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;
use strata_ecs::simd::Variants;
use strata_ecs::system::Result as SystemResult;

use super::Body;
use super::values::{Column, Value as _};

/// The time between two runs, available to all bodies.
#[derive(Resource)]
pub(super) struct Step(pub(super) f32);

type Vec2 = [f32; 2];
type Vec3 = [f32; 3];
type Vec4 = [f32; 4];
type Matrix = [Vec4; 4];

macro_rules! term {
    (mut $number:literal $value:ty) => { &'static mut Column<$number, $value> };
    (get $number:literal $value:ty) => { &'static Column<$number, $value> };
    (id $number:literal $value:ty) => { Entity };
}

macro_rules! slice {
    (mut $number:literal $value:ty) => { &mut [Column<$number, $value>] };
    (get $number:literal $value:ty) => { &[Column<$number, $value>] };
    (id $number:literal $value:ty) => { &[Entity] };
}

macro_rules! argument {
    (mut $value:ty) => {
        &mut $value
    };
    (get $value:ty) => {
        &$value
    };
    (id $value:ty) => {
        Entity
    };
}

macro_rules! cut {
    (mut $column:ident $len:ident) => {
        &mut $column[..$len]
    };
    ($kind:ident $column:ident $len:ident) => {
        &$column[..$len]
    };
}

macro_rules! at {
    (mut $column:ident $row:ident) => {
        &mut $column[$row].0
    };
    (get $column:ident $row:ident) => {
        &$column[$row].0
    };
    (id $column:ident $row:ident) => {
        $column[$row]
    };
}

macro_rules! spawned {
    (id $number:literal $value:ty, $state:ident) => {
        ()
    };
    ($kind:ident $number:literal $value:ty, $state:ident) => {
        Column::<$number, _>(<$value>::next(&mut $state))
    };
}

macro_rules! mixed {
    (mut $number:literal $value:ty, $world:ident, $hash:ident) => {
        $world.query::<&Column<$number, $value>>().iter($world).for_each(|column| column.0.mix(&mut $hash));
    };
    ($kind:ident $number:literal $value:ty, $world:ident, $hash:ident) => {};
}

/// A tuple as the macro writes it: of more than four members the first three stand before a tuple of the rest.
macro_rules! nested {
    ({$($a:tt)+} {$($b:tt)+} {$($c:tt)+} {$($d:tt)+} $({$($rest:tt)+})+) => {
        ($($a)+, $($b)+, $($c)+, nested!({$($d)+} $({$($rest)+})+))
    };
    ($({$($member:tt)+})+) => {
        ($($($member)+,)+)
    };
}

macro_rules! body {
    ($type:ident $name:literal ($($kind:ident $number:literal $column:ident: $value:ty),+) |$step:pat_param| $work:block) => {
        pub(super) struct $type;

        impl Body for $type {
            const NAME: &'static str = $name;

            fn spawn(world: &mut World, rows: usize) {
                let mut state = 0x9e37_79b9_7f4a_7c15_u64;
                world.spawn_batch((0..rows).map(|_| ($(spawned!($kind $number $value, state),)+)));
            }

            fn system<V: Variants>() -> ScheduleSystem {
                #[inline(always)]
                fn work($($column: argument!($kind $value),)+ $step: f32) $work

                // Each column is a separate argument, so that the optimiser knows that the columns do not overlap.
                #[inline(always)]
                fn rows(len: usize, $($column: slice!($kind $number $value),)+ step: &mut Res<'_, Step>) {
                    $(let $column = cut!($kind $column len);)+
                    for row in 0..len {
                        work($(at!($kind $column row),)+ step.0);
                    }
                }

                #[inline(always)]
                fn table(
                    len: usize,
                    nested!($({$column})+): nested!($({slice!($kind $number $value)})+),
                    (step,): &mut (Res<'_, Step>,),
                ) -> SystemResult {
                    rows(len, $($column,)+ step);
                    Ok(())
                }

                RowsOf::<nested!($({term!($kind $number $value)})+), ()>::in_variants::<V, _, _>(table)
                    .build($name, &[$(stringify!($column)),+])
            }

            fn outcome(world: &mut World) -> u64 {
                let mut hash = 0;
                $(mixed!($kind $number $value, world, hash);)+
                hash
            }
        }
    };
}

// Vectors.

body!(StepVec2 "vec2 += vec2 * dt" (mut 0 position: Vec2, get 1 velocity: Vec2) |step| {
    for lane in 0..2 {
        position[lane] += velocity[lane] * step;
    }
});

body!(StepVec3 "vec3 += vec3 * dt" (mut 0 position: Vec3, get 1 velocity: Vec3) |step| {
    for lane in 0..3 {
        position[lane] += velocity[lane] * step;
    }
});

body!(StepVec4 "vec4 += vec4 * dt" (mut 0 position: Vec4, get 1 velocity: Vec4) |step| {
    for lane in 0..4 {
        position[lane] += velocity[lane] * step;
    }
});

body!(Integrate "vec3: velocity, then position" (mut 0 position: Vec3, mut 1 velocity: Vec3, get 2 force: Vec3) |step| {
    for lane in 0..3 {
        velocity[lane] += force[lane] * step;
        position[lane] += velocity[lane] * step;
    }
});

// The factor rounds to 1.0: with a smaller one the values would become denormal, which is slow.
body!(DampNumber "f32 *= factor" (mut 0 speed: f32) |step| {
    *speed *= 1.0 + step * 1e-6;
});

body!(DampVec3 "vec3 *= factor" (mut 0 velocity: Vec3) |step| {
    for lane in velocity {
        *lane *= 1.0 + step * 1e-6;
    }
});

body!(ClampVec3 "vec3, clamp" (mut 0 position: Vec3) |step| {
    for lane in position {
        *lane = lane.clamp(-700.0 * step, 700.0 * step);
    }
});

body!(MinMaxVec3 "vec3, max and min" (mut 0 position: Vec3) |step| {
    for lane in position {
        *lane = lane.max(-700.0 * step).min(700.0 * step);
    }
});

#[inline(always)]
fn square(vector: &Vec3) -> f32 {
    vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}

body!(NormalizeVec3 "vec3, normalize" (mut 0 direction: Vec3) |_| {
    let length = square(direction).sqrt();
    for lane in direction {
        *lane /= length;
    }
});

body!(LengthVec3 "f32 = length of vec3" (mut 0 speed: f32, get 1 velocity: Vec3) |_| {
    *speed = square(velocity).sqrt();
});

body!(Seek "vec3 towards vec3, if far" (mut 0 velocity: Vec3, get 1 position: Vec3, get 2 goal: Vec3) |step| {
    let way = [goal[0] - position[0], goal[1] - position[1], goal[2] - position[2]];
    let distance = square(&way);
    if distance > 0.01 {
        let factor = step / distance.sqrt();
        for lane in 0..3 {
            velocity[lane] += way[lane] * factor;
        }
    }
});

body!(Bounce "vec2, turn at walls" (mut 0 position: Vec2, mut 1 velocity: Vec2) |step| {
    for lane in 0..2 {
        position[lane] += velocity[lane] * step;
        if position[lane] < -1.0 || position[lane] > 1.0 {
            velocity[lane] = -velocity[lane];
        }
    }
});

// Matrices of four columns.

body!(MultiplyMatrices "matrix = matrix * matrix" (mut 0 result: Matrix, get 1 a: Matrix, get 2 b: Matrix) |_| {
    for (column, factors) in result.iter_mut().zip(b) {
        for (row, value) in column.iter_mut().enumerate() {
            *value = a[0][row] * factors[0] + a[1][row] * factors[1] + a[2][row] * factors[2] + a[3][row] * factors[3];
        }
    }
});

body!(TransformPoint "vec3 = matrix * vec3" (mut 0 result: Vec3, get 1 matrix: Matrix, get 2 point: Vec3) |_| {
    for row in 0..3 {
        result[row] = matrix[0][row] * point[0] + matrix[1][row] * point[1] + matrix[2][row] * point[2] + matrix[3][row];
    }
});

/// The determinant of a matrix without one column and one row.
#[inline(always)]
fn minor(matrix: &Matrix, without: (usize, usize)) -> f32 {
    let others = |index: usize| match index {
        0 => [1, 2, 3],
        1 => [0, 2, 3],
        2 => [0, 1, 3],
        _ => [0, 1, 2],
    };
    let ([a, b, c], [x, y, z]) = (others(without.0), others(without.1));
    matrix[a][x] * (matrix[b][y] * matrix[c][z] - matrix[c][y] * matrix[b][z])
        - matrix[b][x] * (matrix[a][y] * matrix[c][z] - matrix[c][y] * matrix[a][z])
        + matrix[c][x] * (matrix[a][y] * matrix[b][z] - matrix[b][y] * matrix[a][z])
}

body!(InvertMatrix "matrix = inverse of matrix" (mut 0 result: Matrix, get 1 matrix: Matrix) |_| {
    let mut determinant = 0.0;
    for row in 0..4 {
        let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
        determinant += sign * matrix[0][row] * minor(matrix, (0, row));
    }
    for (row, column) in result.iter_mut().enumerate() {
        for (number, value) in column.iter_mut().enumerate() {
            let sign = if (row + number) % 2 == 0 { 1.0 } else { -1.0 };
            *value = sign * minor(matrix, (number, row)) / determinant;
        }
    }
});

body!(ComposeMatrix "matrix = translation, rotation, scale" (
    mut 0 result: Matrix, get 1 translation: Vec3, get 2 rotation: Vec4, get 3 scale: Vec3
) |_| {
    let [x, y, z, w] = *rotation;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz, yy, yz, zz) = (x * x2, x * y2, x * z2, y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    *result = [
        [(1.0 - (yy + zz)) * scale[0], (xy + wz) * scale[0], (xz - wy) * scale[0], 0.0],
        [(xy - wz) * scale[1], (1.0 - (xx + zz)) * scale[1], (yz + wx) * scale[1], 0.0],
        [(xz + wy) * scale[2], (yz - wx) * scale[2], (1.0 - (xx + yy)) * scale[2], 0.0],
        [translation[0], translation[1], translation[2], 1.0],
    ];
});

// Numbers of several widths.

body!(FloatsAndBytes "f32 += u8" (mut 0 heat: f32, get 1 level: u8) |step| {
    *heat += f32::from(*level) * step;
});

body!(DoublesAndFloats "3 x f64 += vec3" (mut 0 position: [f64; 3], get 1 velocity: Vec3) |_| {
    for lane in 0..3 {
        position[lane] += f64::from(velocity[lane]);
    }
});

body!(Cooldown "u16 counts down, u8 counts" (mut 0 left: u16, mut 1 shots: u8) |_| {
    if *left > 0 {
        *left -= 1;
    } else {
        *left = 300;
        *shots = shots.wrapping_add(1);
    }
});

body!(Health "f32 below zero, or less" (mut 0 health: f32, mut 1 deaths: u32, get 2 damage: f32) |step| {
    if *health < 0.0 {
        *deaths += 1;
        *health = 100.0;
    } else {
        *health -= damage * step;
    }
});

// Integers.

body!(XorShift "u32, xorshift" (mut 0 state: u32) |_| {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
});

// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
body!(HashMix "u64, hash" (mut 0 hash: u64, get 1 value: u32) |_| {
    let mut bits = *hash ^ u64::from(*value);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    *hash = bits ^ (bits >> 31);
});

body!(Saturating "u32, saturating" (mut 0 stamina: u32, get 1 effort: u32) |_| {
    *stamina = stamina.saturating_sub(*effort & 7).max(100_000);
});

// Columns. The references are not in an array: the optimiser would lose the information that the columns are distinct.

macro_rules! add_one {
    ($($vector:ident)+) => {$(
        for lane in $vector.iter_mut() {
            *lane += 1.0;
        }
    )+};
}

body!(EightNumbers "8 x f32 += 1" (
    mut 0 a: [f32; 1], mut 1 b: [f32; 1], mut 2 c: [f32; 1], mut 3 d: [f32; 1],
    mut 4 e: [f32; 1], mut 5 f: [f32; 1], mut 6 g: [f32; 1], mut 7 h: [f32; 1]
) |_| {
    add_one!(a b c d e f g h);
});

body!(EightVec3 "8 x vec3 += 1" (
    mut 0 a: Vec3, mut 1 b: Vec3, mut 2 c: Vec3, mut 3 d: Vec3, mut 4 e: Vec3, mut 5 f: Vec3, mut 6 g: Vec3, mut 7 h: Vec3
) |_| {
    add_one!(a b c d e f g h);
});

body!(MultiplyAdd "f32 = f32 * f32 + f32" (mut 0 result: f32, get 1 a: f32, get 2 b: f32, get 3 c: f32) |_| {
    *result = a * b + c;
});

body!(ByEntity "f32 += index of entity" (id 0 entity: Entity, mut 0 phase: f32) |step| {
    *phase += (entity.index() & 7) as f32 * step;
});

// No arithmetic.

body!(CopyVec3 "vec3 = vec3" (mut 0 now: Vec3, get 1 next: Vec3) |_| {
    *now = *next;
});

body!(FillNumber "u32 = 5" (mut 0 number: u32) |_| {
    *number = 5;
});

body!(Flag "u8 = f32 > 0" (mut 0 flag: u8, get 1 value: f32) |_| {
    *flag = u8::from(*value > 0.0);
});

// Long bodies that call a library, as users write them.

body!(LibraryInverse "cgmath: inverse of matrix" (mut 0 result: Matrix, get 1 matrix: Matrix) |_| {
    *result = Matrix4::from(*matrix).invert().unwrap_or_else(Matrix4::identity).into();
});

body!(LibraryProduct "cgmath: matrix * matrix * matrix" (mut 0 result: Matrix, get 1 a: Matrix, get 2 b: Matrix) |_| {
    let (a, b) = (Matrix4::from(*a), Matrix4::from(*b));
    *result = (a * b * a).into();
});

body!(LibraryRotation "cgmath: quaternion * vec3" (mut 0 point: Vec3, get 1 rotation: Vec4) |_| {
    let rotation: Quaternion<f32> = (*rotation).into();
    *point = (rotation.normalize() * Vector3::from(*point)).into();
});

body!(LibrarySlerp "cgmath: slerp" (mut 0 rotation: Vec4, get 1 to: Vec4) |step| {
    let (from, to): (Quaternion<f32>, Quaternion<f32>) = ((*rotation).into(), (*to).into());
    *rotation = from.normalize().slerp(to.normalize(), step).into();
});

body!(LibraryLookAt "cgmath: look at" (mut 0 view: Matrix, get 1 eye: Vec3, get 2 target: Vec3) |_| {
    *view = Matrix4::look_at_rh(Point3::from(*eye), Point3::from(*target), Vector3::unit_y()).into();
});

body!(LibraryEuler "cgmath: quaternion of angles" (mut 0 rotation: Vec4, get 1 angles: Vec3) |_| {
    let [x, y, z] = angles.map(Rad);
    *rotation = Quaternion::from(Euler { x, y, z }).into();
});

body!(LibraryNormal "cgmath: normal by inverse transpose" (mut 0 normal: Vec3, get 1 matrix: Matrix) |_| {
    let [a, b, c] = [matrix[0], matrix[1], matrix[2]].map(|[x, y, z, _]| Vector3::new(x, y, z));
    let inverse = Matrix3::from_cols(a, b, c).invert().unwrap_or_else(Matrix3::identity);
    *normal = (inverse.transpose() * Vector3::from(*normal)).normalize().into();
});

body!(LibraryBetween "cgmath: rotation between vectors" (mut 0 rotation: Vec4, get 1 from: Vec3, get 2 to: Vec3) |_| {
    let (from, to) = (Vector3::from(*from).normalize(), Vector3::from(*to).normalize());
    *rotation = Quaternion::from_arc(from, to, None).into();
});

body!(LibraryPerspective "cgmath: perspective, vec3" (mut 0 point: Vec3, get 1 angle: f32) |_| {
    let view = cgmath::perspective(Rad(1.5 + angle / 2.0), 1.6, 0.1_f32, 100.0);
    *point = view.transform_point(Point3::from(*point)).into();
});

body!(LibrarySteering "cgmath: steering" (mut 0 position: Vec3, mut 1 velocity: Vec3, get 2 target: Vec3) |step| {
    let (at, speed) = (Vector3::from(*position), Vector3::from(*velocity));
    let wanted = (Vector3::from(*target) - at).normalize_to(2.0);
    let change = wanted - speed;
    let sideways = change - change.project_on(speed);
    let speed = speed.lerp(speed + change + sideways, step);
    *velocity = speed.into();
    *position = (at + speed * step).into();
});
