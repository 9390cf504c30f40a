//! What a step does to the world and to the model.

use std::collections::BTreeSet;

use strata_ecs::prelude::*;

use super::Model;
use crate::consumers::{ASIDE, HEALTH, MARKED, NEEDY, OTHER, Row, Stamp, TAG};
use crate::operations::Who;
use crate::parts::{Aside, Health, Marked, Needy, Other, Tag};

/// The bundles that are inserted and removed.
macro_rules! with_bundle {
    ($number:expr, $B:ident => $body:expr) => {
        match $number % 10 {
            0 => {
                type $B = Health;
                $body
            }
            1 => {
                type $B = (Health, Other);
                $body
            }
            2 => {
                type $B = Aside;
                $body
            }
            3 => {
                type $B = (Tag, Health);
                $body
            }
            4 => {
                type $B = Marked;
                $body
            }
            5 => {
                type $B = Other;
                $body
            }
            6 => {
                type $B = (Aside, Marked, Tag);
                $body
            }
            7 => {
                type $B = Needy;
                $body
            }
            8 => {
                type $B = (Needy, Health);
                $body
            }
            _ => {
                type $B = (Other, Marked);
                $body
            }
        }
    };
}

fn contents(bundle: u8) -> &'static [usize] {
    match bundle % 10 {
        0 => &[HEALTH],
        1 => &[HEALTH, OTHER],
        2 => &[ASIDE],
        3 => &[TAG, HEALTH],
        4 => &[MARKED],
        5 => &[OTHER],
        6 => &[ASIDE, MARKED, TAG],
        7 => &[NEEDY],
        8 => &[NEEDY, HEALTH],
        _ => &[OTHER, MARKED],
    }
}

/// Adds a bundle to an entity of the model.
fn insert(row: &mut Row, bundle: u8, now: u64, only_new: bool) {
    let new = Stamp { added: now, changed: now };
    for &component in contents(bundle) {
        match &mut row[component] {
            Some(_) if only_new => {}
            Some(stamp) => stamp.changed = now,
            place => *place = Some(new),
        }
    }
    if contents(bundle).contains(&NEEDY) {
        for component in [HEALTH, ASIDE] {
            row[component].get_or_insert(new);
        }
    }
}

#[system]
fn sweep(health: &mut Health) {
    health.0 = health.0.wrapping_add(1);
}

#[system(without(Tag))]
fn sweep_some(health: &mut Health, _: &Other) {
    health.0 = health.0.wrapping_add(1);
}

#[system]
fn sweep_aside(aside: &mut Aside) {
    aside.0 = aside.0.wrapping_add(1);
}

#[system]
fn thirds(mut health: Mut<Health>) {
    if health.0.is_multiple_of(3) {
        health.0 += 1;
    }
}

impl Model {
    pub(super) fn spawn(&mut self, count: usize, bundle: u8, how: u8) {
        let now = self.now();
        let world = &mut self.world;
        let new: Vec<Entity> = with_bundle!(bundle, B => match how % 5 {
            0 => world.spawn_batch((0..count).map(|_| B::default())).collect(),
            1 => (0..count).map(|_| world.spawn(B::default()).id()).collect(),
            2 => (0..count).map(|_| {
                world.spawn_dynamic(EntityBuilder::new().add_bundle(B::default())).id()
            }).collect(),
            3 => {
                let mut commands = world.commands();
                let new = (0..count).map(|_| commands.spawn(B::default()).id()).collect();
                world.flush();
                new
            }
            _ => {
                let mut commands = world.commands();
                let new = (0..count).map(|_| commands.spawn_empty().insert(B::default()).id()).collect();
                world.flush();
                new
            }
        });
        assert_eq!(new.len(), count);
        for entity in new {
            let mut row = Row::default();
            insert(&mut row, bundle, now, false);
            assert!(self.rows.insert(entity, row).is_none());
        }
    }

    pub(super) fn despawn(&mut self, who: &Who) {
        let who = self.chosen(who);
        if who.len().is_multiple_of(2) {
            self.world.many(&who).despawn();
        }
        for entity in who {
            self.rows.remove(&entity);
            self.world.despawn(entity);
        }
    }

    pub(super) fn write(&mut self, who: &Who, how: u8) {
        let now = self.now();
        for entity in self.chosen(who) {
            let row = self.rows[&entity];
            let component = [HEALTH, HEALTH, ASIDE, TAG, MARKED][how as usize % 5];
            if row[component].is_none() {
                continue;
            }
            match how % 5 {
                0 => self.world.get_mut::<Health>(entity).expect("present").0 += 1,
                1 => *self.world.query::<&mut Health>().get_mut(&mut self.world, entity).expect("present") = Health(9),
                2 => self.world.entity_mut(entity).get_mut::<Aside>().expect("present").0 += 1,
                3 => self.world.get_mut::<Tag>(entity).expect("present").set_changed(),
                _ => *self.world.get_mut::<Marked>(entity).expect("present") = Marked,
            }
            self.change(entity, component, now);
        }
    }

    pub(super) fn write_each(&mut self, nth: usize, how: u8) {
        let now = self.now();
        let mut written = Vec::new();
        if how.is_multiple_of(2) {
            let mut query = self.world.query::<(Entity, &mut Health)>();
            for (entity, mut health) in query.iter_mut(&mut self.world).step_by(nth) {
                health.0 += 1;
                written.push((entity, HEALTH));
            }
        } else {
            let mut query = self.world.query::<(Entity, Mut<Aside>)>();
            for (entity, mut aside) in query.iter_mut(&mut self.world).step_by(nth) {
                aside.0 += 1;
                written.push((entity, ASIDE));
            }
        }
        written.into_iter().for_each(|(entity, component)| self.change(entity, component, now));
    }

    pub(super) fn sweep(&mut self, how: u8) {
        let now = self.now();
        let world = &mut self.world;
        let thirds_of =
            |entity: Entity, world: &World| world.get::<Health>(entity).is_some_and(|health| health.0 % 3 == 0);
        let third: BTreeSet<Entity> = self.rows.keys().copied().filter(|&entity| thirds_of(entity, world)).collect();
        let mut schedule = Schedule::default();
        let (component, changes): (usize, fn(&Row, bool) -> bool) = match how % 5 {
            0 => {
                schedule.add_systems(sweep);
                (HEALTH, |_, _| true)
            }
            1 => {
                schedule.add_systems(sweep_some);
                (HEALTH, |row, _| row[TAG].is_none() && row[OTHER].is_some())
            }
            2 => {
                schedule.add_systems(sweep_aside);
                (ASIDE, |_, _| true)
            }
            3 => {
                schedule.add_systems(thirds);
                (HEALTH, |_, third| third)
            }
            _ => {
                let mut query = world.query_filtered::<&mut Health, Without<Tag>>();
                for slice in query.contiguous_iter_mut(world) {
                    slice[0].0 += 1;
                }
                (HEALTH, |row, _| row[TAG].is_none())
            }
        };
        schedule.run(world);
        for (entity, row) in &mut self.rows {
            if row[component].is_some() && changes(row, third.contains(entity)) {
                row[component].as_mut().expect("asked").changed = now;
            }
        }
    }

    pub(super) fn insert(&mut self, who: &Who, bundle: u8, how: u8) {
        let now = self.now();
        let who = self.chosen(who);
        let world = &mut self.world;
        with_bundle!(bundle, B => match how % 7 {
            0 => who.iter().for_each(|&entity| { world.entity_mut(entity).insert(B::default()); }),
            1 => who.iter().for_each(|&entity| { world.entity_mut(entity).insert_if_new(B::default()); }),
            2 => assert_eq!(world.insert_batch(who.iter().map(|&entity| (entity, B::default()))), who.len()),
            3 => assert_eq!(world.many(&who).insert(B::default()), who.len()),
            4 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).insert(B::default()); });
                world.flush();
            }
            5 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).insert_if_new(B::default()); });
                world.flush();
            }
            _ => who.iter().for_each(|&entity| {
                world.entity_mut(entity).insert_dynamic(EntityBuilder::new().add_bundle(B::default()));
            }),
        });
        who.iter().for_each(|&entity| insert(self.row(entity), bundle, now, matches!(how % 7, 1 | 5)));
    }

    pub(super) fn remove(&mut self, who: &Who, bundle: u8, how: u8) {
        let who = self.chosen(who);
        let world = &mut self.world;
        with_bundle!(bundle, B => match how % 4 {
            0 => who.iter().for_each(|&entity| { world.entity_mut(entity).remove::<B>(); }),
            1 => assert_eq!(world.many(&who).remove::<B>(), who.len()),
            2 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).remove::<B>(); });
                world.flush();
            }
            _ => {
                // A detour that leaves other components alone.
                who.iter().for_each(|&entity| {
                    world.commands().entity(entity).insert(B::default()).remove::<B>();
                });
                world.flush();
                if contents(bundle).contains(&NEEDY) {
                    let now = self.now();
                    who.iter().for_each(|&entity| {
                        let mut row = *self.row(entity);
                        insert(&mut row, 7, now, true);
                        *self.row(entity) = row;
                    });
                }
            }
        });
        for entity in who {
            contents(bundle).iter().for_each(|&component| self.row(entity)[component] = None);
        }
    }

    pub(super) fn insert_all(&mut self, bundle: u8, how: u8) {
        let now = self.now();
        with_bundle!(bundle, B => match how % 2 {
            0 => self.world.all::<With<Health>>().insert(B::default()),
            _ => self.world.all::<With<Health>>().insert_with(|_| B::default()),
        });
        let rows = self.rows.values_mut().filter(|row| row[HEALTH].is_some());
        rows.for_each(|row| insert(row, bundle, now, false));
    }

    pub(super) fn remove_all(&mut self, bundle: u8) {
        with_bundle!(bundle, B => self.world.all::<With<Health>>().remove::<B>());
        for row in self.rows.values_mut().filter(|row| row[HEALTH].is_some()) {
            contents(bundle).iter().for_each(|&component| row[component] = None);
        }
    }

    pub(super) fn renew(&mut self, who: &Who, how: u8) {
        let now = self.now();
        let who = self.chosen(who);
        let world = &mut self.world;
        let removed: &[usize] = match how % 8 {
            0 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<Health>().insert(Health(3));
                }
                &[HEALTH]
            }
            1 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<Health>().insert(Health(3)).insert(Other(4));
                }
                &[HEALTH]
            }
            2 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<(Aside, Tag)>().insert((Aside(1), Tag)).insert(Health(3));
                }
                &[ASIDE, TAG]
            }
            3 => {
                who.iter().for_each(|&entity| {
                    world.entity_mut(entity).replace::<Health, _>(Health(4));
                });
                &[HEALTH]
            }
            4 => {
                for &entity in &who {
                    if let Err(new) = world.entity_mut(entity).exchange::<Health, _>(Health(4)) {
                        world.entity_mut(entity).insert(new);
                    }
                }
                &[HEALTH]
            }
            5 => {
                for &entity in &who {
                    let old = world.entity_mut(entity).take::<Aside>().unwrap_or_default();
                    world.entity_mut(entity).insert((old, Tag, Health(3)));
                }
                &[ASIDE]
            }
            6 => {
                for &entity in &who {
                    world.entity_mut(entity).replace::<(Health, Aside), _>(Needy);
                }
                &[HEALTH, ASIDE]
            }
            _ => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<(Health, Needy, Aside)>().insert(Needy);
                }
                &[HEALTH, ASIDE, NEEDY]
            }
        };
        let inserted: &[u8] = [&[0][..], &[1], &[2, 3], &[0], &[0], &[2, 3], &[7], &[7]][how as usize % 8];
        world.flush();
        for entity in who {
            let row = self.row(entity);
            removed.iter().for_each(|&component| row[component] = None);
            inserted.iter().for_each(|&bundle| insert(row, bundle, now, false));
        }
    }

    pub(super) fn retain(&mut self, who: &Who) {
        for entity in self.chosen(who) {
            self.world.entity_mut(entity).retain::<(Health, Aside, Marked)>();
            let row = self.row(entity);
            [TAG, OTHER, NEEDY].into_iter().for_each(|component| row[component] = None);
        }
    }

    pub(super) fn clone(&mut self, who: &Who) {
        let now = self.now();
        for entity in self.chosen(who) {
            let clone = self.world.clone_entity(entity).expect("all can be cloned");
            let row = self.rows[&entity].map(|stamp| stamp.map(|_| Stamp { added: now, changed: now }));
            self.rows.insert(clone, row);
        }
    }

    pub(super) fn travel(&mut self, who: &Who) {
        let now = self.now();
        let who = self.chosen(who);
        let mut other = World::new();
        let there = self.world.many(&who).move_to(&mut other);
        let back = other.all::<()>().move_to(&mut self.world);
        for entity in who {
            let row = self.rows.remove(&entity).expect("it is alive");
            let row = row.map(|stamp| stamp.map(|_| Stamp { added: now, changed: now }));
            let new = there.get(entity).and_then(|there| back.get(there)).expect("it has moved");
            self.rows.insert(new, row);
        }
    }
}
