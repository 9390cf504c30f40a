//! Predators that hunt prey, tick by tick; the third of the project's original workloads. Predators start in a corner of the field, pick a
//! random prey and approach it. A predator that is near enough catches its prey, and a new prey replaces it. Prey counts its hunters, and
//! finished hunts are counted.

use crate::support::{Sample, repeated};

pub(crate) const PREDATORS: usize = 500;
pub(crate) const PREY: usize = 2_000;

/// Pseudo-random numbers, the same for all contestants.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count
    }

    /// The initial position of a predator.
    pub(crate) fn den(&mut self) -> [f32; 2] {
        self.place(2.0)
    }

    /// The initial position of a prey.
    pub(crate) fn field(&mut self) -> [f32; 2] {
        self.place(20.0)
    }

    fn place(&mut self, size: f32) -> [f32; 2] {
        [0; 2].map(|_| self.next() as f32 / (1_u64 << 31) as f32 * size)
    }
}

#[inline(always)]
pub(crate) fn moved(at: [f32; 2], velocity: [f32; 2]) -> [f32; 2] {
    [at[0] + velocity[0], at[1] + velocity[1]]
}

#[inline(always)]
pub(crate) fn towards(from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    let scale = 0.1 / (x * x + y * y).sqrt().max(1e-6);
    [x * scale, y * scale]
}

#[inline(always)]
pub(crate) fn is_near(a: [f32; 2], b: [f32; 2]) -> bool {
    let [x, y] = [b[0] - a[0], b[1] - a[1]];
    x * x + y * y <= 0.25
}

/// The results of the hunts: the number of finished hunts, and of caught prey.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) ended: u64,
    pub(crate) caught: u64,
}

/// Checks that there is work: hunts have finished after some ticks. If several predators hunt the caught prey, all of their hunts finish.
pub(crate) fn check(tally: Tally) {
    assert!(tally.caught > 0 && tally.ended >= tally.caught, "{} hunts ended with {} prey", tally.ended, tally.caught);
}

/// Ticks before timing starts: enough for predators to be among the prey.
pub(crate) const FIRST_TICKS: usize = 300;

/// Vectors, and for each prey a list of its hunters.
#[derive(Default)]
struct ByHand {
    at: Vec<[f32; 2]>,
    velocity: Vec<[f32; 2]>,
    prey: Vec<Option<(usize, u32)>>,
    prey_at: Vec<[f32; 2]>,
    prey_velocity: Vec<[f32; 2]>,
    hunters: Vec<Vec<u32>>,
    count: Vec<u32>,
    ended: Vec<(u32, u32)>,
    caught: Vec<usize>,
}

impl ByHand {
    fn tick(&mut self, random: &mut Random, now: u32, tally: &mut Tally) {
        let Self { at, velocity, prey, prey_at, prey_velocity, hunters, count, ended, caught } = self;
        at.iter_mut().zip(&*velocity).for_each(|(at, &velocity)| *at = moved(*at, velocity));
        prey_at.iter_mut().zip(&*prey_velocity).for_each(|(at, &velocity)| *at = moved(*at, velocity));
        for (predator, prey) in prey.iter_mut().enumerate().filter(|(_, prey)| prey.is_none()) {
            let target = random.below(PREY);
            hunters[target].push(predator as u32);
            *prey = Some((target, now));
        }
        for ((velocity, &at), prey) in velocity.iter_mut().zip(&*at).zip(&*prey) {
            if let Some((target, _)) = *prey {
                *velocity = towards(at, prey_at[target]);
            }
        }
        count.iter_mut().zip(&*hunters).for_each(|(count, hunters)| *count = hunters.len() as u32);
        for (&at, prey) in at.iter().zip(&*prey) {
            if let Some((target, _)) = *prey
                && is_near(at, prey_at[target])
            {
                caught.push(target);
            }
        }
        for target in caught.drain(..) {
            if hunters[target].is_empty() {
                continue;
            }
            for predator in hunters[target].drain(..) {
                let since = prey[predator as usize].take().map_or(0, |(_, since)| since);
                ended.push((predator, since));
            }
            // A new prey takes its place.
            tally.caught += 1;
            prey_at[target] = random.field();
        }
        tally.ended += ended.drain(..).filter(|&(_, since)| since <= now).count() as u64;
    }
}

pub(super) fn by_hand() -> Sample {
    let mut random = Random::new();
    let mut world = ByHand {
        at: (0..PREDATORS).map(|_| random.den()).collect(),
        velocity: vec![[0.0; 2]; PREDATORS],
        prey: vec![None; PREDATORS],
        prey_at: (0..PREY).map(|_| random.field()).collect(),
        prey_velocity: vec![[0.0; 2]; PREY],
        hunters: vec![Vec::new(); PREY],
        count: vec![0; PREY],
        ..ByHand::default()
    };
    let (mut tally, mut now) = (Tally::default(), 0);
    let mut tick = move || {
        now += 1;
        world.tick(&mut random, now, &mut tally);
        tally
    };
    (0..FIRST_TICKS).for_each(|_| _ = tick());
    check(tick());
    repeated(move || _ = std::hint::black_box(tick()))
}
