//! What observers of components, and hooks, are told of an operation.
//!
//! Entities to which the same happens stand together, so that listeners can be called in a loop, or once for all of them. Rows of a
//! table are not copied: an operation names them if they stay where they are until it has told of them, and lists them otherwise
//! ([`News::settle`]).

use alloc::vec::Vec;
use core::ops::Range;

use crate::alloc_error::{AllocError, try_reserve};
use crate::component::{ComponentId, Kinds};
use crate::entity::{Entities, Entity, TableId};
use crate::table::{Table, Tables};

/// What happens to which entities, in the order of an operation. All of one entity stands together.
#[derive(Default)]
pub(crate) struct News {
    entities: Vec<Entity>,
    changes: Vec<(ComponentId, Kinds)>,
    parts: Vec<Part>,
    /// Set if something could not be noted: an operation that moves rows cannot fail, so this is raised when the rest is told.
    failed: Option<AllocError>,
}

/// Entities to which the same happens.
struct Part {
    of: Of,
    changes: Range<usize>,
    /// Whether nothing else can have happened to the entities since.
    is_certain: bool,
}

enum Of {
    Rows(TableId, Range<usize>),
    Listed(Range<usize>),
}

/// Entities to which the same happens, in order.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum Affected<'n> {
    /// Those in so many rows of a table, from one on.
    Rows { table: TableId, first: usize, count: usize },
    /// These.
    Listed(&'n [Entity]),
}

impl<'n> Affected<'n> {
    /// How many they are.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Rows { count, .. } => count,
            Self::Listed(entities) => entities.len(),
        }
    }

    /// The entities.
    #[inline]
    pub(crate) fn entities<'t>(self, tables: &'t Tables) -> &'t [Entity]
    where
        'n: 't,
    {
        match self {
            Self::Rows { table, first, count } => {
                let entities = tables.get(table).map_or(&[][..], Table::entities);
                entities.get(first..first + count).unwrap_or_default()
            }
            Self::Listed(entities) => entities,
        }
    }

    /// One of them.
    #[inline]
    pub(crate) fn get(self, nth: usize, tables: &Tables) -> Option<Entity> {
        self.entities(tables).get(nth).copied()
    }

    /// Some of them.
    #[inline]
    pub(crate) fn some(self, range: Range<usize>) -> Self {
        match self {
            Self::Rows { table, first, .. } => Self::Rows { table, first: first + range.start, count: range.len() },
            Self::Listed(entities) => Self::Listed(entities.get(range).unwrap_or_default()),
        }
    }

    /// One of them alone.
    pub(crate) fn only(self, nth: usize) -> Self {
        match self {
            Self::Rows { table, first, .. } => Self::Rows { table, first: first + nth, count: 1 },
            Self::Listed(entities) => Self::Listed(entities.get(nth..=nth).unwrap_or_default()),
        }
    }
}

impl News {
    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.failed.is_none()
    }

    /// Does not fail later, although something could not be noted.
    pub(crate) fn forget_failure(&mut self) {
        self.failed = None;
    }

    /// Fails if something could not be noted.
    pub(crate) fn raise_failure(&mut self) {
        if let Some(error) = self.failed.take() {
            error.raise()
        }
    }

    /// Forgets all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.entities.clear();
        self.changes.clear();
        self.parts.clear();
        self.failed = None;
    }

    /// Notes what happens to a component of an entity. What comes twice belongs to two operations.
    pub(crate) fn note(&mut self, entity: Entity, id: ComponentId, kinds: Kinds) {
        if let Some(Part { of: Of::Listed(range), changes, .. }) = self.parts.last_mut()
            && range.len() == 1
            && self.entities[range.start] == entity
            && self.changes[changes.clone()].iter().all(|change| change.0 != id)
        {
            match try_reserve(&mut self.changes, 1) {
                Ok(()) => {
                    self.changes.push((id, kinds));
                    changes.end += 1;
                }
                Err(error) => self.failed = Some(error),
            }
            return;
        }
        self.list(&[entity], [(id, kinds)]);
    }

    /// Notes what happens to all of these entities.
    pub(crate) fn add(&mut self, of: Affected<'_>, changes: impl IntoIterator<Item = (ComponentId, Kinds)>) {
        match of {
            Affected::Rows { table, first, count } => self.push(Of::Rows(table, first..first + count), changes),
            Affected::Listed(entities) => self.list(entities, changes),
        }
    }

    fn list(&mut self, entities: &[Entity], changes: impl IntoIterator<Item = (ComponentId, Kinds)>) {
        let mut changes = changes.into_iter().peekable();
        if changes.peek().is_some() {
            if let Err(error) = try_reserve(&mut self.entities, entities.len()) {
                self.failed = Some(error);
                return;
            }
            let first = self.entities.len();
            self.entities.extend_from_slice(entities);
            self.push(Of::Listed(first..self.entities.len()), changes);
        }
    }

    fn push(&mut self, of: Of, changes: impl IntoIterator<Item = (ComponentId, Kinds)>) {
        let first = self.changes.len();
        let noted = changes.into_iter().try_for_each(|change| {
            try_reserve(&mut self.changes, 1)?;
            self.changes.push(change);
            Ok(())
        });
        if let Err(error) = noted.and_then(|()| try_reserve(&mut self.parts, 1)) {
            self.failed = Some(error);
            return self.changes.truncate(first);
        }
        let changes = first..self.changes.len();
        let is_empty = match &of {
            Of::Rows(_, rows) => rows.is_empty(),
            Of::Listed(range) => range.is_empty(),
        };
        if is_empty || changes.is_empty() {
            return;
        }
        if let (Some(Part { of: Of::Rows(last, last_rows), changes: of_last, .. }), Of::Rows(table, rows)) =
            (self.parts.last_mut(), &of)
            && (*last, last_rows.end) == (*table, rows.start)
            && self.changes[of_last.clone()] == self.changes[changes.clone()]
        {
            last_rows.end = rows.end;
            return self.changes.truncate(first);
        }
        // What is noted of single entities may come from several operations that are one.
        let is_certain = match &of {
            Of::Rows(..) => true,
            Of::Listed(range) => range.len() != 1,
        };
        self.parts.push(Part { of, changes, is_certain });
    }

    /// Lists entities that are known by their rows in this table: they may be in others soon.
    pub(crate) fn settle(&mut self, table: &Table) {
        let Self { entities, parts, failed, .. } = self;
        parts.retain_mut(|Part { of, .. }| {
            if let Of::Rows(id, rows) = of
                && *id == table.id()
            {
                let (first, rows) = (entities.len(), table.entities().get(rows.clone()).unwrap_or_default());
                if let Err(error) = try_reserve(entities, rows.len()) {
                    *failed = Some(error);
                    return false;
                }
                entities.extend_from_slice(rows);
                *of = Of::Listed(first..entities.len());
            }
            true
        });
    }

    /// The same, of all tables.
    pub(crate) fn settle_all(&mut self, tables: &Tables) {
        let by_rows = |part: &Part| if let Of::Rows(table, _) = part.of { Some(table) } else { None };
        while let Some(table) = self.parts.iter().find_map(by_rows) {
            match tables.get(table) {
                Some(table) => self.settle(table),
                None => self.parts.retain(|part| by_rows(part) != Some(table)),
            }
        }
    }

    /// An operation was broken off: others may come before it is told.
    pub(crate) fn doubt(&mut self) {
        self.parts.iter_mut().for_each(|part| part.is_certain = false);
    }

    /// Leaves out what is not so any more.
    pub(crate) fn retain(&mut self, is_so: impl Fn(Entity, ComponentId, Kinds) -> bool) {
        let holds = |news: &Self, part: &Part| match &part.of {
            // Several may have gone different ways.
            Of::Listed(range) if !part.is_certain && range.len() != 1 => false,
            Of::Listed(range) if !part.is_certain => {
                let changes = &news.changes[part.changes.clone()];
                news.entities[range.clone()]
                    .iter()
                    .all(|&entity| changes.iter().all(|change| is_so(entity, change.0, change.1)))
            }
            _ => true,
        };
        if self.parts.iter().all(|part| holds(self, part)) {
            return;
        }
        let all = core::mem::take(self);
        self.failed = all.failed;
        for part in all.parts {
            let changes = all.changes[part.changes].iter().copied();
            match part.of {
                Of::Rows(table, rows) => self.push(Of::Rows(table, rows), changes),
                Of::Listed(range) if part.is_certain => {
                    self.list(&all.entities[range], changes);
                    self.parts.iter_mut().next_back().into_iter().for_each(|last| last.is_certain = true);
                }
                Of::Listed(range) => {
                    for &entity in &all.entities[range] {
                        self.list(&[entity], changes.clone().filter(|change| is_so(entity, change.0, change.1)));
                    }
                }
            }
        }
    }

    /// Puts neighbours in one table together to which the same happens.
    pub(crate) fn join(&mut self, index: &Entities) {
        let Self { entities, changes, parts, .. } = self;
        let table = |place: usize| index.get(entities[place]).map(|location| location.table);
        parts.dedup_by(|next, last| {
            let (Of::Listed(next_range), Of::Listed(range)) = (&next.of, &mut last.of) else { return false };
            let joins = range.end == next_range.start
                && last.is_certain == next.is_certain
                && changes[last.changes.clone()] == changes[next.changes.clone()]
                && table(range.start) == table(next_range.start);
            if joins {
                range.end = next_range.end;
            }
            joins
        });
    }

    /// What listeners are told of it.
    #[inline]
    pub(crate) fn view(&self) -> NewsView<'_> {
        NewsView { entities: &self.entities, changes: &self.changes, parts: &self.parts }
    }
}

/// News as listeners are told of them.
#[derive(Clone, Copy)]
pub(crate) struct NewsView<'n> {
    entities: &'n [Entity],
    changes: &'n [(ComponentId, Kinds)],
    parts: &'n [Part],
}

/// What happens to few components of one entity: news without memory of their own.
pub(crate) struct FewNews {
    entity: [Entity; 1],
    changes: [(ComponentId, Kinds); Self::FEW],
    part: [Part; 1],
}

impl FewNews {
    /// How many components it can be.
    const FEW: usize = 4;

    /// Of these components; none if there are none of them, or too many.
    #[inline]
    pub(crate) fn new(entity: Entity, changes: &[(ComponentId, Kinds)]) -> Option<Self> {
        let &first = changes.first()?;
        let count = changes.len();
        if count > Self::FEW {
            return None;
        }
        let mut few = [first; Self::FEW];
        few.iter_mut().zip(changes).for_each(|(place, &change)| *place = change);
        let part = Part { of: Of::Listed(0..1), changes: 0..count, is_certain: true };
        Some(Self { entity: [entity], changes: few, part: [part] })
    }

    /// Of one component.
    #[inline]
    pub(crate) fn of_one(entity: Entity, change: (ComponentId, Kinds)) -> Self {
        let part = Part { of: Of::Listed(0..1), changes: 0..1, is_certain: true };
        Self { entity: [entity], changes: [change; Self::FEW], part: [part] }
    }

    /// What listeners are told of it.
    #[inline]
    pub(crate) fn view(&self) -> NewsView<'_> {
        let [Part { changes, .. }] = &self.part;
        NewsView { entities: &self.entity, changes: &self.changes[changes.clone()], parts: &self.part }
    }
}

impl<'n> NewsView<'n> {
    /// Whether it is one change of one component.
    #[inline]
    pub(crate) fn is_of_one(&self) -> bool {
        self.changes.len() == 1
    }

    /// Everything of which something is told.
    #[inline]
    pub(crate) fn kinds(&self) -> Kinds {
        self.changes.iter().fold(Kinds::NONE, |all, change| all.and(change.1))
    }

    /// The entities to which something of some kinds happens, if it is the same to all of them, and to one component.
    #[inline]
    pub(crate) fn only(&self, kinds: Kinds) -> Option<(Affected<'n>, ComponentId)> {
        let [part] = self.parts else { return None };
        let mut components = self.changes[part.changes.clone()].iter().filter(|change| change.1.has(kinds));
        let &(id, _) = components.next()?;
        components.next().is_none().then(|| (self.affected(part), id))
    }

    #[inline]
    fn affected(&self, part: &Part) -> Affected<'n> {
        match &part.of {
            Of::Rows(table, rows) => Affected::Rows { table: *table, first: rows.start, count: rows.len() },
            Of::Listed(range) => Affected::Listed(&self.entities[range.clone()]),
        }
    }

    /// The entities to which something of some kinds happens, and what.
    pub(crate) fn of_kinds(&self, kinds: Kinds) -> impl Iterator<Item = NewsPart<'n>> + Clone + use<'n> {
        let news = *self;
        let parts = news.parts.iter().map(move |part| NewsPart {
            affected: news.affected(part),
            changes: &news.changes[part.changes.clone()],
            kinds,
        });
        parts.filter(|part| part.components().next().is_some())
    }
}

/// Entities to which the same happens, seen by listeners of some kinds.
#[derive(Clone, Copy)]
pub(crate) struct NewsPart<'n> {
    pub(crate) affected: Affected<'n>,
    changes: &'n [(ComponentId, Kinds)],
    kinds: Kinds,
}

impl<'n> NewsPart<'n> {
    /// The components to which it happens.
    pub(crate) fn components(&self) -> impl Iterator<Item = ComponentId> + Clone + use<'n> {
        let kinds = self.kinds;
        self.changes.iter().filter(move |change| change.1.has(kinds)).map(|change| change.0)
    }

    /// What happens to a component.
    pub(crate) fn of(&self, id: ComponentId) -> Kinds {
        let of_it = self.changes.iter().filter(|change| change.0 == id);
        of_it.fold(Kinds::NONE, |all, change| all.and(change.1)).common(self.kinds)
    }
}
