//! Telling observers of components, and hooks, before and behind an operation.
//!
//! These listeners are user code. They get the store as it is, but cannot change its structure: entities, tables, rows and plans are
//! the same when they return. So what an operation knows of them stays true while it tells. What they want of the structure waits in
//! `Reactions::queue`, and is applied in [`Store::react`], which is the last thing that an operation does: behind it nothing may be
//! taken for granted.
//!
//! An operation first says what is about to go ([`Store::expect_change`] and the others), while all old values are in place. What
//! has come it notes while it writes its books (`store/report.rs`); that is told when it has ended. An operation that consists of
//! others holds what they have to tell until all are done: [`Store::as_one`].
//!
//! If an operation panics, what it has noted is told with the next one. If a listener panics before an operation, the panic waits until
//! the operation has ended ([`Store::foretell`]).

use alloc::vec::Vec;

use super::news::{Affected, FewNews, News};
use super::reactions::Tell;
use super::report::held_by;
use super::{Home, Store, Structure, take_returned};
use crate::alloc_error::try_reserve_exact;
use crate::archetype::{Archetypes, Planned};
use crate::component::{ComponentHook, ComponentId, Kinds};
use crate::entity::{Entity, SparseSummary, TableId};
use crate::graph::{Change, PlanId};
use crate::guard::Waiting;
use crate::table::Table;
use crate::transition::{Interest, Transition};

/// A store in which an operation is going on that others are parts of.
struct Whole<'s> {
    store: &'s mut Store,
    foretold: bool,
    /// Whether it has not panicked.
    has_ended: bool,
}

/// A store in which links are changed: if that panics, nothing is known of them.
struct ChangingLinks<'s>(&'s mut Store);

impl Drop for ChangingLinks<'_> {
    fn drop(&mut self) {
        let listeners = &mut self.0.listeners;
        listeners.links.unlinked();
        listeners.links.may_disagree = true;
        listeners.has_news = true;
    }
}

/// Ids that were pending before reactions, which are so again afterwards: in their own world, which may be elsewhere then.
struct Promised<'s> {
    store: &'s mut Store,
    /// None if there are no ids.
    home: Option<Home>,
    pending: Vec<Entity>,
}

impl Drop for Promised<'_> {
    fn drop(&mut self) {
        match &self.home {
            Some(home) if home.is(self.store) => {
                self.pending.append(&mut self.store.structure.pending);
                core::mem::swap(&mut self.pending, &mut self.store.structure.pending);
            }
            Some(home) => home.send_pending(core::mem::take(&mut self.pending)),
            None => {}
        }
    }
}

impl Drop for Whole<'_> {
    fn drop(&mut self) {
        self.store.listeners.foretold -= u32::from(self.foretold);
        self.store.end_whole(self.has_ended);
    }
}

impl Store {
    /// Finds out what observers are told of components, or of all, some of which have changed.
    pub(crate) fn hear_anew(&mut self, components: impl IntoIterator<Item = Option<ComponentId>>) {
        let Some(tell) = self.reactions.tell else { return };
        for id in components {
            let kinds = (tell.heard)(self, id);
            self.structure.archetypes.set_heard(id, kinds);
        }
        self.listen();
    }

    /// Says how observers and hooks are told.
    pub(crate) fn set_tell(&mut self, tell: &'static Tell<Self>) {
        self.reactions.tell = Some(tell);
    }

    /// Gives a component a hook of a kind. False, and nothing has happened, if it has one.
    pub(crate) fn add_hook(&mut self, id: ComponentId, kind: Kinds, hook: ComponentHook) -> bool {
        let is_new = self.structure.archetypes.add_hook(id, kind, hook);
        if is_new {
            self.listen();
        }
        is_new
    }

    /// Notes of which components observers or hooks are told something.
    pub(super) fn listen(&mut self) {
        let components = &self.structure.archetypes.components;
        let heard = |id: &ComponentId| !components.heard(*id).is_none();
        let sparse = || components.sparse().iter().enumerate().filter(|(_, id)| heard(id));
        let storages = sparse().fold(SparseSummary::default(), |all, (number, _)| all.with(number));
        // A source that goes ends nothing else, but what is told of the list of its target may be told then.
        let is_told = |id: ComponentId| !components.heard(id).told().is_none();
        let links_told = sparse().any(|(_, &id)| components.lists_sources(id) && is_told(id));
        let told = sparse().filter(|(_, id)| links_told || !components.names_target(**id) || is_told(**id));
        let told = told.fold(SparseSummary::default(), |all, (number, _)| all.with(number));
        let all_that = |holds: &dyn Fn(ComponentId) -> bool| {
            sparse().filter(|(_, id)| holds(**id)).fold(SparseSummary::default(), |all, (number, _)| all.with(number))
        };
        self.listeners.told_storages = told;
        self.listeners.lists = all_that(&|id| components.lists_sources(id));
        self.listeners.sources = all_that(&|id| components.names_target(id));
        self.listeners.ends_with_care = all_that(&|id| is_told(id) || components.is_of_pairs(id));
        self.listeners.light_links = self.listeners.sources.except(told);
        self.listeners.set_heard_storages(storages);
        self.listeners.hears =
            components.iter().any(|info| heard(&info.id())) || !components.heard_only(None).is_none();
    }

    /// Carries out operations as one.
    pub(crate) fn as_one<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        self.as_whole(false, operations)
    }

    /// The end of an operation that others were parts of, which may have panicked.
    pub(super) fn end_whole(&mut self, has_ended: bool) {
        self.listeners.held -= 1;
        if !has_ended {
            if self.listeners.held == 0 {
                self.listeners.panicked = Waiting::default();
            }
            // That it was broken off is known.
            self.listeners.news.forget_failure();
            self.settle_news();
        }
    }

    /// Carries out operations as one of which it has been told beforehand what goes.
    pub(super) fn as_foretold<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        self.as_whole(true, operations)
    }

    fn as_whole<T>(&mut self, foretold: bool, operations: impl FnOnce(&mut Self) -> T) -> T {
        self.listeners.held += 1;
        self.listeners.foretold += u32::from(foretold);
        let mut whole = Whole { store: self, foretold, has_ended: false };
        let out = operations(whole.store);
        whole.has_ended = true;
        drop(whole);
        self.react();
        out
    }

    /// Carries out an operation, and keeps what observers and hooks are to be told for the caller's [`Store::react`].
    pub(crate) fn without_news<T>(&mut self, operation: impl FnOnce(&mut Self) -> T) -> T {
        self.listeners.held += 1;
        let mut whole = Whole { store: self, foretold: false, has_ended: false };
        let out = operation(whole.store);
        whole.has_ended = true;
        out
    }

    /// Tells of entities that have just been made, from a row of a table on, and returns them: they may be elsewhere by now.
    #[cold]
    pub(crate) fn tell_of_made(&mut self, table: TableId, first: usize) -> &[Entity] {
        let mut made = Vec::new();
        let entities = self.structure.archetypes.tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        let has_room = try_reserve_exact(&mut made, entities.len());
        if has_room.is_ok() {
            made.extend_from_slice(entities);
        }
        self.react();
        has_room.unwrap_or_else(|error| error.raise());
        self.reactions.made = made;
        &self.reactions.made
    }

    /// Whether no operation tells observers or hooks of anything, whatever it is.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        !(self.listeners.hears | self.listeners.has_news)
    }

    /// Whether something is to be told, or to be applied.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        self.listeners.has_news
    }

    /// The end of an operation: tells what has come, and applies what observers and hooks have recorded.
    #[inline]
    pub(crate) fn react(&mut self) {
        if self.listeners.has_news {
            self.react_now();
        }
    }

    #[cold]
    #[inline(never)]
    fn react_now(&mut self) {
        let Some(tell) = self.reactions.tell else { return };
        if self.listeners.held != 0 {
            // Scopes that deferred events may have ended while the store was elsewhere.
            take_returned(self);
        }
        if self.listeners.held != 0 || self.reactions.is_running() {
            return;
        }
        self.relink();
        self.listeners.has_news = !self.listeners.links.refused.is_empty();
        let panicked = core::mem::take(&mut self.listeners.panicked);
        if self.relations.have_news() || self.listeners.has_news {
            // If a listener panics, the values of pairs that have ended are dropped and components that make no link are removed all the
            // same.
            let panicked = Waiting::catch(|| self.tell_noted(tell));
            let mut panicked = panicked.or(Waiting::catch(|| self.tell_of_all_pairs()));
            if panicked.is_some() {
                self.relink();
                panicked = panicked.or(core::mem::take(&mut self.listeners.panicked));
            }
            panicked.go_on();
        } else {
            self.tell_noted(tell);
        }
        // A command may exchange the store for another one, so this is the last that happens to it.
        self.apply_recorded(tell);
        panicked.go_on();
    }

    /// Does the part of an operation that drops values. If links end with them a panic waits for [`Store::conclude`]: both sides of these
    /// agree before it goes on.
    #[inline]
    #[must_use]
    pub(super) fn dropping(&mut self, action: impl FnOnce(&mut Self)) -> Waiting {
        if self.listeners.links.are_settled() {
            action(self);
            return Waiting::default();
        }
        Waiting::catch(|| action(self))
    }

    /// The end of an operation that was told of beforehand, in which a listener may have panicked: as [`Store::react`], and then the
    /// panic goes on. If the operation is part of another one, it waits for the end of that.
    pub(super) fn conclude(&mut self, panicked: Waiting) {
        self.react();
        if self.listeners.held == 0 {
            panicked.go_on();
        } else {
            self.let_wait(panicked);
        }
    }

    /// Other operations may come before what has been noted is told.
    pub(super) fn settle_news(&mut self) {
        let Self { structure: Structure { archetypes, .. }, listeners, .. } = self;
        listeners.news.settle_all(&archetypes.tables);
        listeners.news.doubt();
    }

    /// Changes links, or pairs. If that panics, both sides of all of them are compared at the end of the next operation.
    #[inline(always)]
    pub(crate) fn change_links<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let changing = ChangingLinks(self);
        let out = change(changing.0);
        core::mem::forget(changing);
        out
    }

    /// Makes both sides of relationships agree, if there are such components.
    #[inline]
    pub(crate) fn relink(&mut self) {
        let links = &self.listeners.links;
        if !(links.are_settled() && links.refused.is_empty() && !links.may_disagree)
            && let Some(tell) = self.reactions.tell
        {
            (tell.relink)(self);
        }
    }

    /// Makes both sides of relationships agree between the steps of an operation.
    pub(crate) fn settle_links(&mut self) {
        self.relink();
    }

    /// What has been noted may be gone again.
    pub(crate) fn doubt_news(&mut self) {
        self.listeners.news.doubt();
    }

    /// Has a panic go on when the operation has ended.
    pub(crate) fn let_wait(&mut self, mut panicked: Waiting) {
        if panicked.is_some() {
            self.listeners.panicked = core::mem::take(&mut self.listeners.panicked).or(panicked);
        }
    }

    /// Other operations follow before what has been noted is told.
    pub(crate) fn settle_rows(&mut self) {
        if !self.listeners.news.is_empty() {
            self.listeners.news.settle_all(&self.structure.archetypes.tables);
        }
    }

    /// Tells what has been noted.
    fn tell_noted(&mut self, tell: &'static Tell<Self>) {
        if self.listeners.news.is_empty() {
            return;
        }
        let mut news = core::mem::take(&mut self.listeners.news);
        // Of an operation that was broken off it may be gone again.
        news.retain(|entity, id, kinds| {
            self.structure.entities.contains(entity) && self.structure.has(entity, id) != kinds.has(Kinds::GONE)
        });
        news.join(&self.structure.entities);
        if !news.is_empty() {
            (tell.after)(self, &news.view());
        }
        news.raise_failure();
        news.clear();
        if self.listeners.news.is_empty() {
            self.listeners.news = news;
        }
    }

    /// Applies what observers have recorded. It ends an operation: a command may exchange the store for another one.
    #[inline]
    pub(super) fn apply_all_recorded(&mut self) {
        if let Some(tell) = self.reactions.tell {
            self.apply_recorded(tell);
        }
    }

    /// Applies what observers and hooks have recorded.
    #[inline]
    fn apply_recorded(&mut self, tell: &'static Tell<Self>) {
        if self.reactions.has_waiting() || self.structure.entities.needs_flush() {
            self.apply_recorded_now(tell);
        }
    }

    #[cold]
    #[inline(never)]
    fn apply_recorded_now(&mut self, tell: &'static Tell<Self>) {
        // Ids that were promised to commands which are being applied stay pending.
        let world = self.id;
        let pending = core::mem::take(&mut self.structure.pending);
        let home = (!pending.is_empty()).then(|| Home::new(self));
        let promised = Promised { store: self, home, pending };
        (tell.apply)(promised.store);
        if promised.store.id == world {
            promised.store.structure.make_reserved_pending();
            promised.store.place_pending();
        }
    }

    /// The end of an operation by a plan that only tells, on one entity, which may be new: tells what has come, and applies what
    /// observers and hooks have recorded. Nothing has happened since to what the operation knew.
    #[inline(never)]
    pub(super) fn tell_of_row(&mut self, id: PlanId, entity: Entity, is_new: bool) {
        let Self { structure: Structure { archetypes, .. }, listeners, reactions, .. } = &mut *self;
        let plan = archetypes.at(id).plan;
        if plan.interest().has(Interest::RECORDER) {
            listeners.record(entity, plan, is_new);
        }
        if let &[change] = plan.after() {
            return self.tell_of_one(entity, change);
        }
        let affected = Affected::Listed(&[entity]);
        let Some(tell) = reactions.tell.filter(|_| !plan.after().is_empty()) else { return self.react() };
        if listeners.held != 0 || listeners.has_news || reactions.is_running() {
            listeners.news.add(affected, plan.after().iter().copied());
            listeners.has_news = true;
            return self.react();
        }
        if let Some(news) = FewNews::new(entity, plan.after()) {
            (tell.after)(self, &news.view());
        } else {
            let mut news = core::mem::take(&mut listeners.spare);
            news.add(affected, plan.after().iter().copied());
            news.raise_failure();
            (tell.after)(self, &news.view());
            self.take_back(news);
        }
        self.apply_recorded(tell);
    }

    /// [`Store::tell_of_row`] of a plan with one event.
    #[inline]
    pub(super) fn tell_of_one(&mut self, entity: Entity, change: (ComponentId, Kinds)) {
        let Self { listeners, reactions, .. } = &mut *self;
        let is_held = listeners.held != 0 || listeners.has_news || reactions.is_running();
        if let Some(tell) = reactions.tell.filter(|_| !is_held) {
            (tell.after_one)(self, entity, change);
            self.apply_recorded(tell);
        } else {
            listeners.news.add(Affected::Listed(&[entity]), [change]);
            listeners.has_news = true;
        }
        self.react();
    }

    /// Tells what is about to go. A panic of a listener waits for [`Store::conclude`].
    #[must_use]
    fn foretell(&mut self, mut news: News) -> Waiting {
        news.raise_failure();
        let mut panicked = Waiting::default();
        if let Some(tell) = self.reactions.tell.filter(|_| !news.is_empty()) {
            self.listeners.has_news = true;
            let kinds = news.view().kinds();
            if kinds.told() != kinds {
                (tell.unlink)(self, &news.view());
            }
            if !kinds.told().is_none() {
                panicked = self.foretell_listeners(tell, &mut news);
            }
        }
        self.take_back(news);
        panicked
    }

    /// The same, for observers and hooks.
    fn foretell_listeners(&mut self, tell: &'static Tell<Self>, news: &mut News) -> Waiting {
        let mut panicked = Waiting::default();
        news.join(&self.structure.entities);
        let acting = self.structure.entities.acting();
        if self.listeners.held == 0 && !self.listeners.news.is_empty() {
            // It is of an operation that was broken off: what begins to be comes before what ends.
            panicked = Waiting::catch(|| self.tell_noted(tell));
        }
        panicked = panicked.or(Waiting::catch(|| (tell.before)(self, &news.view())));
        self.structure.entities.act(acting);
        // Their rows would be new ones: they come when the operation has ended.
        self.structure.make_reserved_pending();
        panicked
    }

    /// Keeps the memory of news for others.
    fn take_back(&mut self, mut news: News) {
        news.clear();
        self.listeners.spare = news;
    }

    /// Tells what entities of a table are about to lose by a change, unless that has been told.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn expect_change(&mut self, affected: Affected<'_>, table: TableId, change: Change) -> Waiting {
        if self.listeners.foretold != 0 {
            return Waiting::default();
        }
        let mut news = core::mem::take(&mut self.listeners.spare);
        self.foresee_change(&mut news, affected, table, change);
        self.foretell(news)
    }

    /// Notes what entities of a table are about to lose by a change.
    pub(super) fn foresee_change(&mut self, news: &mut News, affected: Affected<'_>, table: TableId, change: Change) {
        let Self { structure: Structure { archetypes, entities: index, sparse, .. }, listeners, .. } = self;
        let Planned { plan, components, tables } = archetypes.planned(table, change);
        let coming = plan.sparse_targets().filter_map(|number| {
            let id = components.sparse()[number];
            components.heard(id).has(Kinds::COMING).then_some((number, id))
        });
        let mut coming: Vec<(usize, ComponentId)> = coming.collect();
        coming.sort_unstable();
        coming.dedup();
        if coming.is_empty() && !(listeners.hears_storages() && index.has_summaries()) {
            return news.add(affected, plan.before().iter().copied());
        }
        for &entity in affected.entities(tables) {
            plan.before().iter().for_each(|&(id, kinds)| news.note(entity, id, kinds));
            let summary = index.sparse_summary(entity.index());
            if listeners.heard_storages.meets(summary) {
                let held = held_by(entity, summary, sparse);
                let fates = held.filter_map(|number| plan.fate_of_sparse(number, components.sparse()[number]));
                let heard = fates.filter_map(|fate| fate.heard_before(components));
                heard.for_each(|(id, kinds)| news.note(entity, id, kinds));
            }
            let missing = coming.iter().filter(|(number, _)| !sparse[*number].contains(entity.index()));
            missing.for_each(|&(_, id)| news.note(entity, id, Kinds::COMING));
        }
    }

    /// Carries out an operation that gives an entity another value of a component that it has.
    pub(crate) fn as_replacement<T>(
        &mut self,
        entity: Entity,
        id: ComponentId,
        operation: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let replaced = Transition::Replaced(id);
        let foresee = |store: &mut Self, news: &mut News| {
            if let Some((id, kinds)) = replaced.heard_before(&store.structure.archetypes.components) {
                news.note(entity, id, kinds);
            }
        };
        self.as_one_foreseen(foresee, |store| {
            // Also if it panics: the value is another one then as well, perhaps.
            store.listeners.note(entity, replaced, &store.structure.archetypes.components);
            operation(store)
        })
    }

    /// Whether observers or hooks may be told of the end of entities of a table, which may be in these sparse storages.
    #[inline]
    pub(super) fn hears_end(&self, table: TableId, storages: SparseSummary) -> bool {
        let in_table =
            self.structure.archetypes.tables.get(table).is_some_and(|table| table.interest().has(Interest::REACTIONS));
        in_table || self.listeners.heard_storages.meets(storages)
    }

    /// Tells that entities of a table are about to end, unless that has been told.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn expect_end(&mut self, affected: Affected<'_>, table: TableId) -> Waiting {
        if self.listeners.foretold != 0 {
            return Waiting::default();
        }
        let mut news = core::mem::take(&mut self.listeners.spare);
        self.foresee_end(&mut news, affected, table);
        self.foretell(news)
    }

    /// Notes that entities of a table are about to end.
    pub(super) fn foresee_end(&mut self, news: &mut News, affected: Affected<'_>, table: TableId) {
        let Self {
            structure: Structure { archetypes: Archetypes { tables, components, .. }, entities: index, sparse, .. },
            listeners,
            ..
        } = self;
        let foreseen = |id: ComponentId| {
            let kinds = components.heard(id).common(Kinds::END.of_all());
            (!kinds.is_none()).then_some((id, kinds))
        };
        let of_each = tables.get(table).map_or(&[][..], Table::components).iter().filter_map(|&id| foreseen(id));
        if !listeners.hears_storages() || !index.has_summaries() {
            return news.add(affected, of_each);
        }
        for &entity in affected.entities(tables) {
            of_each.clone().for_each(|(id, kinds)| news.note(entity, id, kinds));
            let held = held_by(entity, index.sparse_summary(entity.index()), sparse);
            for (id, kinds) in held.filter_map(|number| foreseen(components.sparse()[number])) {
                if !listeners.note_parting(entity, (id, kinds), components) {
                    news.note(entity, id, kinds);
                }
            }
        }
    }

    /// Calls a function with each of some entities, and the store, of which it changes values only.
    #[inline]
    pub(crate) fn for_each_affected(&mut self, affected: Affected<'_>, mut each: impl FnMut(&mut Self, Entity)) {
        const SOME: usize = 32;
        match affected {
            Affected::Listed(entities) => entities.iter().for_each(|&entity| each(self, entity)),
            Affected::Rows { count, .. } => {
                // Several at a time are copied out of the store.
                let mut some = [Entity::PLACEHOLDER; SOME];
                for first in (0..count).step_by(SOME) {
                    let entities =
                        affected.entities(&self.structure.archetypes.tables).get(first..).unwrap_or_default();
                    let taken = entities.len().min(SOME);
                    some[..taken].copy_from_slice(&entities[..taken]);
                    some[..taken].iter().for_each(|&entity| each(self, entity));
                }
            }
        }
    }

    /// Tells beforehand, of several operations that are one, what goes; these are carried out as one then.
    pub(crate) fn as_one_foreseen<T>(
        &mut self,
        foresee: impl FnOnce(&mut Self, &mut News),
        operations: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.is_quiet() || self.listeners.foretold != 0 {
            return self.as_one(operations);
        }
        let panicked = self.change_links(|store| {
            let mut news = core::mem::take(&mut store.listeners.spare);
            foresee(store, &mut news);
            store.foretell(news)
        });
        let out = self.as_foretold(operations);
        self.conclude(panicked);
        out
    }
}

impl Structure {
    /// As if something of these kinds had just happened to components that are there, or to any: of these entities, or of all.
    pub(crate) fn news_of_existing(&self, components: &[ComponentId], kinds: Kinds, entities: &[Entity]) -> News {
        let mut news = News::default();
        let Self { archetypes, entities: index, sparse, .. } = self;
        let is_watched = |id: &ComponentId| components.is_empty() || components.contains(id);
        let of_table = |table: &Table| {
            let watched: Vec<_> = table.components().iter().copied().filter(is_watched).map(|id| (id, kinds)).collect();
            watched
        };
        let is_sparse = |id: &ComponentId| archetypes.components.sparse().contains(id);
        let is_beside = index.has_summaries() && (components.is_empty() || components.iter().any(is_sparse));
        let mut add = |table: &Table, affected: Affected<'_>| {
            let of_each = of_table(table);
            if !is_beside {
                return news.add(affected, of_each);
            }
            for &entity in affected.entities(&archetypes.tables) {
                of_each.iter().for_each(|&(id, kinds)| news.note(entity, id, kinds));
                let held = held_by(entity, index.sparse_summary(entity.index()), sparse);
                let beside = held.map(|number| archetypes.components.sparse()[number]).filter(is_watched);
                beside.for_each(|id| news.note(entity, id, kinds));
            }
        };
        for &entity in entities {
            if let Some(table) = index.get(entity).and_then(|location| archetypes.tables.get(location.table)) {
                add(table, Affected::Listed(&[entity]));
            }
        }
        if entities.is_empty() {
            for table in archetypes.tables.iter() {
                add(table, Affected::Rows { table: table.id(), first: 0, count: table.len() });
            }
        }
        news.raise_failure();
        news.join(index);
        news
    }
}
