//! Edges between tables: what adding or removing a bundle does to an entity of a table.
//!
//! An edge is found by (source table, bundle) with one probe of a small map that the source owns, and holds the finished
//! plan of the move: which column goes where, which values are new, which are dropped. Plans are made on first use, so
//! memory follows what is used.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::{ComponentId, Components, StorageType};
use crate::entity::TableId;
use crate::id_map::IdMap;
use crate::table::{ColumnPair, Tables};

/// Where one component of a bundle goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Into a column of the destination table.
    Column {
        index: u32,
        /// Whether the row has a value of the component already, which is replaced.
        replace: bool,
    },
    /// Into the sparse storage with this number.
    Sparse(u32),
}

/// What happens when a bundle is added to an entity of a table.
pub(crate) struct InsertPlan {
    /// The destination; the source itself if nothing new comes to the table.
    pub(crate) table: TableId,
    /// The columns that move. Empty if the destination is the source.
    pub(crate) copies: Box<[ColumnPair]>,
    /// For each component of the bundle, in its order.
    pub(crate) targets: Box<[Target]>,
}

/// What happens when a bundle is removed from an entity of a table.
pub(crate) struct RemovePlan {
    /// The destination; the source itself if the table has no column of the bundle.
    pub(crate) table: TableId,
    /// The columns that stay with the entity.
    pub(crate) copies: Box<[ColumnPair]>,
    /// The columns of the source whose value goes.
    pub(crate) drops: Box<[u32]>,
    /// For each component of the bundle, in its order: the column of the source that has it.
    pub(crate) sources: Box<[Source]>,
    /// Whether the table has every table-stored component of the bundle.
    pub(crate) complete: bool,
}

/// Where one component of a bundle is found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// In a column of the source table.
    Column(u32),
    /// In the sparse storage with this number.
    Sparse(u32),
    /// Nowhere: the table has no such column.
    Absent,
}

#[derive(Default)]
struct Edges {
    inserts: IdMap,
    removes: IdMap,
}

/// The edges of all tables.
#[derive(Default)]
pub(crate) struct Graph {
    edges: Vec<Edges>,
    inserts: Vec<InsertPlan>,
    removes: Vec<RemovePlan>,
}

impl Graph {
    /// The plan for adding the bundle with number `bundle` to an entity of a table; `ids` gives its components if the
    /// plan has to be made.
    #[inline]
    pub(crate) fn insert_plan<'a>(
        &mut self,
        from: TableId,
        bundle: u32,
        ids: impl FnOnce() -> &'a [ComponentId],
        tables: &mut Tables,
        components: &Components,
    ) -> &InsertPlan {
        let known = self.edges.get(from.index()).and_then(|edges| edges.inserts.get(bundle));
        let at = match known {
            Some(at) => at,
            None => self.make_insert(from, bundle, ids(), tables, components),
        };
        &self.inserts[at as usize]
    }

    /// The plan for removing the bundle with number `bundle` from an entity of a table; `ids` gives its components if the
    /// plan has to be made.
    #[inline]
    pub(crate) fn remove_plan<'a>(
        &mut self,
        from: TableId,
        bundle: u32,
        ids: impl FnOnce() -> &'a [ComponentId],
        tables: &mut Tables,
        components: &Components,
    ) -> &RemovePlan {
        let known = self.edges.get(from.index()).and_then(|edges| edges.removes.get(bundle));
        let at = match known {
            Some(at) => at,
            None => self.make_remove(from, bundle, ids(), tables, components),
        };
        &self.removes[at as usize]
    }

    fn edges_of(&mut self, from: TableId) -> &mut Edges {
        if self.edges.len() <= from.index() {
            self.edges.resize_with(from.index() + 1, Edges::default);
        }
        &mut self.edges[from.index()]
    }

    #[cold]
    #[inline(never)]
    fn make_insert(
        &mut self,
        from: TableId,
        bundle: u32,
        ids: &[ComponentId],
        tables: &mut Tables,
        components: &Components,
    ) -> u32 {
        let plan = plan_insert(from, ids, tables, components);
        let at = self.inserts.len() as u32;
        self.inserts.push(plan);
        self.edges_of(from).inserts.insert(bundle, at);
        at
    }

    #[cold]
    #[inline(never)]
    fn make_remove(
        &mut self,
        from: TableId,
        bundle: u32,
        ids: &[ComponentId],
        tables: &mut Tables,
        components: &Components,
    ) -> u32 {
        let plan = plan_remove(from, ids, tables, components);
        let at = self.removes.len() as u32;
        self.removes.push(plan);
        self.edges_of(from).removes.insert(bundle, at);
        at
    }

    /// The bytes that the edges have allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let plans = self.inserts.iter().map(|plan| size_of_val(&*plan.copies) + size_of_val(&*plan.targets));
        let removes = self
            .removes
            .iter()
            .map(|plan| size_of_val(&*plan.copies) + size_of_val(&*plan.drops) + size_of_val(&*plan.sources));
        let maps = self.edges.iter().map(|edges| edges.inserts.allocated_bytes() + edges.removes.allocated_bytes());
        plans.chain(removes).chain(maps).sum::<usize>()
            + self.edges.capacity() * size_of::<Edges>()
            + self.inserts.capacity() * size_of::<InsertPlan>()
            + self.removes.capacity() * size_of::<RemovePlan>()
    }
}

/// Works out the plan for adding components, without caching it.
pub(crate) fn plan_insert(
    from: TableId,
    ids: &[ComponentId],
    tables: &mut Tables,
    components: &Components,
) -> InsertPlan {
    let mut all: Vec<ComponentId> = tables.get(from).map_or(Vec::new(), |table| table.components().to_vec());
    all.extend(ids.iter().copied().filter(|&id| is_table(id, components)));
    all.sort_unstable();
    all.dedup();
    let to = tables.find_or_create(&all, components);
    let targets = ids.iter().map(|&id| match components.info(id) {
        Some(info) if info.storage() == StorageType::Sparse => Target::Sparse(info.sparse_index() as u32),
        _ => Target::Column { index: column(tables, to, id), replace: has(tables, from, id) },
    });
    InsertPlan { table: to, targets: targets.collect(), copies: pairs(from, to, tables) }
}

fn plan_remove(from: TableId, ids: &[ComponentId], tables: &mut Tables, components: &Components) -> RemovePlan {
    let old: Vec<ComponentId> = tables.get(from).map_or(Vec::new(), |table| table.components().to_vec());
    let rest: Vec<ComponentId> = old.iter().copied().filter(|id| !ids.contains(id)).collect();
    let to = tables.find_or_create(&rest, components);
    let sources = ids.iter().map(|&id| match components.info(id) {
        Some(info) if info.storage() == StorageType::Sparse => Source::Sparse(info.sparse_index() as u32),
        _ if has(tables, from, id) => Source::Column(column(tables, from, id)),
        _ => Source::Absent,
    });
    let sources: Box<[Source]> = sources.collect();
    RemovePlan {
        table: to,
        copies: pairs(from, to, tables),
        drops: old.iter().filter(|id| ids.contains(id)).map(|&id| column(tables, from, id)).collect(),
        complete: !sources.iter().any(|source| matches!(source, Source::Absent)),
        sources,
    }
}

fn is_table(id: ComponentId, components: &Components) -> bool {
    components.info(id).is_some_and(|info| info.storage() == StorageType::Table)
}

fn has(tables: &Tables, table: TableId, id: ComponentId) -> bool {
    tables.get(table).is_some_and(|table| table.contains(id))
}

/// The column of a component that the table is known to have.
fn column(tables: &Tables, table: TableId, id: ComponentId) -> u32 {
    let found = tables.get(table).and_then(|table| table.column_index(id));
    let Some(index) = found else { unreachable!("the table was made with this component") };
    index as u32
}

/// The columns that two tables have in common; none if they are the same table.
fn pairs(from: TableId, to: TableId, tables: &Tables) -> Box<[ColumnPair]> {
    let (Some(source), Some(target)) = (tables.get(from), tables.get(to)) else { return Box::default() };
    if from == to {
        return Box::default();
    }
    let pair = |(at, &id): (usize, &ComponentId)| {
        target.column_index(id).map(|to| ColumnPair { from: at as u32, to: to as u32 })
    };
    source.components().iter().enumerate().filter_map(pair).collect()
}
