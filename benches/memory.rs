//! Prints the memory that a world uses in addition to the data, in bytes; nothing is timed.
//!
//! A counting allocator includes spare capacity, so that it counts as bookkeeping too. Therefore the entity counts are printed next to the
//! figures: at a power of two, growth by doubling leaves no spare capacity.

#![expect(unsafe_code, reason = "an allocator that counts has to be an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::prelude::*;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; the counter does not influence it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: forwarded: the caller of `alloc` ensures that `layout` has a non-zero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `System` with this layout, since `alloc` above passes both on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of bytes that are allocated now.
fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

#[derive(Clone, Copy, Component)]
struct Position([f32; 3]);

#[derive(Clone, Copy, Component)]
struct Velocity([f32; 3]);

#[derive(Component)]
#[component(storage = "sparse")]
struct Stunned;

/// One of a thousand components, numbered by three digits.
#[derive(Component)]
struct Numbered<const A: u8, const B: u8, const C: u8>;

macro_rules! each_digit {
    ($digit:ident => $($work:tt)*) => { each_digit!(@ $digit [0 1 2 3 4 5 6 7 8 9] { $($work)* }) };
    (@ $digit:ident [$($value:literal)*] $work:tt) => { $({ const $digit: u8 = $value; each_digit!(# $work); })* };
    (# { $($work:tt)* }) => { $($work)* };
}

fn main() {
    entities();
    tables();
}

fn entities() {
    println!("| entities with 24 bytes of data | spawned | bookkeeping, bytes an entity |");
    println!("|---|---|---|");
    for count in [1 << 16, 1_000_000, 1 << 20] {
        let row = || (Position([0.0; 3]), Velocity([0.0; 3]));
        print_entities(count, "one by one", |world| {
            for _ in 0..count {
                world.spawn(row());
            }
        });
        print_entities(count, "spawn_batch", |world| {
            world.spawn_batch((0..count).map(|_| row()));
        });
        print_entities(count, "one by one, half of them with a sparse tag", |world| {
            for number in 0..count {
                let mut entity = world.spawn(row());
                if number % 2 == 0 {
                    entity.insert(Stunned);
                }
            }
        });
    }
}

fn print_entities(count: usize, how: &str, fill: impl FnOnce(&mut World)) {
    let before = live();
    let mut world = World::new();
    fill(&mut world);
    assert_eq!(black_box(&world).len(), count);
    let bytes = (live() - before) as f64 / count as f64 - 24.0;
    println!("| {count} | {how} | {bytes:.1} |");
}

/// Tables of one entity each, with `Position` and every subset of seven of the numbered components.
fn tables() {
    println!();
    println!("| registered components | bytes a table, rows and edges included |");
    println!("|---|---|");
    for all in [false, true] {
        let mut world = World::new();
        if all {
            register_all(&mut world);
        }
        world.register_component::<Position>();
        register_seven(&mut world);
        let registered = world.components().len();
        let before = live();
        for mask in 0..128_u8 {
            let mut entity = world.spawn(Position([0.0; 3]));
            insert_subset(&mut entity, mask);
        }
        println!("| {registered} | {:.0} |", (live() - before) as f64 / 128.0);
    }
}

fn register_all(world: &mut World) {
    each_digit!(A => register_hundred::<A>(world));
}

fn register_hundred<const A: u8>(world: &mut World) {
    each_digit!(B => register_ten::<A, B>(world));
}

fn register_ten<const A: u8, const B: u8>(world: &mut World) {
    each_digit!(C => { world.register_component::<Numbered<A, B, C>>(); });
}

macro_rules! seven {
    ($($number:literal)*) => {
        fn register_seven(world: &mut World) {
            $(world.register_component::<Numbered<0, 0, $number>>();)*
        }

        fn insert_subset(entity: &mut EntityWorldMut<'_>, mask: u8) {
            $(if mask & (1 << $number) != 0 {
                entity.insert(Numbered::<0, 0, $number>);
            })*
        }
    };
}

seven!(0 1 2 3 4 5 6);
