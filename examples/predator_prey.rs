//! Predators that hunt: pairs of entities, with a value, that end when the prey does.
//!
//! ```text
//! cargo run --release --example predator_prey
//! cargo run --release --example predator_prey -- --predators 1000 --prey 5000 --ticks 2000 --out small.gif
//! ```
//!
//! A predator without prey picks one, which is a pair of the relation `Hunting`. `pursue` and `catch` run once for each pair and get what the
//! target has; `fear` looks at the pairs of each prey from the other side. A prey that is caught is despawned, and that ends all of its
//! pairs: their hunters pick another one, without any code for it. The program draws `predator_prey.gif` and prints what a tick took.

use std::error::Error;
use std::fs::File;
use std::time::{Duration, Instant};

use gif::{Encoder, Frame, Repeat};
use lexopt::ValueExt as _;
use strata_ecs::event::RemovedRelations;
use strata_ecs::prelude::*;
use strata_ecs::relation::PairSource;

/// The prey is in a square of this size, and the predators come from a corner of it.
const FIELD: f32 = 20.0;
const DEN: f32 = 2.0;
/// Points of the picture for each unit of the field.
const SCALE: f32 = 16.0;
const SIZE: usize = (FIELD * SCALE) as usize;

#[derive(Component, Clone, Copy)]
struct Position([f32; 2]);
#[derive(Component, Clone, Copy)]
struct Velocity([f32; 2]);
#[derive(Component)]
struct Predator;
/// A prey, and how many are after it.
#[derive(Component)]
struct Prey {
    hunters: usize,
}

/// A predator is after one prey, since a tick.
#[derive(Relation)]
#[relation(exclusive)]
struct Hunting {
    since: u32,
}

#[derive(Resource, Default)]
struct Tick(u32);
#[derive(Resource)]
struct Random(oorandom::Rand32);
/// The results of the hunts so far.
#[derive(Resource, Default)]
struct Report {
    caught: u64,
    ended: u64,
    ticks_hunted: u64,
    most_hunters: usize,
}

impl Random {
    fn place(&mut self, size: f32) -> Position {
        Position([0; 2].map(|_| self.0.rand_float() * size))
    }
}

#[system]
fn travel(at: &mut Position, velocity: &Velocity) {
    at.0 = [0, 1].map(|axis| at.0[axis] + velocity.0[axis]);
}

/// Each predator that has nothing to hunt picks a prey that is alive.
fn pick(
    idle: Query<'_, '_, Entity, (With<Predator>, Without<PairSource<Hunting>>)>,
    prey: Query<'_, '_, Entity, With<Prey>>,
    (mut random, tick): (ResMut<'_, Random>, Res<'_, Tick>),
    mut herd: Local<'_, Vec<Entity>>,
    mut commands: Commands<'_, '_>,
) {
    herd.clear();
    for predator in &idle {
        if herd.is_empty() {
            herd.extend(&prey);
        }
        if !herd.is_empty() {
            let target = herd[random.0.rand_range(0..herd.len() as u32) as usize];
            commands.entity(predator).relate(Hunting { since: tick.0 }, target);
        }
    }
}

/// Runs once for each hunt: the row is the predator.
#[system(pairs = Hunting)]
fn pursue(velocity: &mut Velocity, at: &Position, #[target] prey: &Position) {
    let way = [0, 1].map(|axis| prey.0[axis] - at.0[axis]);
    let length = (way[0] * way[0] + way[1] * way[1]).sqrt().max(1e-6);
    velocity.0 = way.map(|part| part / length * 0.1);
}

/// Prey knows how many are after it: the same pairs, seen from the target.
fn fear(mut all: Query<'_, '_, (&mut Prey, Option<PairsTo<&Hunting>>)>, mut report: ResMut<'_, Report>) {
    all.iter_mut().for_each(|(mut prey, hunts)| {
        prey.hunters = hunts.map_or(0, |hunts| hunts.len());
        report.most_hunters = report.most_hunters.max(prey.hunters);
    });
}

/// A predator that is near enough catches its prey. Another one may be as near.
#[system(pairs = Hunting)]
fn catch(at: &Position, #[target] prey: Entity, #[target] prey_at: &Position, mut commands: Commands<'_, '_>) {
    let [x, y] = [0, 1].map(|axis| prey_at.0[axis] - at.0[axis]);
    if x * x + y * y <= 0.25 {
        commands.entity(prey).try_despawn();
    }
}

/// Makes up for the prey that was caught.
fn breed(
    prey: Query<'_, '_, (), With<Prey>>,
    herd: Res<'_, Herd>,
    (mut random, mut report): (ResMut<'_, Random>, ResMut<'_, Report>),
    mut commands: Commands<'_, '_>,
) {
    for _ in prey.count()..herd.0 {
        report.caught += 1;
        commands.spawn((Prey { hunters: 0 }, random.place(FIELD), Velocity([0.0; 2])));
    }
}

/// How many there should be.
#[derive(Resource)]
struct Herd(usize);

/// Hunts that have ended, each with its value.
fn conclude(mut ended: RemovedRelations<'_, '_, Hunting>, mut report: ResMut<'_, Report>, mut tick: ResMut<'_, Tick>) {
    for hunt in ended.read() {
        report.ended += 1;
        report.ticks_hunted += u64::from(tick.0 - hunt.relation.since);
    }
    tick.0 += 1;
}

/// The field from above: who hunts is joined with its prey by a line.
fn draw(all: Query<'_, '_, (&Position, Has<Predator>)>, hunts: Query<'_, '_, (&Position, Pairs<&Hunting>)>) -> Vec<u8> {
    let mut picture = vec![0; SIZE * SIZE];
    let mut dot = |[x, y]: [f32; 2], colour: u8, size: usize| {
        let [x, y] = [x, y].map(|part| (part * SCALE) as usize);
        for (x, y) in (0..size).flat_map(|dx| (0..size).map(move |dy| (x + dx, y + dy))) {
            if x < SIZE && y < SIZE {
                picture[y * SIZE + x] = colour;
            }
        }
    };
    for (at, pairs) in &hunts {
        for (prey, _) in pairs {
            let Ok((goal, _)) = all.get(prey) else { continue };
            for step in 0..48 {
                let part = step as f32 / 48.0;
                dot([0, 1].map(|axis| at.0[axis] + (goal.0[axis] - at.0[axis]) * part), 1, 1);
            }
        }
    }
    for (at, is_predator) in &all {
        dot(at.0, if is_predator { 3 } else { 2 }, if is_predator { 3 } else { 2 });
    }
    picture
}

/// Night, trails, prey, predators.
const PALETTE: [u8; 12] = [18, 22, 30, 52, 58, 66, 142, 190, 110, 226, 88, 70];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut predators, mut prey, mut ticks) = (500_usize, 2_000_usize, 1_000_u32);
    let mut out = String::from("predator_prey.gif");
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("predators") => predators = arguments.value()?.string()?.parse()?,
            lexopt::Arg::Long("prey") => prey = arguments.value()?.string()?.parse()?,
            lexopt::Arg::Long("ticks") => ticks = arguments.value()?.string()?.parse()?,
            lexopt::Arg::Long("out") => out = arguments.value()?.string()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let mut world = World::new();
    let mut random = Random(oorandom::Rand32::new(5));
    let mut place = |size| (random.place(size), Velocity([0.0; 2]));
    world.spawn_batch((0..predators).map(|_| (Predator, place(DEN))).collect::<Vec<_>>());
    world.spawn_batch((0..prey).map(|_| (Prey { hunters: 0 }, place(FIELD))).collect::<Vec<_>>());
    world.insert_resource(random);
    world.insert_resource(Herd(prey));
    world.init_resource::<Report>();
    world.init_resource::<Tick>();
    let mut schedule = Schedule::default();
    schedule.add_systems((travel, pick, pursue, fear, catch, breed, conclude).chain());

    let mut encoder = Encoder::new(File::create(&out)?, SIZE as u16, SIZE as u16, &PALETTE)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut took = Duration::ZERO;
    for tick in 0..ticks {
        let start = Instant::now();
        schedule.run(&mut world);
        took += start.elapsed();
        // A picture of each sixth tick of the first ones.
        if tick < 300 && tick % 6 == 0 {
            let pixels = world.run_system_once(draw)?;
            let mut frame = Frame::from_indexed_pixels(SIZE as u16, SIZE as u16, pixels, None);
            frame.delay = 5;
            encoder.write_frame(&frame)?;
        }
    }
    // Both sides of all pairs agree, and all else that the world says of itself.
    world.check_invariants();
    let hunts = world.pairs::<Hunting>().count();
    let report = world.resource::<Report>();
    let mean = report.ticks_hunted as f64 / report.ended.max(1) as f64;
    println!("{} prey caught; {} hunts have ended, after {mean:.1} ticks; {hunts} go on", report.caught, report.ended);
    println!("at most {} predators were after one prey", report.most_hunters);
    println!("{:.1} us a tick, {ticks} ticks; picture in {out}", took.as_secs_f64() * 1e6 / f64::from(ticks.max(1)));
    Ok(())
}
