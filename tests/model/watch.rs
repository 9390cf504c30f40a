//! The checks after each operation: queries that live as long as the world, and every component of every entity.

use std::collections::HashMap;

use strata_ecs::prelude::*;

use super::oracle::Oracle;
use super::parts::{A, B, C, KINDS, Make, Part, Row, S, T, U, with_part};

type Opposed = (Entity, &'static A, Option<&'static S>, Has<T>);
type Aside = (Entity, &'static S, Option<&'static C>);
type EitherUnit = Or<(With<T>, With<U>)>;

/// Queries made before the first table, so that their caches must be extended to stay right.
pub(crate) struct Watch {
    all: QueryState<Entity>,
    a: QueryState<(Entity, &'static A)>,
    a_without_b: QueryState<Opposed, Without<B>>,
    sparse: QueryState<Aside, EitherUnit>,
    tagged: QueryState<(Entity, Has<A>), (With<T>, Without<S>)>,
}

/// Collects the items of a query, by entity.
fn collect<T>(found: impl Iterator<Item = (Entity, T)>) -> HashMap<Entity, T> {
    let mut all = HashMap::new();
    for (entity, value) in found {
        assert!(all.insert(entity, value).is_none(), "{entity:?} was found twice");
    }
    all
}

impl Watch {
    pub(crate) fn new(world: &mut World) -> Self {
        Self {
            all: world.query(),
            a: world.query(),
            a_without_b: world.query_filtered(),
            sparse: world.query_filtered(),
            tagged: world.query_filtered(),
        }
    }

    /// Fails unless every query finds what the oracle holds, by each way of running it.
    pub(crate) fn check(&mut self, world: &World, oracle: &Oracle) {
        let expect = |test: &dyn Fn(&Row) -> bool| -> HashMap<Entity, Row> {
            oracle.rows.iter().filter(|(_, row)| test(row)).map(|(entity, row)| (*entity, *row)).collect()
        };

        assert_eq!(self.all.query(world).count(), oracle.rows.len());
        let all = collect(self.all.iter(world).map(|entity| (entity, ())));
        assert!(all.keys().all(|entity| oracle.lives(*entity)));

        let expected = expect(&|row| row[A::INDEX].is_some());
        let by_loop = collect(self.a.iter(world).map(|(entity, a)| (entity, a.value())));
        let mut by_slices = HashMap::new();
        for (entities, values) in self.a.contiguous_iter(world) {
            assert_eq!(entities.len(), values.len());
            by_slices.extend(entities.iter().zip(values).map(|(entity, a)| (*entity, a.value())));
        }
        assert_eq!(by_loop, by_slices);
        assert_eq!(by_loop.len(), expected.len());
        assert!(by_loop.iter().all(|(entity, value)| expected[entity][A::INDEX] == Some(*value)));

        let expected = expect(&|row| row[A::INDEX].is_some() && row[B::INDEX].is_none());
        let found =
            collect(self.a_without_b.iter(world).map(|(entity, a, s, t)| (entity, (a.value(), s.map(Part::value), t))));
        assert_eq!(found.len(), expected.len());
        for (entity, (a, s, t)) in found {
            let row = expected[&entity];
            assert_eq!((Some(a), s, t), (row[A::INDEX], row[S::INDEX], row[T::INDEX].is_some()));
        }

        let expected = expect(&|row| row[S::INDEX].is_some() && (row[T::INDEX].is_some() || row[U::INDEX].is_some()));
        let mut found = HashMap::new();
        self.sparse.iter(world).for_each(|(entity, s, c)| {
            assert!(found.insert(entity, (s.value(), c.map(Part::value))).is_none());
        });
        assert_eq!(found.len(), expected.len());
        for (entity, (s, c)) in found {
            assert_eq!((Some(s), c), (expected[&entity][S::INDEX], expected[&entity][C::INDEX]));
        }

        let expected = expect(&|row| row[T::INDEX].is_some() && row[S::INDEX].is_none());
        let found = collect(self.tagged.iter(world));
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().all(|(entity, a)| expected[entity][A::INDEX].is_some() == *a));
        assert_eq!(self.tagged.is_empty(world), expected.is_empty());
    }

    /// Fails unless random access through a query agrees with the oracle.
    pub(crate) fn check_entity(&mut self, world: &World, oracle: &Oracle, entity: Entity) {
        let a = self.a.get(world, entity).map(|(id, a)| (id, a.value())).ok();
        assert_eq!(a, oracle.rows.get(&entity).and_then(|row| row[A::INDEX]).map(|value| (entity, value)));
        assert_eq!(self.tagged.contains(world, entity), oracle.has(entity, T::MASK) && !oracle.has(entity, S::MASK));
    }
}

/// The row of a living entity, read component by component.
pub(crate) fn read(world: &World, entity: Entity) -> Option<Row> {
    let entity = world.get_entity(entity).ok()?;
    let mut row = [None; KINDS];
    for kind in 0..KINDS {
        with_part!(kind as u8, P => {
            assert_eq!(entity.contains::<P>(), entity.get::<P>().is_some());
            row[P::INDEX] = entity.get::<P>().map(Part::value);
            let by_id = world.component_id::<P>().and_then(|id| entity.get_by_id(id).ok());
            assert_eq!(by_id.map(|value| value.downcast_ref::<P>().map(Part::value)), row[P::INDEX].map(Some));
        });
    }
    Some(row)
}
