//! Running the hooks of components.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cast::World;
use super::links::{end_linked, linking, moved, relink, unlink};
use crate::command::{apply_reactions, defer_direct};
use crate::component::{ComponentId, DeferredWorld, HookContext, Kinds};
use crate::entity::Entity;
use crate::origin::Origin;
use crate::store::{CommandFailure, FewNews, NewsView, Store, Tell};
use crate::trace;

/// How a store without observers of components tells hooks.
pub(super) static TELL_HOOKS: Tell<Store> = Tell {
    heard: |_, _| Kinds::NONE,
    before,
    after,
    after_one,
    apply: apply_reactions,
    unlink,
    relink,
    linking,
    end: end_linked,
    moved,
};

/// How a store tells nothing, and keeps links.
pub(super) static TELL_NOTHING: Tell<Store> = Tell {
    heard: |_, _| Kinds::NONE,
    before: |_, _| {},
    after: |_, _| {},
    after_one: |_, _, _| {},
    apply: apply_reactions,
    unlink,
    relink,
    linking,
    end: end_linked,
    moved,
};

fn before(store: &mut Store, news: &NewsView<'_>) {
    let (kinds, caller) = (news.kinds(), store.structure.entities.acting());
    for kind in [Kinds::DESPAWN, Kinds::DISCARD, Kinds::REMOVE] {
        run_hooks(store, news, kinds, kind, caller);
    }
}

fn after(store: &mut Store, news: &NewsView<'_>) {
    let (kinds, caller) = (news.kinds(), store.structure.entities.acting());
    for kind in [Kinds::ADD, Kinds::INSERT] {
        run_hooks(store, news, kinds, kind, caller);
    }
}

fn after_one(store: &mut Store, entity: Entity, change: (ComponentId, Kinds)) {
    after(store, &FewNews::of_one(entity, change).view());
}

/// A hook that is running.
struct Running<'s>(&'s mut Store);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        defer_direct(self.0);
        self.0.reactions.end_hook();
    }
}

/// Runs the hooks of a kind for what an operation does to components, if that is among these kinds: component by component, in the order
/// in which they come up.
#[inline]
pub(crate) fn run_hooks(store: &mut Store, news: &NewsView<'_>, kinds: Kinds, kind: Kinds, caller: Origin) {
    if kinds.has(kind.of_hooks()) {
        run_hooks_now(store, news, kind, caller);
    }
}

#[inline(never)]
fn run_hooks_now(store: &mut Store, news: &NewsView<'_>, kind: Kinds, caller: Origin) {
    let (name, kinds) = (kind.hook_name(), kind.of_hooks());
    let mut done: Vec<ComponentId> = Vec::new();
    for id in news.of_kinds(kinds).flat_map(|part| part.components()) {
        if done.contains(&id) {
            continue;
        }
        if !news.is_of_one() {
            done.push(id);
        }
        let Some(hook) = store.structure.archetypes.components.hook(id, kind) else { continue };
        if let Err(chain) = store.reactions.begin_hook(name, caller) {
            refuse(store, name, &chain);
            continue;
        }
        let running = Running(store);
        let _span = trace::hook(name, || running.0.structure.archetypes.components.name(id));
        for part in news.of_kinds(kinds).filter(|part| !part.of(id).is_none()) {
            running.0.for_each_affected(part.affected, |store, entity| {
                let context = HookContext { entity, component_id: id, caller };
                hook(DeferredWorld::of(World::from_store_mut(store)), context);
                defer_direct(store);
            });
        }
    }
}

/// Tells the handler of errors that something was not told.
#[cold]
pub(crate) fn refuse(store: &mut Store, what: &'static str, chain: &str) {
    let by = store.structure.entities.acting();
    let reason = alloc::format!("too many events led to it: {chain}");
    store.commands.errors.report("trigger", what, CommandFailure::Other(Arc::from(reason)), by);
}
