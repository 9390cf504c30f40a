//! The components of the workloads: plain data that the baselines store in vectors and the library in its columns.

use strata_ecs::prelude::*;

/// Three lanes, as in most games' positions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Vec3 {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

impl Vec3 {
    pub(crate) const fn splat(value: f32) -> Self {
        Self { x: value, y: value, z: value }
    }

    #[inline]
    pub(crate) fn add(&mut self, other: Self) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }

    #[inline]
    pub(crate) fn scaled(self, factor: f32) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline]
    pub(crate) fn clamp(&mut self, least: f32, most: f32) {
        self.x = self.x.clamp(least, most);
        self.y = self.y.clamp(least, most);
        self.z = self.z.clamp(least, most);
    }
}

/// A 64-byte matrix that the loops do not access.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Transform([[f32; 4]; 4]);

/// Written by the loops.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Position(pub(crate) Vec3);

/// Not accessed by the loops.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Rotation(Vec3);

/// Read by the loops.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Velocity(pub(crate) Vec3);

/// The components of one entity of `simple_iter` and `spawn`.
pub(crate) type Body = (Transform, Position, Rotation, Velocity);

/// The values of every [`Body`].
pub(crate) const BODY: Body = (
    Transform([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]),
    Position(Vec3 { x: 1.0, y: 0.0, z: 0.0 }),
    Rotation(Vec3 { x: 1.0, y: 0.0, z: 0.0 }),
    Velocity(Vec3 { x: 1.0, y: 0.0, z: 0.0 }),
);

/// The component that the fragmented workloads write, and its factor: one type for each copy of the code, see [`placed`](super::placed).
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Data<const COPY: usize>(pub(crate) f32);

impl<const COPY: usize> Data<COPY> {
    /// Each copy has another factor, so that the compiler cannot merge their functions.
    const FACTOR: f32 = [1.5, 1.25, 1.75, 1.125][COPY];

    #[inline]
    pub(crate) fn scale(&mut self) {
        self.0 *= Self::FACTOR;
    }
}

/// As [`Data`], in sparse storage.
#[derive(Clone, Copy, Component, Debug)]
#[component(storage = "sparse")]
pub(crate) struct SparseData<const COPY: usize>(pub(crate) f32);

impl<const COPY: usize> SparseData<COPY> {
    #[inline]
    pub(crate) fn scale(&mut self) {
        self.0 *= Data::<COPY>::FACTOR;
    }
}

/// One of many components that scatter entities over tables.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Fragment<const N: u8>(pub(crate) f32);

/// One of the eight columns of `wide_iter`.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Wide<const N: u8>(pub(crate) Vec3);

/// The component that the entities of `add_remove` keep.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Kept(pub(crate) f32);

/// The component that is added to and removed from the entities of `add_remove`.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Extra(pub(crate) f32);

/// As [`Extra`], in sparse storage.
#[derive(Clone, Copy, Component, Debug)]
#[component(storage = "sparse")]
pub(crate) struct SparseExtra(pub(crate) f32);

/// Four bytes of a [`Mixed`].
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Heat(f32);

/// Sixteen bytes of a [`Mixed`].
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Orientation([f32; 4]);

/// One byte of a [`Mixed`].
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Team(u8);

/// Eight bytes of a [`Mixed`].
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Serial(u64);

/// The components that the entities of the second `add_remove` keep: six components of six sizes.
pub(crate) type Mixed = (Heat, Position, Orientation, Team, Serial, Transform);

/// The values of every [`Mixed`].
pub(crate) const MIXED: Mixed = (Heat(1.0), BODY.1, Orientation([0.0, 0.0, 0.0, 1.0]), Team(1), Serial(1), BODY.0);

/// The first component that the commands insert.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Speed(pub(crate) f32);

/// The second component that the commands insert.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Goal(pub(crate) Vec3);

/// The third component that the commands insert.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Tint(pub(crate) [f32; 4]);

/// The component that the commands remove.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Asleep(pub(crate) u64);

/// Shuffles identically in every run (Fisher-Yates over a 64-bit linear congruential generator with Knuth's constants).
pub(crate) fn shuffle<T>(items: &mut [T]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(last, (state >> 33) as usize % (last + 1));
    }
}
