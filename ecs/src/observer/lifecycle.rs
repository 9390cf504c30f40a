//! Telling observers and hooks of what operations do to components.

use core::any::type_name;

use super::id::ObserverId;
use super::observers::Observers;
use super::told::Told;
use crate::command::apply_reactions;
use crate::component::{ComponentId, Kinds};
use crate::entity::Entity;
use crate::event::{
    AddEvent, BeginMatchEvent, DespawnEvent, DiscardEvent, EndMatchEvent, Event, InsertEvent, LifecycleEvent, Moment,
    RemoveEvent,
};
use crate::origin::Origin;
use crate::store::{FewNews, NewsView, NotTold, Store, Tell};
use crate::world::{end_linked, linking, moved, refuse, relink, run_hooks, unlink};

/// How a store tells observers and hooks.
pub(super) static TELL: Tell<Store> =
    Tell { heard, before, after, after_one, apply: apply_reactions, unlink, relink, linking, end: end_linked, moved };

/// What observers are told of a component, or of all.
fn heard(store: &Store, id: Option<ComponentId>) -> Kinds {
    fn of<E: Event>(store: &Store, id: Option<ComponentId>) -> Kinds {
        let Some((number, moment)) = store.reactions.number::<E>(E::slot()).zip(E::MOMENT) else { return Kinds::NONE };
        if store.reactions.get(number).is_some_and(|observers| observers.watches(id)) {
            moment.kinds()
        } else {
            Kinds::NONE
        }
    }
    of::<DespawnEvent>(store, id)
        .and(of::<DiscardEvent>(store, id))
        .and(of::<RemoveEvent>(store, id))
        .and(of::<EndMatchEvent>(store, id))
        .and(of::<AddEvent>(store, id))
        .and(of::<InsertEvent>(store, id))
        .and(of::<BeginMatchEvent>(store, id))
}

/// Tells an observer of what is there already.
pub(super) fn tell_of_existing(store: &mut Store, moment: Moment, observer: ObserverId, news: &NewsView<'_>) {
    let caller = store.structure.entities.acting();
    match moment {
        Moment::Add => tell_observers_now::<AddEvent>(store, news, Kinds::ADD, Some(observer), caller),
        Moment::Insert => tell_observers_now::<InsertEvent>(store, news, Kinds::INSERT, Some(observer), caller),
        Moment::BeginMatch => {
            tell_observers_now::<BeginMatchEvent>(store, news, Kinds::BEHIND_MATCH, Some(observer), caller)
        }
        Moment::Despawn | Moment::Discard | Moment::Remove | Moment::EndMatch => {}
    }
    apply_reactions(store);
}

/// What is about to go: all kinds in this order, observers before hooks.
fn before(store: &mut Store, news: &NewsView<'_>) {
    let (kinds, caller) = (news.kinds(), store.structure.entities.acting());
    tell_observers::<DespawnEvent>(store, news, kinds, Kinds::DESPAWN, caller);
    run_hooks(store, news, kinds, Kinds::DESPAWN, caller);
    tell_observers::<DiscardEvent>(store, news, kinds, Kinds::DISCARD, caller);
    run_hooks(store, news, kinds, Kinds::DISCARD, caller);
    tell_observers::<RemoveEvent>(store, news, kinds, Kinds::REMOVE, caller);
    run_hooks(store, news, kinds, Kinds::REMOVE, caller);
    tell_observers::<EndMatchEvent>(store, news, kinds, Kinds::BEFORE_MATCH, caller);
}

/// What has come: all kinds in this order, hooks before observers.
fn after(store: &mut Store, news: &NewsView<'_>) {
    let (kinds, caller) = (news.kinds(), store.structure.entities.acting());
    run_hooks(store, news, kinds, Kinds::ADD, caller);
    tell_observers::<AddEvent>(store, news, kinds, Kinds::ADD, caller);
    run_hooks(store, news, kinds, Kinds::INSERT, caller);
    tell_observers::<InsertEvent>(store, news, kinds, Kinds::INSERT, caller);
    tell_observers::<BeginMatchEvent>(store, news, kinds, Kinds::BEHIND_MATCH, caller);
}

/// What has come to one component of one entity: as [`after`].
fn after_one(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    let (id, kinds) = change;
    // Mostly it is one thing, and nothing is left to do behind it.
    let others = Kinds::ADD.and(Kinds::INSERT).of_hooks();
    if !store.reactions.hears_of_matches && !kinds.has(others) {
        match (kinds.has(Kinds::ADD), kinds.has(Kinds::INSERT)) {
            (true, false) => return tell_of_one::<AddEvent>(store, entity, (id, kinds)),
            (false, true) => return tell_of_one::<InsertEvent>(store, entity, (id, kinds)),
            _ => {}
        }
    }
    after_one_with_care(store, entity, change);
}

#[inline(never)]
fn after_one_with_care(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    let (_, kinds) = change;
    if kinds.has(Kinds::ADD.and(Kinds::INSERT).of_hooks()) {
        return after_of_one(store, entity, change);
    }
    let caller = store.structure.entities.acting();
    if kinds.has(Kinds::ADD) {
        tell_of_one::<AddEvent>(store, entity, change);
    }
    if kinds.has(Kinds::INSERT) {
        tell_of_one::<InsertEvent>(store, entity, change);
    }
    if store.reactions.hears_of_matches && kinds.has(Kinds::BEHIND_MATCH) {
        tell_of_match(store, entity, change, caller);
    }
}

/// [`after`] with news of one change.
#[inline(never)]
fn after_of_one(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    after(store, &FewNews::of_one(entity, change).view());
}

/// Tells that an entity begins to match filters. Apart from what happens more often, as the two around it.
#[inline(never)]
fn tell_of_match(store: &mut Store, entity: Entity, change: (ComponentId, Kinds), caller: Origin) {
    let news = FewNews::of_one(entity, change);
    tell_observers_now::<BeginMatchEvent>(store, &news.view(), Kinds::BEHIND_MATCH, None, caller);
}

/// Tells observers of what of the news is of a kind, if that is among these.
#[inline]
fn tell_observers<E: LifecycleEvent>(
    store: &mut Store,
    news: &NewsView<'_>,
    kinds: Kinds,
    kind: Kinds,
    caller: Origin,
) {
    if kinds.has(kind) {
        tell_observers_now::<E>(store, news, kind, None, caller);
    }
}

#[inline(never)]
fn tell_observers_now<E: LifecycleEvent>(
    store: &mut Store,
    news: &NewsView<'_>,
    kinds: Kinds,
    one: Option<ObserverId>,
    caller: Origin,
) {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return };
    let Some((mut observers, told)) = Told::begin::<E>(store, number, caller) else {
        return not_told::<E>(store, number);
    };
    observers.tell_of_components(news, kinds, one, told.store);
    told.end();
}

/// As [`tell_observers_now`], of one component of one entity.
#[inline(never)]
fn tell_of_one<E: LifecycleEvent>(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return };
    if store.reactions.is_idle() {
        let caller = store.structure.entities.acting();
        let told = Told::begin_idle::<E>(store, number, caller).map(|(mut observers, told)| {
            if !observers.tell_sole_of_one(entity, change.0, told.store) {
                tell_others(&mut observers, entity, change, told.store);
            }
            drop(observers);
            told.end_idle();
        });
        if told.is_some() {
            return;
        }
    }
    tell_of_one_with_care::<E>(store, entity, change);
}

/// The same, where something has to be done first. It stands apart, so that the other way keeps its registers.
#[inline(never)]
fn tell_of_one_with_care<E: LifecycleEvent>(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return };
    let caller = store.structure.entities.acting();
    let Some((mut observers, told)) = Told::begin::<E>(store, number, caller) else {
        return not_told::<E>(store, number);
    };
    tell_others(&mut observers, entity, change, told.store);
    told.end();
}

/// Tells all observers of what happens to one component of one entity.
#[inline(never)]
fn tell_others<E: LifecycleEvent>(
    observers: &mut Observers<E>,
    entity: Entity,
    change: (ComponentId, Kinds),
    store: &mut Store,
) {
    if observers.tell_of_one(entity, change.0, store) {
        return;
    }
    // Some of them watch single entities or filters.
    let kind = E::MOMENT.map_or(Kinds::NONE, Moment::kinds);
    observers.tell_of_components(&FewNews::of_one(entity, change).view(), kind, None, store);
}

/// An event has not been told, which is an error if that is for too many others.
#[cold]
fn not_told<E: LifecycleEvent>(store: &mut Store, number: u32) {
    if let NotTold::TooDeep(chain) = store.reactions.not_told::<E>(number) {
        refuse(store, type_name::<E>(), &chain);
    }
}
