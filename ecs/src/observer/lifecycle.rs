//! Telling observers and hooks of what operations do to components.

use core::any::type_name;

use super::id::ObserverId;
use super::observers::typed;
use super::told::Told;
use crate::command::apply_reactions;
use crate::component::{ComponentId, Kinds};
use crate::event::{
    AddEvent, BeginMatchEvent, DespawnEvent, DiscardEvent, EndMatchEvent, Event, InsertEvent, LifecycleEvent, Moment,
    RemoveEvent,
};
use crate::origin::Origin;
use crate::store::{NewsView, NotTold, Store, Tell};
use crate::world::{moved, refuse, relink, run_hooks, unlink};

/// How a store tells observers and hooks.
pub(super) const TELL: Tell<Store> = Tell { heard, before, after, apply: apply_reactions, unlink, relink, moved };

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
    let caller = store.entities.acting();
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
    let (kinds, caller) = (news.kinds(), store.entities.acting());
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
    let (kinds, caller) = (news.kinds(), store.entities.acting());
    run_hooks(store, news, kinds, Kinds::ADD, caller);
    tell_observers::<AddEvent>(store, news, kinds, Kinds::ADD, caller);
    run_hooks(store, news, kinds, Kinds::INSERT, caller);
    tell_observers::<InsertEvent>(store, news, kinds, Kinds::INSERT, caller);
    tell_observers::<BeginMatchEvent>(store, news, kinds, Kinds::BEHIND_MATCH, caller);
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
    let telling = match store.reactions.begin::<E>(number, caller) {
        Ok(telling) => telling,
        Err(NotTold::TooDeep(chain)) => return refuse(store, type_name::<E>(), &chain),
        Err(NotTold::Unobserved | NotTold::Busy) => return,
    };
    let mut told = Told { store, telling: Some(telling) };
    if let Told { store, telling: Some(telling) } = &mut told
        && let Some(observers) = typed::<E>(&mut *telling.observers)
    {
        observers.tell_of_components(news, kinds, one, store);
    }
    told.end();
}
