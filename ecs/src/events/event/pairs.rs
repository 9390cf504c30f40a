//! Events of the pairs of relations.
//!
//! Tests: tests/relationships/pairs/events.rs

use core::any::type_name;

use super::traits::{EntityEvent, Event};
use super::trigger::EntityTrigger;
use crate::component::ComponentKey;
use crate::entity::Entity;
use crate::relations::relation::Relation;
use crate::storage::message::Message;
use crate::system::MessageReader;

/// The event of a new pair of `R`. Replacing the value of an existing pair does not trigger it. The target of the event
/// is the source of the pair.
///
/// ```
/// use strata_ecs::event::Relate;
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// struct Hunting {
///     since: u32,
/// }
/// #[derive(Resource, Default)]
/// struct Hunts(u32);
///
/// fn count(hunt: On<Relate<Hunting>>, mut hunts: ResMut<Hunts>) {
///     println!("{} hunts {}", hunt.source, hunt.target);
///     hunts.0 += 1;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Hunts>();
/// world.add_observer(count);
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { since: 3 }, rabbit);
/// assert_eq!(world.resource::<Hunts>().0, 1);
/// ```
pub struct Relate<R> {
    /// The source of the pair.
    pub source: Entity,
    /// The target of the pair.
    pub target: Entity,
    marker: core::marker::PhantomData<fn() -> R>,
}

impl<R> Relate<R> {
    pub(crate) fn new([source, target]: [Entity; 2]) -> Self {
        Self { source, target, marker: core::marker::PhantomData }
    }
}

/// The event of a pair of `R` that was removed, either directly or because one of its entities was despawned. The
/// target of the event is the source of the pair. Observers run when the operation that removed the pair has finished,
/// so the source or the target may no longer exist. If a pair was moved to another world with both of its entities, it
/// does not count as removed. [`RemovedRelations`] reads the same pairs.
///
/// ```
/// use strata_ecs::event::Unrelate;
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// struct Hunting {
///     since: u32,
/// }
/// #[derive(Resource, Default)]
/// struct Years(u32);
///
/// fn count(hunt: On<Unrelate<Hunting>>, mut years: ResMut<Years>) {
///     years.0 += 9 - hunt.relation.since;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Years>();
/// world.add_observer(count);
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { since: 3 }, rabbit);
/// world.despawn(rabbit);
/// assert_eq!(world.resource::<Years>().0, 6);
/// ```
pub struct Unrelate<R> {
    /// The source of the pair.
    pub source: Entity,
    /// The target of the pair.
    pub target: Entity,
    /// The last value of the pair.
    pub relation: R,
}

/// Reads the pairs of `R` that have been removed, with their last values. This is a [`MessageReader`] of [`Unrelate`],
/// the counterpart of [`RemovedComponents`](crate::system::RemovedComponents). The pairs are kept like messages, as
/// soon as a system with such a parameter has been prepared. See [`Unrelate`] for the pairs that count as removed.
///
/// ```
/// use strata_ecs::event::RemovedRelations;
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// struct Hunting {
///     since: u32,
/// }
/// #[derive(Resource, Default)]
/// struct Years(u32);
///
/// fn count(mut removed: RemovedRelations<Hunting>, mut years: ResMut<Years>) {
///     years.0 += removed.read().map(|hunt| 9 - hunt.relation.since).sum::<u32>();
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Years>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(count);
/// schedule.initialize(&mut world);
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { since: 3 }, rabbit);
/// world.despawn(wolf);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Years>().0, 6);
/// ```
pub type RemovedRelations<'w, 's, R> = MessageReader<'w, 's, Unrelate<R>>;

/// Implements the event traits for both events of pairs.
macro_rules! of_pairs {
    ($($Event:ident: $key:literal;)*) => { $(
        impl<R: Relation> Event for $Event<R> {
            type Trigger<'a> = EntityTrigger;

            const KEY: Option<ComponentKey> = Some(R::KEY.mix($key));
        }

        impl<R: Relation> EntityEvent for $Event<R> {
            fn event_target(&self) -> Entity {
                self.source
            }
        }

        impl_debug!([R] $Event<R> => |this, f| write!(f, "{}({}, {})", type_name::<Self>(), this.source, this.target));
    )* };
}

of_pairs! {
    Relate: 3;
    Unrelate: 4;
}

#[diagnostic::do_not_recommend]
impl<R: Relation> Message for Unrelate<R> {
    const KEY: Option<ComponentKey> = Some(R::KEY.mix(4));
}
