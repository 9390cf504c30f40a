//! Telling observers and hooks of what operations do to components.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;

use super::observers::typed;
use super::told::Told;
use crate::command::{apply_reactions, defer_direct};
use crate::component::{ComponentId, Kinds};
use crate::event::{AddEvent, DespawnEvent, DiscardEvent, InsertEvent, LifecycleEvent, RemoveEvent};
use crate::store::{CommandFailure, News, NotTold, Store, Tell};

/// How a store tells observers and hooks.
pub(super) const TELL: Tell<Store> = Tell { before, after, apply: apply_reactions };

/// What is about to go: all kinds in this order, observers before hooks.
fn before(store: &mut Store, news: &News) {
    tell_observers::<DespawnEvent>(store, news, Kinds::DESPAWN);
    run_hooks(store, news, Kinds::DESPAWN, "on_despawn");
    tell_observers::<DiscardEvent>(store, news, Kinds::DISCARD);
    run_hooks(store, news, Kinds::DISCARD, "on_discard");
    tell_observers::<RemoveEvent>(store, news, Kinds::REMOVE);
    run_hooks(store, news, Kinds::REMOVE, "on_remove");
}

/// What has come: all kinds in this order, hooks before observers.
fn after(store: &mut Store, news: &News) {
    run_hooks(store, news, Kinds::ADD, "on_add");
    tell_observers::<AddEvent>(store, news, Kinds::ADD);
    run_hooks(store, news, Kinds::INSERT, "on_insert");
    tell_observers::<InsertEvent>(store, news, Kinds::INSERT);
}

fn tell_observers<E: LifecycleEvent>(store: &mut Store, news: &News, kind: Kinds) {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return };
    if news.of_kind(kind).next().is_none() {
        return;
    }
    let telling = match store.reactions.begin::<E>(number) {
        Ok(telling) => telling,
        Err(NotTold::TooDeep(chain)) => return refuse(store, type_name::<E>(), &chain),
        Err(NotTold::Unobserved | NotTold::Busy) => return,
    };
    let mut told = Told { store, telling: Some(telling) };
    if let Told { store, telling: Some(telling) } = &mut told
        && let Some(observers) = typed::<E>(&mut *telling.observers)
    {
        observers.tell_of_components(news, kind, store);
    }
}

/// A hook that is running.
struct Running<'s>(&'s mut Store);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        defer_direct(self.0);
        self.0.reactions.end_hook();
    }
}

fn run_hooks(store: &mut Store, news: &News, kind: Kinds, name: &'static str) {
    if !store.reactions.has_hooks() {
        return;
    }
    // Component by component, in the order in which they come up.
    let mut done: Vec<ComponentId> = Vec::new();
    for id in news.of_kind(kind).flat_map(|(_, components)| components) {
        if done.contains(&id) {
            continue;
        }
        done.push(id);
        let Some(hook) = store.reactions.hook(id, kind) else { continue };
        if let Err(chain) = store.reactions.begin_hook(name) {
            refuse(store, name, &chain);
            continue;
        }
        let running = Running(store);
        for (affected, mut components) in news.of_kind(kind) {
            if !components.any(|of| of == id) {
                continue;
            }
            for nth in 0..affected.len() {
                let Some(entity) = affected.get(nth, &running.0.archetypes.tables) else { break };
                hook(running.0, entity, id);
                defer_direct(running.0);
            }
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
