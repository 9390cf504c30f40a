//! Explains which hooks and observers an event would reach.
//!
//! Tests: tests/observers/entities.rs

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;

use super::matched::MatchFilter;
use super::observers::{WatchedEvents, typed};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::events::event::{Event, EventPattern, Moment};
use crate::structure::store::{Store, Structure, bundle_components};
use crate::world::World;

/// Lists the hooks and observers that are notified of an event, in their order, and the reasons why other observers are
/// not: see [`World::explain_event`]. `Display` prints the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventExplanation {
    event: &'static str,
    target: Option<Entity>,
    is_alive: bool,
    told: Vec<(String, bool)>,
    others: Vec<(String, NotNotified)>,
}

/// The reason why an observer is not notified.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NotNotified {
    /// The observer watches this number of other entities.
    Entities(usize),
    /// The observer watches only these components.
    Components(String),
}

impl_display!([] NotNotified => |this, f| match this {
    Self::Entities(1) => f.write_str("it watches another entity"),
    Self::Entities(count) => write!(f, "it watches {count} other entities"),
    Self::Components(names) => write!(f, "it watches {names}"),
});

impl EventExplanation {
    /// Returns the names of the hooks and observers that are notified, in their order. Conditions are not evaluated.
    pub fn told(&self) -> impl ExactSizeIterator<Item = &str> {
        self.told.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the names of the observers of this type of event that are not notified.
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
        for (name, reason) in &self.others {
            writeln!(f, "  `{name}` is not told: {reason}")?;
        }
        Ok(())
    }
}

impl World {
    /// Explains which observers an event for this entity would reach first, in which order, and why it does not reach
    /// the other observers. For a lifecycle event, such as `Add<Health>`, hooks are included. An observer of a filter
    /// is notified if the entity begins or stops matching the filter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct Hit(Entity);
    /// #[derive(Component)]
    /// #[component(on_add = |_, _| {})]
    /// struct Health(u32);
    ///
    /// fn log(_: On<Hit>) {}
    /// fn hurt(_: On<Hit>) {}
    /// fn chip(_: On<Hit>) {}
    /// fn heal(_: On<Add<Health>>) {}
    ///
    /// let mut world = World::new();
    /// let [orc, rock] = [hurt as fn(On<Hit>), chip].map(|observer| world.spawn_empty().observe(observer).id());
    /// world.add_observer(log);
    /// let explanation = world.explain_event::<Hit>(orc);
    /// assert_eq!((explanation.told().count(), explanation.not_told().count()), (2, 1));
    /// assert!(explanation.to_string().contains("is not told: it watches another entity"));
    /// world.add_observer(heal);
    /// assert_eq!(world.explain_event::<Add<Health>>(rock).told().count(), 2);
    /// ```
    #[must_use]
    pub fn explain_event<P: EventPattern>(&mut self, target: impl Into<Option<Entity>>) -> EventExplanation {
        let target = target.into();
        let is_alive = target.is_none_or(|target| self.contains(target));
        let about = self.pattern_components::<P>(target);
        let mut told: Vec<(String, bool)> = Vec::new();
        let mut others = Vec::new();
        let moment = <P::Event as Event>::MOMENT;
        let Store { structure: Structure { archetypes, .. }, events, .. } = &mut self.store;
        let components = &archetypes.components;
        let number = events.dispatch.number::<P::Event>(<P::Event as Event>::slot());
        let observers = number.and_then(|number| events.dispatch.of(number));
        if let Some(observers) = observers.and_then(|observers| typed::<P::Event>(observers)) {
            let mut of_entity = Vec::new();
            for (name, has_conditions, watched) in observers.all() {
                let WatchedEvents { entities, components: watched, filter } = watched;
                let named = filter.as_ref().map(MatchFilter::named);
                let watched = named.as_ref().unwrap_or(watched);
                let name = name.to_string();
                let is_for = target.is_some_and(|target| is_alive && entities.contains(&target));
                if !(about.is_empty() || watched.is_empty() || watched.iter().any(|id| about.contains(id))) {
                    let names: Vec<_> = watched.iter().map(|&id| alloc::format!("`{}`", components.name(id))).collect();
                    others.push((name, NotNotified::Components(names.join(", "))));
                } else if entities.is_empty() || is_for && moment.is_some() {
                    told.push((name, has_conditions));
                } else if is_for {
                    // These observers are added at the end, because the observers of all entities run before them.
                    of_entity.push((name, has_conditions));
                } else {
                    others.push((name, NotNotified::Entities(entities.len())));
                }
            }
            told.append(&mut of_entity);
        }
        let kind = moment.filter(|moment| !moment.is_of_matches()).map(Moment::kinds);
        let hooks = about.iter().filter_map(|&id| {
            let kind = kind.filter(|&kind| components.hook(id, kind).is_some())?;
            Some((alloc::format!("{} of {}", kind.hook_name(), components.name(id)), false))
        });
        // Before an operation, observers are notified before hooks; after it, hooks before observers.
        match moment {
            Some(Moment::Add | Moment::Insert) => _ = told.splice(..0, hooks),
            _ => told.extend(hooks),
        }
        EventExplanation { event: type_name::<P>(), target, is_alive, told, others }
    }

    /// Returns the components that a pattern is about. If the pattern is about all components, returns the components
    /// of the target.
    fn pattern_components<P: EventPattern>(&mut self, target: Option<Entity>) -> Vec<ComponentId> {
        if let Some(filter) = P::FILTER {
            return MatchFilter::new(filter, &mut self.store).map_or(Vec::new(), |filter| filter.named());
        }
        let components = bundle_components::<P::Components>(&mut self.store).0;
        match target.and_then(|target| self.get_entity(target).ok()) {
            Some(entity) if components.is_empty() && <P::Event as Event>::MOMENT.is_some() => {
                entity.components().collect()
            }
            _ => components,
        }
    }
}
