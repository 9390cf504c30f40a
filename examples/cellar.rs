//! Events and observers: damage, death, loot and a counter on the screen.
//!
//! ```text
//! cargo run --example cellar
//! ```
//!
//! A hero walks through a cellar of rats and hits each of them until it is dead. No system looks for the dead or counts coins: each
//! observer does one thing when it happens, and does not know the others.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armor(u32);
/// The coins that an entity drops when it dies.
#[derive(Component)]
struct Loot(u32);
#[derive(Component)]
struct Coins(u32);

/// Something hits an entity.
#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    damage: u32,
}

/// An entity has no health left.
#[derive(EntityEvent)]
struct Died {
    entity: Entity,
}

/// Coins are taken.
#[derive(Event)]
struct Taken {
    coins: u32,
}

/// The contents of the screen.
#[derive(Resource, Default)]
struct Screen {
    coins: u32,
    dead: u32,
    lines: Vec<String>,
}

/// It was added first, so later observers see the remaining damage.
#[observer]
fn absorb(mut hit: On<Hit>, armor: &Armor) {
    hit.damage = hit.damage.saturating_sub(armor.0);
}

/// An observer takes components of the target of the event, as a row system takes those of a row.
#[observer]
fn hurt(hit: On<Hit>, health: &mut Health, mut commands: Commands) {
    let alive = health.0 > 0;
    health.0 = health.0.saturating_sub(hit.damage);
    if alive && health.0 == 0 {
        commands.trigger(Died { entity: hit.entity });
    }
}

/// The commands are applied after all observers have run, so `count` still finds the entity.
#[observer]
fn bury(died: On<Died>, loot: Option<&Loot>, mut commands: Commands) {
    if let Some(loot) = loot {
        commands.spawn(Coins(loot.0));
    }
    commands.entity(died.entity).despawn();
}

#[observer]
fn count(_: On<Died>, mut screen: ResMut<Screen>) {
    screen.dead += 1;
}

#[observer]
fn earn(taken: On<Taken>, mut screen: ResMut<Screen>) {
    screen.coins += taken.coins;
    let line = format!("{:>3} coins, {} dead", screen.coins, screen.dead);
    screen.lines.push(line);
}

/// An observer of one entity: of the king of the rats, that is.
#[observer]
fn proclaim(_: On<Died>, mut screen: ResMut<Screen>) {
    screen.lines.push("The king of the rats is dead.".into());
}

/// The hero hits whatever is alive.
#[system]
fn fight(rats: Query<Entity, With<Health>>, mut commands: Commands) {
    for entity in &rats {
        commands.trigger(Hit { entity, damage: 3 });
    }
}

#[system]
fn collect(coins: Query<(Entity, &Coins)>, mut commands: Commands) {
    for (entity, coins) in &coins {
        commands.trigger(Taken { coins: coins.0 });
        commands.entity(entity).despawn();
    }
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Screen>();
    world.add_observer(absorb);
    world.add_observer(hurt);
    world.add_observer(bury);
    world.add_observer(count);
    world.add_observer(earn);

    world.spawn_batch((1..=4).map(|number| (Health(2 * number), Loot(number))));
    world.spawn((Health(9), Armor(1), Loot(50))).observe(proclaim);

    let mut schedule = Schedule::default();
    schedule.add_systems((fight, collect).chain());
    for _ in 0..6 {
        schedule.run(&mut world);
    }
    let screen = world.resource::<Screen>();
    for line in &screen.lines {
        println!("{line}");
    }
    assert_eq!((screen.coins, screen.dead), (60, 5));
}
