//! Which observers an event would reach.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;

use super::observers::typed;
use crate::entity::Entity;
use crate::event::Event;
use crate::world::World;

/// Which observers are told of an event, in their order, and why the others are not: see [`World::explain_event`]. It prints itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventExplanation {
    event: &'static str,
    target: Option<Entity>,
    is_alive: bool,
    told: Vec<(String, bool)>,
    others: Vec<(String, usize)>,
}

impl EventExplanation {
    /// The names of the observers that are told, in their order. Their conditions have not been asked.
    pub fn told(&self) -> impl ExactSizeIterator<Item = &str> {
        self.told.iter().map(|(name, _)| name.as_str())
    }

    /// The names of the observers of this type of event that are not told.
    pub fn not_told(&self) -> impl ExactSizeIterator<Item = &str> {
        self.others.iter().map(|(name, _)| name.as_str())
    }
}

impl fmt::Display for EventExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event `{}`", self.event)?;
        if let Some(target) = self.target {
            write!(f, " for entity {target}")?;
            if !self.is_alive {
                f.write_str(", which is not alive")?;
            }
        }
        if self.told.is_empty() && self.others.is_empty() {
            return f.write_str(": there are no observers of this type of event");
        }
        f.write_str(":\n")?;
        for (at, (name, has_conditions)) in self.told.iter().enumerate() {
            let condition = if *has_conditions { ", if its conditions hold" } else { "" };
            writeln!(f, "  {}. `{name}` is told{condition}", at + 1)?;
        }
        for (name, entities) in &self.others {
            let entities = match entities {
                1 => "another entity".to_string(),
                count => alloc::format!("{count} other entities"),
            };
            writeln!(f, "  `{name}` is not told: it watches {entities}")?;
        }
        Ok(())
    }
}

impl World {
    /// Says which observers an event for this entity would reach first, in which order, and why not the others.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct Hit(Entity);
    ///
    /// fn log(_: On<Hit>) {}
    /// fn hurt(_: On<Hit>) {}
    /// fn chip(_: On<Hit>) {}
    ///
    /// let mut world = World::new();
    /// let [orc, rock] = [hurt as fn(On<Hit>), chip].map(|observer| world.spawn_empty().observe(observer).id());
    /// world.add_observer(log);
    /// let explanation = world.explain_event::<Hit>(orc);
    /// assert_eq!((explanation.told().count(), explanation.not_told().count()), (2, 1));
    /// assert!(explanation.to_string().contains("1. `"));
    /// # let _ = rock;
    /// ```
    #[must_use]
    pub fn explain_event<E: Event>(&mut self, target: impl Into<Option<Entity>>) -> EventExplanation {
        let target = target.into();
        let is_alive = target.is_none_or(|target| self.contains(target));
        let mut explanation =
            EventExplanation { event: type_name::<E>(), target, is_alive, told: Vec::new(), others: Vec::new() };
        let number = self.store.reactions.number::<E>(E::slot());
        let observers = number.and_then(|number| self.store.reactions.of(number));
        if let Some(observers) = observers.and_then(|observers| typed::<E>(observers)) {
            let told: Vec<_> = observers.told(target.filter(|_| is_alive)).collect();
            let is_told = |id| told.iter().any(|told| told.id == id);
            let others = observers.all().filter(|other| !is_told(other.id));
            explanation.others =
                others.map(|other| (other.observer.name().to_string(), other.entities.len())).collect();
            let told = told.iter().map(|told| (told.observer.name().to_string(), told.observer.has_conditions()));
            explanation.told = told.collect();
        }
        explanation
    }
}
