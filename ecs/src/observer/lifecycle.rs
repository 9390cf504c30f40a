//! Telling observers and hooks of what operations do to components.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use super::id::ObserverId;
use super::observers::typed;
use super::told::Told;
use crate::command::{apply_reactions, defer_direct};
use crate::component::{ComponentId, Kinds};
use crate::event::{
    AddEvent, BeginMatchEvent, DespawnEvent, DiscardEvent, EndMatchEvent, Event, InsertEvent, LifecycleEvent, Moment,
    RemoveEvent,
};
use crate::store::{CommandFailure, News, NotTold, Store, Tell};

/// How a store tells observers and hooks.
pub(super) const TELL: Tell<Store> = Tell { heard, before, after, apply: apply_reactions };

/// What is told of a component, or of all.
fn heard(store: &Store, id: Option<ComponentId>) -> Kinds {
    fn of<E: Event>(store: &Store, id: Option<ComponentId>) -> Kinds {
        let Some((number, moment)) = store.reactions.number::<E>(E::slot()).zip(E::MOMENT) else { return Kinds::NONE };
        if store.reactions.get(number).is_some_and(|observers| observers.watches(id)) {
            moment.kinds()
        } else {
            Kinds::NONE
        }
    }
    let observers = of::<DespawnEvent>(store, id)
        .and(of::<DiscardEvent>(store, id))
        .and(of::<RemoveEvent>(store, id))
        .and(of::<EndMatchEvent>(store, id))
        .and(of::<AddEvent>(store, id))
        .and(of::<InsertEvent>(store, id))
        .and(of::<BeginMatchEvent>(store, id));
    observers.and(id.map_or(Kinds::NONE, |id| store.reactions.hook_kinds(id)))
}

/// Tells an observer of what is there already.
pub(super) fn tell_of_existing(store: &mut Store, moment: Moment, observer: ObserverId, news: &News) {
    match moment {
        Moment::Add => tell_observers_now::<AddEvent>(store, news, Kinds::ADD, Some(observer)),
        Moment::Insert => tell_observers_now::<InsertEvent>(store, news, Kinds::INSERT, Some(observer)),
        Moment::BeginMatch => tell_observers_now::<BeginMatchEvent>(store, news, Kinds::BEHIND_MATCH, Some(observer)),
        Moment::Despawn | Moment::Discard | Moment::Remove | Moment::EndMatch => {}
    }
    apply_reactions(store);
}

/// What is about to go: all kinds in this order, observers before hooks.
fn before(store: &mut Store, news: &News) {
    let kinds = news.kinds();
    tell_observers::<DespawnEvent>(store, news, kinds, Kinds::DESPAWN);
    run_hooks(store, news, kinds, (Kinds::DESPAWN, "on_despawn"));
    tell_observers::<DiscardEvent>(store, news, kinds, Kinds::DISCARD);
    run_hooks(store, news, kinds, (Kinds::DISCARD, "on_discard"));
    tell_observers::<RemoveEvent>(store, news, kinds, Kinds::REMOVE);
    run_hooks(store, news, kinds, (Kinds::REMOVE, "on_remove"));
    tell_observers::<EndMatchEvent>(store, news, kinds, Kinds::BEFORE_MATCH);
}

/// What has come: all kinds in this order, hooks before observers.
fn after(store: &mut Store, news: &News) {
    let kinds = news.kinds();
    run_hooks(store, news, kinds, (Kinds::ADD, "on_add"));
    tell_observers::<AddEvent>(store, news, kinds, Kinds::ADD);
    run_hooks(store, news, kinds, (Kinds::INSERT, "on_insert"));
    tell_observers::<InsertEvent>(store, news, kinds, Kinds::INSERT);
    tell_observers::<BeginMatchEvent>(store, news, kinds, Kinds::BEHIND_MATCH);
}

/// Tells observers of what of the news is of a kind, if that is among these.
#[inline]
fn tell_observers<E: LifecycleEvent>(store: &mut Store, news: &News, kinds: Kinds, kind: Kinds) {
    if kinds.has(kind) {
        tell_observers_now::<E>(store, news, kind, None);
    }
}

#[inline(never)]
fn tell_observers_now<E: LifecycleEvent>(store: &mut Store, news: &News, kinds: Kinds, one: Option<ObserverId>) {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return };
    let telling = match store.reactions.begin::<E>(number) {
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

/// A hook that is running.
struct Running<'s>(&'s mut Store);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        defer_direct(self.0);
        self.0.reactions.end_hook();
    }
}

/// Runs the hooks of a kind, if that is among these.
#[inline]
fn run_hooks(store: &mut Store, news: &News, kinds: Kinds, (kind, name): (Kinds, &'static str)) {
    if kinds.has(kind.of_hooks()) {
        run_hooks_now(store, news, kind.of_hooks(), name);
    }
}

#[inline(never)]
fn run_hooks_now(store: &mut Store, news: &News, kind: Kinds, name: &'static str) {
    // Component by component, in the order in which they come up.
    let mut done: Vec<ComponentId> = Vec::new();
    for id in news.of_kinds(kind).flat_map(|part| part.components()) {
        if done.contains(&id) {
            continue;
        }
        if !news.is_of_one() {
            done.push(id);
        }
        let Some(hook) = store.reactions.hook(id, kind) else { continue };
        if let Err(chain) = store.reactions.begin_hook(name) {
            refuse(store, name, &chain);
            continue;
        }
        let running = Running(store);
        for part in news.of_kinds(kind).filter(|part| !part.of(id).is_none()) {
            hook(running.0, part.affected, id);
        }
    }
}

/// Tells the handler of errors that something was not told.
#[cold]
fn refuse(store: &mut Store, what: &'static str, chain: &str) {
    let by = store.entities.acting();
    let reason = alloc::format!("too many events led to it: {chain}");
    store.command_errors.report("trigger", what, CommandFailure::Other(Arc::from(reason)), by);
}
