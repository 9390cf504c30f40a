//! Observers and hooks of all components: together they are notified of exactly the transitions that a world records.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use strata_ecs::component::ComponentId;
use strata_ecs::event::{BeginMatch, EndMatch};
use strata_ecs::prelude::*;
use strata_ecs::store::Transition;
use strata_ecs::world::DeferredWorld;

use super::parts::{A, B, C, KINDS, L, Part, S, T, with_part};

/// A lifecycle event of a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Moment {
    Despawn,
    Discard,
    Remove,
    Add,
    Insert,
}

/// The kind of listener that is notified.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Listener {
    Observer,
    BatchObserver,
    Hook,
}

type Told = (Listener, Moment, Entity, ComponentId);

/// The notifications of listeners since the log was last taken.
type Log = Arc<Mutex<Vec<Told>>>;

/// Observers and hooks of all components.
pub(crate) struct Listeners {
    log: Log,
    /// The components of entities, according to the notifications of observers.
    rows: HashMap<Entity, HashSet<ComponentId>>,
    monitors: Vec<Monitor>,
}

/// The entities that match a filter, according to the notifications of observers, and in fact.
struct Monitor {
    matching: Matching,
    found: fn(&mut World) -> HashSet<Entity>,
}

/// The entities that match according to the notifications of observers, and the notifications that occurred twice since the last check.
type Matching = Arc<Mutex<(HashSet<Entity>, Vec<(&'static str, Entity)>)>>;

impl Monitor {
    fn new<F: QueryFilter + 'static>(world: &mut World) -> Self {
        fn found<F: QueryFilter + 'static>(world: &mut World) -> HashSet<Entity> {
            world.query_filtered::<Entity, F>().query(world).iter().collect()
        }
        let matching = Matching::default();
        let [begun, ended, batches] = std::array::from_fn(|_| Arc::clone(&matching));
        world.add_observer(move |begin: On<'_, '_, BeginMatch<F>>, all: Query<'_, '_, Entity, F>| {
            assert!(all.contains(begin.entity), "it matches when it is told that it begins to");
            let (matching, twice) = &mut *begun.lock().expect("no panic");
            if !matching.insert(begin.entity) {
                twice.push(("begins", begin.entity));
            }
        });
        world.add_observer(move |batch: OnBatch<'_, '_, BeginMatch<F>>| {
            let (matching, _) = &*batches.lock().expect("no panic");
            assert!(batch.entities().iter().all(|entity| matching.contains(entity)), "batches are told of the same");
        });
        world.add_observer(move |end: On<'_, '_, EndMatch<F>>, all: Query<'_, '_, Entity, F>| {
            assert!(all.contains(end.entity), "it matches when it is told that it will not");
            let (matching, twice) = &mut *ended.lock().expect("no panic");
            if !matching.remove(&end.entity) {
                twice.push(("ends", end.entity));
            }
        });
        Self { matching, found: found::<F> }
    }
}

/// Adds an observer and a hook.
macro_rules! listen {
    ($world:ident, $log:ident, $P:ident, $id:ident, $Moment:ident, $hook:ident) => {
        let log = Log::clone(&$log);
        $world.add_observer(move |on: On<'_, '_, $Moment<$P>>, world: DeferredWorld<'_>| {
            assert!(world.entity(on.entity).contains::<$P>(), "the component is there when it is told of it");
            log.lock().expect("no panic").push((Listener::Observer, Moment::$Moment, on.entity, $id));
        });
        let log = Log::clone(&$log);
        $world.add_observer(move |batch: OnBatch<'_, '_, $Moment<$P>>, all: Query<'_, '_, &$P>| {
            assert_eq!(
                all.iter_many(batch.entities()).matched().count(),
                batch.entities().len(),
                "all of them have it"
            );
            assert!(all.contiguous_many(batch.entities()).is_none_or(|slice| slice.len() == batch.entities().len()));
            let told = |&entity| (Listener::BatchObserver, Moment::$Moment, entity, $id);
            log.lock().expect("no panic").extend(batch.entities().iter().map(told));
        });
        $world.register_component_hooks::<$P>().$hook(|world, context| {
            assert!(world.entity(context.entity).contains::<$P>(), "the component is there when it is told of it");
            let told = (Listener::Hook, Moment::$Moment, context.entity, context.component_id);
            world.resource::<Hooked>().0.lock().expect("no panic").push(told);
        });
    };
}

/// The log to which hooks write their notifications.
#[derive(Resource)]
struct Hooked(Log);

/// Checks the order of notifications: observers and hooks alternate for each lifecycle event of a component of an entity, and the events
/// are in a valid order.
fn check_order(told: &[Told]) {
    let mut turns: HashMap<(Moment, Entity, ComponentId), Vec<Listener>> = HashMap::new();
    let mut moments: HashMap<(Listener, Entity, ComponentId), Vec<Moment>> = HashMap::new();
    for &(listener, moment, entity, id) in told {
        turns.entry((moment, entity, id)).or_default().push(listener);
        moments.entry((listener, entity, id)).or_default().push(moment);
    }
    for ((moment, entity, id), listeners) in turns {
        let turn = match moment {
            Moment::Despawn | Moment::Discard | Moment::Remove => {
                [Listener::Observer, Listener::BatchObserver, Listener::Hook]
            }
            Moment::Add | Moment::Insert => [Listener::Hook, Listener::Observer, Listener::BatchObserver],
        };
        assert!(listeners.chunks(3).all(|told| told == turn), "{moment:?} of {id:?} of {entity:?}: {listeners:?}");
    }
    for ((listener, entity, id), moments) in moments {
        let follows = |pair: &[Moment]| match pair {
            [Moment::Despawn, next] => *next == Moment::Discard,
            [Moment::Add, next] => *next == Moment::Insert,
            [before, Moment::Remove] => *before == Moment::Discard,
            _ => true,
        };
        assert!(moments.windows(2).all(follows), "what {listener:?} is told of {id:?} of {entity:?}: {moments:?}");
    }
}

impl Listeners {
    pub(crate) fn new(world: &mut World) -> Self {
        let log = Log::default();
        world.insert_resource(Hooked(Log::clone(&log)));
        for kind in 0..KINDS as u8 {
            with_part!(kind, P => {
                assert_eq!(P::INDEX, usize::from(kind));
                let id = world.register_component::<P>();
                listen!(world, log, P, id, Despawn, on_despawn);
                listen!(world, log, P, id, Discard, on_discard);
                listen!(world, log, P, id, Remove, on_remove);
                listen!(world, log, P, id, Add, on_add);
                listen!(world, log, P, id, Insert, on_insert);
            });
        }
        let monitors = vec![
            Monitor::new::<With<A>>(world),
            Monitor::new::<(With<A>, Without<B>)>(world),
            Monitor::new::<(With<B>, Without<S>)>(world),
            Monitor::new::<(With<S>, Without<A>)>(world),
            Monitor::new::<Or<(With<L>, (With<S>, With<T>, Without<C>))>>(world),
        ];
        Self { log, rows: HashMap::new(), monitors }
    }

    /// Skips the notifications so far.
    pub(crate) fn forget(&mut self, world: &mut World) {
        world.flush();
        self.log.lock().expect("no panic").clear();
        let has = |entity: EntityRef<'_>| (entity.id(), entity.components().collect());
        self.rows = world.iter_entities().map(has).collect();
        for monitor in &self.monitors {
            *monitor.matching.lock().expect("no panic") = ((monitor.found)(world), Vec::new());
        }
    }

    /// Updates the components of entities by the notifications of observers. When the end of an entity is notified, the removals of all its
    /// components have been notified.
    fn follow(&mut self, told: &[Told]) {
        let mut ends: HashMap<Entity, [HashSet<ComponentId>; 2]> = HashMap::new();
        for &(_, moment, entity, id) in told.iter().filter(|told| told.0 == Listener::Observer) {
            let has = self.rows.entry(entity).or_default();
            match moment {
                Moment::Despawn => {
                    _ = ends.entry(entity).or_insert_with(|| [has.clone(), HashSet::new()])[1].insert(id)
                }
                Moment::Remove => assert!(has.remove(&id)),
                Moment::Add => assert!(has.insert(id)),
                Moment::Discard | Moment::Insert => {}
            }
        }
        for (entity, [had, told]) in ends {
            assert_eq!(told, had, "of which components it is told that {entity:?} ends");
        }
    }

    /// Compares the notifications with the transitions that have happened.
    pub(crate) fn check(&mut self, world: &mut World, happened: &[(Entity, Transition)]) {
        let mut told = std::mem::take(&mut *self.log.lock().expect("no panic"));
        check_order(&told);
        self.follow(&told);
        for (number, monitor) in self.monitors.iter().enumerate() {
            let (matching, twice) = &*monitor.matching.lock().expect("no panic");
            assert!(twice.is_empty(), "told twice of filter {number}: {twice:?}");
            assert_eq!(*matching, (monitor.found)(world), "what matches filter {number}");
        }
        told.retain(|told| told.1 != Moment::Despawn);
        let mut expected: HashMap<Told, i32> = HashMap::new();
        for &(entity, transition) in happened {
            let (id, moments): (ComponentId, &[Moment]) = match transition {
                Transition::Made | Transition::Ended => continue,
                Transition::Gained(id) => (id, &[Moment::Add, Moment::Insert]),
                Transition::Replaced(id) | Transition::Renewed(id) => (id, &[Moment::Discard, Moment::Insert]),
                Transition::Lost(id) => (id, &[Moment::Discard, Moment::Remove]),
            };
            for &moment in moments {
                for listener in [Listener::Observer, Listener::BatchObserver, Listener::Hook] {
                    *expected.entry((listener, moment, entity, id)).or_default() += 1;
                }
            }
        }
        for told in told {
            *expected.entry(told).or_default() -= 1;
        }
        expected.retain(|_, count| *count != 0);
        assert!(expected.is_empty(), "told too rarely (above 0) or too often: {expected:?}");
    }
}
