//! A tree of 100,000 nodes in the wind: places that are handed down a hierarchy.
//!
//! ```text
//! cargo run --release --example scene
//! cargo run --release --example scene -- --nodes 20000 --steps 200 --out small.gif
//! ```
//!
//! Each node has a place relative to its parent. Gusts turn some branches, and `place` hands that down: it is
//! `#[system(down = ChildOf, changed(Local))]`, so that it runs for what is below a branch that has moved and for no other node. The
//! program draws the animation `scene.gif`, and checks all places against a computation by recursion in the end.

use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::time::Instant;

use gif::{Encoder, Frame, Repeat};
use lexopt::ValueExt as _;
use strata_ecs::prelude::*;

/// Children of each node.
const BRANCHES: usize = 4;
const WIDTH: usize = 360;
const HEIGHT: usize = 300;

/// Where a node is, seen from its parent: how much it is turned, how far along the parent's branch it begins, and how long it is.
#[derive(Component, Clone, Copy)]
struct Local {
    angle: f32,
    along: f32,
    length: f32,
}

/// Where a node is in the picture: the two ends of its branch, its direction and its length.
#[derive(Component, Clone, Copy, Default, PartialEq, Debug)]
struct Place {
    from: [f32; 2],
    to: [f32; 2],
    angle: f32,
    length: f32,
}

/// A branch that the wind turns, and how far it is from where it grew.
#[derive(Component)]
struct Swinging {
    rest: f32,
    speed: f32,
}

impl Local {
    /// The place of a node whose parent is there.
    fn below(self, parent: Option<&Place>) -> Place {
        let ground = Place { from: [0.5, 0.0], to: [0.5, 0.0], angle: std::f32::consts::FRAC_PI_2, length: 1.0 };
        let parent = parent.unwrap_or(&ground);
        let (angle, length) = (parent.angle + self.angle, parent.length * self.length);
        let from = [0, 1].map(|at| parent.from[at] + (parent.to[at] - parent.from[at]) * self.along);
        let to = [from[0] + angle.cos() * length, from[1] + angle.sin() * length];
        Place { from, to, angle, length }
    }
}

/// How many nodes have been placed, in all steps.
#[derive(Resource, Default)]
struct Placed(u64);
#[derive(Resource)]
struct Random(oorandom::Rand32);
#[derive(Resource)]
struct Picture(Vec<u8>);

/// A gust hits one branch in five hundred.
#[system]
fn blow(swinging: &mut Swinging, mut random: ResMut<Random>) {
    if random.0.rand_range(0..500) == 0 {
        swinging.speed += (random.0.rand_float() - 0.5) * 0.2;
    }
}

/// A branch that swings comes back to where it grew, and to rest. `Mut` notes which branches have moved.
#[system]
fn swing(mut local: Mut<Local>, swinging: &mut Swinging) {
    let away = local.angle - swinging.rest;
    if swinging.speed.abs() + away.abs() > 1e-4 {
        swinging.speed = swinging.speed * 0.93 - away * 0.06;
        local.angle += swinging.speed;
    }
}

/// Parents come before their children, and what has not moved is passed over.
#[system(down = ChildOf, changed(Local))]
fn place(local: &Local, place: &mut Place, #[parent] parent: Option<&Place>, mut placed: ResMut<Placed>) {
    *place = local.below(parent);
    placed.0 += 1;
}

/// Draws each branch as a line. The colour says how long it is.
#[system]
fn draw(place: &Place, mut picture: ResMut<Picture>) {
    let colour = match place.length {
        0.05.. => 1,
        0.02.. => 2,
        0.008.. => 3,
        _ => 4,
    };
    let size = WIDTH.min(HEIGHT) as f32;
    let points = (place.length * size) as usize + 1;
    for point in 0..=points {
        let part = point as f32 / points as f32;
        let [x, y] = [0, 1].map(|at| (place.from[at] + (place.to[at] - place.from[at]) * part) * size);
        let (x, y) = (x + (WIDTH as f32 - size) / 2.0, HEIGHT as f32 - 1.0 - y);
        if x >= 0.0 && y >= 0.0 && (x as usize) < WIDTH && (y as usize) < HEIGHT {
            picture.0[y as usize * WIDTH + x as usize] = colour;
        }
    }
}

/// Sky, trunk, branches, twigs, leaves.
const PALETTE: [u8; 15] = [22, 26, 40, 110, 78, 54, 136, 98, 62, 96, 128, 66, 134, 176, 80];

/// Grows a tree level by level.
fn grow(world: &mut World, nodes: usize) -> Entity {
    let mut random = oorandom::Rand32::new(7);
    let mut between = move |low: f32, high: f32| low + (high - low) * random.rand_float();
    let trunk = Local { angle: 0.0, along: 0.0, length: 0.3 };
    let root = world.spawn((trunk, Place::default())).id();
    let mut open = VecDeque::from([root]);
    for node in 1..nodes {
        let parent = open[0];
        let nth = (node - 1) % BRANCHES;
        let angle = (nth as f32 - 1.5) * 0.55 + between(-0.15, 0.15);
        let local = Local { angle, along: between(0.55, 1.0), length: between(0.5, 0.68) };
        let mut entity = world.spawn((local, Place::default(), ChildOf(parent)));
        // The trunk stands, and leaves do not swing by themselves.
        if (21..nodes / 10).contains(&node) {
            entity.insert(Swinging { rest: angle, speed: 0.0 });
        }
        open.push_back(entity.id());
        if nth == BRANCHES - 1 {
            open.pop_front();
        }
    }
    root
}

/// The same by recursion: how many nodes there are, and whether all of them are where they should be.
fn check(world: &World, node: Entity, parent: Option<&Place>) -> Result<usize, String> {
    let (local, place) = (world.get::<Local>(node).copied(), world.get::<Place>(node));
    let (Some(local), Some(place)) = (local, place) else { return Err(format!("node {node} is not whole")) };
    if local.below(parent) != *place {
        return Err(format!("node {node} is at {place:?}, and not at {:?}", local.below(parent)));
    }
    let children = world.get::<Children>(node).into_iter().flat_map(|children| children.iter());
    children.map(|child| check(world, child, Some(place))).try_fold(1, |sum, below| Ok(sum + below?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut nodes, mut steps, mut out) = (100_000_usize, 120_u32, String::from("scene.gif"));
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("nodes") => nodes = arguments.value()?.string()?.parse()?,
            lexopt::Arg::Long("steps") => steps = arguments.value()?.string()?.parse()?,
            lexopt::Arg::Long("out") => out = arguments.value()?.string()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let mut world = World::new();
    world.insert_resource(Placed::default());
    world.insert_resource(Random(oorandom::Rand32::new(1)));
    world.insert_resource(Picture(vec![0; WIDTH * HEIGHT]));
    let root = grow(&mut world, nodes.max(1));
    let mut moving = Schedule::default();
    moving.add_systems((blow, swing, place).chain());
    let mut drawing = Schedule::default();
    drawing.add_systems(draw);

    let mut encoder = Encoder::new(File::create(&out)?, WIDTH as u16, HEIGHT as u16, &PALETTE)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut took = std::time::Duration::ZERO;
    for _ in 0..steps {
        let start = Instant::now();
        moving.run(&mut world);
        took += start.elapsed();
        world.resource_mut::<Picture>().0.fill(0);
        drawing.run(&mut world);
        let pixels = world.resource::<Picture>().0.clone();
        let mut frame = Frame::from_indexed_pixels(WIDTH as u16, HEIGHT as u16, pixels, None);
        frame.delay = 4;
        encoder.write_frame(&frame)?;
    }
    let checked = check(&world, root, None)?;
    let placed = world.resource::<Placed>().0 as f64 / f64::from(steps.max(1));
    println!("{checked} nodes are where they are by recursion, too; {placed:.0} of them were placed in a step");
    println!("{:.2} ms a step, {steps} steps in {out}", took.as_secs_f64() * 1e3 / f64::from(steps.max(1)));
    Ok(())
}
