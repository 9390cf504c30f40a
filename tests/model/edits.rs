//! The operations on an entity. New operations on entities are added only here.
//!
//! An operation is a type here, with an implementation of [`Edit`] and its name in the list. The driver (`forms.rs`) then
//! plays it on one entity, on a selection, as a command, as commands grouped with others, as the command of a selection,
//! and as commands of systems on several threads, with panics in destructors and in the user's code, and compares the
//! world with the oracle after each.

use std::any::type_name;
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union;
use strata_ecs::component::{ComponentId, ErasedRef, ErasedValue};
use strata_ecs::prelude::*;
use strata_tests::panics::catch;

use super::faults::call;
use super::operations::{kind, value};
use super::oracle::Oracle;
use super::parts::{
    A, B, C, KINDS, Make, Mask, OLD_BUNDLES, Part, Row, S, T, indices, with_bundle, with_old_bundle, with_part,
};

/// Records one change of one entity. The values are in it.
pub(crate) type Recorded = Box<dyn FnOnce(&mut EntityCommands<'_>) + Send>;

/// For which entities a function of the user has been called.
pub(crate) type Calls = Vec<Entity>;

/// An operation on an entity. Where the library has more than one call for the same, `way` says which.
pub(crate) trait Edit: Clone + Debug + Send + 'static {
    /// How often it is drawn, compared with the others.
    const WEIGHT: u32;

    fn draw() -> BoxedStrategy<Self>;

    /// Its effect on a living entity. Returns whether a selection counts the entity.
    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool;

    /// The call on one entity. Compares what it returns with what the entity had.
    fn single(&self, way: u8, entity: EntityWorldMut<'_>);

    /// The call on a selection, if there is one; entities are edited one by one otherwise.
    fn batch(&self, _way: u8, _selection: EntitySelection<'_>, _calls: &mut Calls) -> Option<usize> {
        None
    }

    /// The command for one entity, if there is one; a closure makes the call on one entity otherwise.
    fn command(&self, _way: u8, _entity: Entity) -> Option<Recorded> {
        None
    }

    /// The names of the command and of its bundle in the error for a dead entity, if there is one.
    fn names(&self, _way: u8) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Records the command for a selection. Returns whether there is one; a closure edits one by one otherwise.
    fn batch_command(&self, _way: u8, _selection: SelectionCommands<'_>) -> bool {
        false
    }
}

macro_rules! edits {
    ($($Name:ident)*) => {
        /// Any of the operations on entities.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyEdit {
            $($Name($Name),)*
        }

        /// Any operation on an entity.
        pub(crate) fn edit() -> impl Strategy<Value = AnyEdit> {
            Union::new_weighted(vec![$(($Name::WEIGHT, $Name::draw().prop_map(AnyEdit::$Name).boxed()),)*])
        }

        impl AnyEdit {
            pub(crate) fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
                match self { $(Self::$Name(edit) => edit.expect(oracle, entity),)* }
            }

            pub(crate) fn single(&self, way: u8, entity: EntityWorldMut<'_>) {
                match self { $(Self::$Name(edit) => edit.single(way, entity),)* }
            }

            pub(crate) fn batch(&self, way: u8, selection: EntitySelection<'_>, calls: &mut Calls) -> Option<usize> {
                match self { $(Self::$Name(edit) => edit.batch(way, selection, calls),)* }
            }

            pub(crate) fn command(&self, way: u8, entity: Entity) -> Option<Recorded> {
                match self { $(Self::$Name(edit) => edit.command(way, entity),)* }
            }

            pub(crate) fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$Name(edit) => edit.names(way),)* }
            }

            pub(crate) fn batch_command(&self, way: u8, selection: SelectionCommands<'_>) -> bool {
                match self { $(Self::$Name(edit) => edit.batch_command(way, selection),)* }
            }
        }
    };
}

edits! { Insert InsertEach InsertFrom InsertBuilt InsertIfNew Remove Retain Clear Take Replace Exchange Write Despawn }

/// Several of them.
pub(crate) fn edits() -> impl Strategy<Value = Vec<AnyEdit>> {
    vec(edit(), 1..4)
}

fn mask(kind: u8) -> Mask {
    with_bundle!(kind, M => M::MASK)
}

fn old_mask(old: u8) -> Mask {
    with_old_bundle!(old, Old => Old::MASK)
}

/// A command, of which `way` says whether it is one that reports no error.
macro_rules! recorded {
    ($way:expr, $kind:expr, $value:expr, $loud:ident, $quiet:ident) => {
        with_bundle!($kind, M => {
            let made = M::make($value);
            let recorded: Recorded = if $way % 2 == 0 {
                Box::new(move |to| _ = to.$loud(made))
            } else {
                Box::new(move |to| _ = to.$quiet(made))
            };
            Some(recorded)
        })
    };
}

fn name_of(kind: u8) -> &'static str {
    with_bundle!(kind, M => type_name::<M>())
}

/// The components that an entity has, and their values.
fn look(entity: &EntityWorldMut<'_>) -> Row {
    let mut row = [None; KINDS];
    for kind in 0..KINDS as u8 {
        with_part!(kind, P => row[P::INDEX] = entity.get::<P>().map(Part::value));
    }
    row
}

/// The components of a bundle by their ids, with values that do not show their types.
fn by_ids<M: Make>(made: M, world: &mut World) -> Vec<(ComponentId, ErasedValue)> {
    let mut builder = EntityBuilder::new();
    made.add_to(&mut builder);
    let descriptors: Vec<_> = builder.iter_erased().map(ErasedRef::descriptor).collect();
    let taken = descriptors.into_iter().map(|descriptor| {
        let id = world.register_component_with_descriptor(descriptor).expect("it is a type");
        (id, builder.take_erased(descriptor).expect("it was added"))
    });
    taken.collect()
}

/// Returns the part of a row that belongs to a bundle, if the row has all components of the bundle.
fn part_of(row: &Row, mask: Mask) -> Option<Row> {
    let has_all = (0..KINDS).all(|kind| mask & (1 << kind) == 0 || row[kind].is_some());
    has_all.then(|| std::array::from_fn(|kind| row[kind].filter(|_| mask & (1 << kind) != 0)))
}

/// Adds a bundle and overwrites what is there.
#[derive(Clone, Debug)]
pub(crate) struct Insert {
    pub(crate) kind: u8,
    pub(crate) value: u32,
}

impl Edit for Insert {
    const WEIGHT: u32 = 8;

    fn draw() -> BoxedStrategy<Self> {
        (kind(), value()).prop_map(|(kind, value)| Self { kind, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.insert(entity, mask(self.kind), self.value);
        true
    }

    fn single(&self, way: u8, mut entity: EntityWorldMut<'_>) {
        match way % 3 {
            0 => with_bundle!(self.kind, M => _ = entity.insert(M::make(self.value))),
            1 => {
                let mut builder = EntityBuilder::new();
                with_bundle!(self.kind, M => M::make(self.value).add_to(&mut builder));
                let _ = entity.insert_dynamic(&mut builder);
                assert!(builder.is_empty());
            }
            _ => {
                let made = |world: &mut World| with_bundle!(self.kind, M => by_ids(M::make(self.value), world));
                let values = entity.world_scope(made);
                let _ = entity.insert_by_ids(values).expect("the entity is alive");
            }
        }
    }

    fn batch(&self, way: u8, selection: EntitySelection<'_>, calls: &mut Calls) -> Option<usize> {
        with_bundle!(self.kind, M => Some(if way % 2 == 0 {
            selection.insert(M::make(self.value))
        } else {
            selection.insert_with(|entity| {
                call();
                calls.push(entity);
                M::make(self.value)
            })
        }))
    }

    fn command(&self, way: u8, _: Entity) -> Option<Recorded> {
        recorded!(way, self.kind, self.value, insert, try_insert)
    }

    fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
        way.is_multiple_of(2).then(|| ("insert", name_of(self.kind)))
    }

    fn batch_command(&self, _: u8, selection: SelectionCommands<'_>) -> bool {
        with_bundle!(self.kind, M => selection.insert(M::make(self.value)));
        true
    }
}

/// Adds a bundle with a value for each entity.
#[derive(Clone, Debug)]
pub(crate) struct InsertEach {
    kind: u8,
    value: u32,
}

impl InsertEach {
    fn value(&self, entity: Entity) -> u32 {
        self.value + entity.index() % 1_000
    }
}

impl Edit for InsertEach {
    const WEIGHT: u32 = 5;

    fn draw() -> BoxedStrategy<Self> {
        (kind(), value()).prop_map(|(kind, value)| Self { kind, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.insert(entity, mask(self.kind), self.value(entity));
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        let value = self.value(entity.id());
        with_bundle!(self.kind, M => _ = entity.insert(M::make(value)));
    }

    fn batch(&self, way: u8, selection: EntitySelection<'_>, calls: &mut Calls) -> Option<usize> {
        with_bundle!(self.kind, M => Some(if way % 2 == 0 {
            selection.insert_with(|entity| {
                call();
                calls.push(entity);
                M::make(self.value(entity))
            })
        } else {
            let values: Vec<u32> = selection.ids().into_iter().map(|entity| self.value(entity)).collect();
            M::insert_columns(selection, &values).expect("one value for each entity")
        }))
    }

    fn command(&self, way: u8, entity: Entity) -> Option<Recorded> {
        recorded!(way, self.kind, self.value(entity), insert, try_insert)
    }

    fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
        way.is_multiple_of(2).then(|| ("insert", name_of(self.kind)))
    }

    fn batch_command(&self, _: u8, selection: SelectionCommands<'_>) -> bool {
        let this = self.clone();
        with_bundle!(self.kind, M => selection.insert_with(move |entity| {
            call();
            M::make(this.value(entity))
        }));
        true
    }
}

/// Adds a bundle that is made of other components of the entity, which is passed over if it has not got them.
#[derive(Clone, Debug)]
pub(crate) struct InsertFrom {
    kind: u8,
    read: u8,
}

/// The values that `InsertFrom` makes of what is read, for `insert_from` of selections and of their commands.
macro_rules! insert_from {
    ($this:expr, $selection:expr) => {
        with_bundle!($this.kind, M => match $this.read % 4 {
            0 => $selection.insert_from::<&A, _>(|a| M::make(from_made(a.value() + 1))),
            1 => $selection.insert_from::<(Entity, &S), _>(|(_, s)| M::make(from_made(s.value() + 3))),
            2 => $selection.insert_from::<Option<&B>, _>(|b| M::make(from_made(b.map_or(7, |b| b.value() + 2)))),
            _ => $selection.insert_from::<(&C, Has<T>), _>(|(c, t)| M::make(from_made(c.value() + u32::from(t)))),
        })
    };
}

/// The function of the user is called. Values do not grow beyond all bounds.
fn from_made(value: u32) -> u32 {
    call();
    value % 50_000
}

impl InsertFrom {
    fn value(&self, row: &Row) -> Option<u32> {
        let value = match self.read % 4 {
            0 => row[A::INDEX].map(|a| a + 1),
            1 => row[S::INDEX].map(|s| s + 3),
            2 => Some(row[B::INDEX].map_or(7, |b| b + 2)),
            _ => row[C::INDEX].map(|c| c + u32::from(row[T::INDEX].is_some())),
        };
        value.map(|value| value % 50_000)
    }
}

impl Edit for InsertFrom {
    const WEIGHT: u32 = 3;

    fn draw() -> BoxedStrategy<Self> {
        (kind(), 0..4_u8).prop_map(|(kind, read)| Self { kind, read }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        let value = oracle.row(entity).and_then(|row| self.value(&row));
        value.into_iter().for_each(|value| oracle.insert(entity, mask(self.kind), value));
        value.is_some()
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        if let Some(value) = self.value(&look(&entity)) {
            with_bundle!(self.kind, M => _ = entity.insert(M::make(value)));
        }
    }

    fn batch(&self, _: u8, selection: EntitySelection<'_>, _: &mut Calls) -> Option<usize> {
        Some(insert_from!(self, selection))
    }

    fn batch_command(&self, _: u8, selection: SelectionCommands<'_>) -> bool {
        insert_from!(self, selection);
        true
    }
}

/// Adds a bundle that is put together at run time, of two in which components may come twice.
#[derive(Clone, Debug)]
pub(crate) struct InsertBuilt {
    first: u8,
    second: u8,
    value: u32,
}

/// A builder with two bundles, and the components in it. The destructor of an overwritten value may panic once.
pub(crate) fn build(first: u8, second: u8, value: u32) -> (EntityBuilder, Mask) {
    let mut builder = EntityBuilder::new();
    let fill = |builder: &mut EntityBuilder| {
        with_bundle!(first, M => M::make(value).add_to(builder));
        with_bundle!(second, M => M::make(value).add_to(builder));
    };
    if catch(|| fill(&mut builder)).is_err() {
        builder.clear();
        fill(&mut builder);
    }
    (builder, mask(first) | mask(second))
}

impl Edit for InsertBuilt {
    const WEIGHT: u32 = 2;

    fn draw() -> BoxedStrategy<Self> {
        (kind(), kind(), value()).prop_map(|(first, second, value)| Self { first, second, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.insert(entity, mask(self.first) | mask(self.second), self.value);
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        let (mut builder, _) = build(self.first, self.second, self.value);
        let _ = entity.insert_dynamic(&mut builder);
        assert!(builder.is_empty());
    }
}

/// Adds what the entity has not got of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct InsertIfNew {
    kind: u8,
    value: u32,
}

impl Edit for InsertIfNew {
    const WEIGHT: u32 = 4;

    fn draw() -> BoxedStrategy<Self> {
        (kind(), value()).prop_map(|(kind, value)| Self { kind, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.insert_if_new(entity, mask(self.kind), self.value);
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        with_bundle!(self.kind, M => _ = entity.insert_if_new(M::make(self.value)));
    }

    fn command(&self, way: u8, _: Entity) -> Option<Recorded> {
        recorded!(way, self.kind, self.value, insert_if_new, try_insert_if_new)
    }

    fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
        way.is_multiple_of(2).then(|| ("insert_if_new", name_of(self.kind)))
    }
}

/// Removes what the entity has of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Remove {
    pub(crate) kind: u8,
}

impl Edit for Remove {
    const WEIGHT: u32 = 7;

    fn draw() -> BoxedStrategy<Self> {
        kind().prop_map(|kind| Self { kind }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.remove(entity, mask(self.kind));
        true
    }

    fn single(&self, way: u8, mut entity: EntityWorldMut<'_>) {
        if way.is_multiple_of(2) {
            with_bundle!(self.kind, M => _ = entity.remove::<M>());
        } else {
            let id = |world: &mut World, index| with_part!(index as u8, P => world.register_component::<P>());
            let ids: Vec<_> =
                entity.world_scope(|world| indices(mask(self.kind)).map(|index| id(world, index)).collect());
            let _ = entity.remove_by_ids(&ids).expect("the entity is alive");
        }
    }

    fn batch(&self, _: u8, selection: EntitySelection<'_>, _: &mut Calls) -> Option<usize> {
        Some(with_bundle!(self.kind, M => selection.remove::<M>()))
    }

    fn command(&self, way: u8, _: Entity) -> Option<Recorded> {
        with_bundle!(self.kind, M => Some(if way % 2 == 0 {
            Box::new(|to| _ = to.remove::<M>())
        } else {
            Box::new(|to| _ = to.try_remove::<M>())
        }))
    }

    fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
        way.is_multiple_of(2).then(|| ("remove", name_of(self.kind)))
    }

    fn batch_command(&self, _: u8, selection: SelectionCommands<'_>) -> bool {
        with_bundle!(self.kind, M => selection.remove::<M>());
        true
    }
}

/// Removes all but a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Retain {
    kind: u8,
}

impl Edit for Retain {
    const WEIGHT: u32 = 2;

    fn draw() -> BoxedStrategy<Self> {
        kind().prop_map(|kind| Self { kind }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.retain(entity, mask(self.kind));
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        with_bundle!(self.kind, M => _ = entity.retain::<M>());
    }

    fn command(&self, _: u8, _: Entity) -> Option<Recorded> {
        with_bundle!(self.kind, M => Some(Box::new(|to| _ = to.retain::<M>())))
    }

    fn names(&self, _: u8) -> Option<(&'static str, &'static str)> {
        Some(("retain", name_of(self.kind)))
    }
}

/// Removes all components.
#[derive(Clone, Debug)]
pub(crate) struct Clear;

impl Edit for Clear {
    const WEIGHT: u32 = 1;

    fn draw() -> BoxedStrategy<Self> {
        Just(Self).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.retain(entity, 0);
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        let _ = entity.clear();
    }

    fn command(&self, _: u8, _: Entity) -> Option<Recorded> {
        Some(Box::new(|to| _ = to.clear()))
    }

    fn names(&self, _: u8) -> Option<(&'static str, &'static str)> {
        Some(("retain", type_name::<()>()))
    }
}

/// Takes a bundle out of the entity, if it has all of it.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    kind: u8,
}

impl Edit for Take {
    const WEIGHT: u32 = 4;

    fn draw() -> BoxedStrategy<Self> {
        kind().prop_map(|kind| Self { kind }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.take(entity, mask(self.kind)).is_some()
    }

    fn single(&self, way: u8, mut entity: EntityWorldMut<'_>) {
        let expected = part_of(&look(&entity), mask(self.kind));
        if !way.is_multiple_of(2) && mask(self.kind).is_power_of_two() {
            let found = with_part!(mask(self.kind).trailing_zeros() as u8, P => {
                let id = entity.world_scope(|world| world.register_component::<P>());
                let taken = entity.take_by_id(id).ok().map(|value| value.downcast::<P>().expect("it is of its type"));
                let found = taken.as_ref().map(|part| {
                    let mut row = [None; KINDS];
                    part.read(&mut row);
                    row
                });
                let _ = catch(|| discard(taken));
                found
            });
            assert_eq!(found, expected);
            return;
        }
        let found = with_bundle!(self.kind, M => {
            let taken = entity.take::<M>();
            let mut row = [None; KINDS];
            let found = taken.as_ref().map(|bundle| { bundle.read(&mut row); row });
            let _ = catch(|| discard(taken));
            found
        });
        assert_eq!(found, expected);
    }
}

/// Removes what the entity has of one bundle and adds another, in one change.
#[derive(Clone, Debug)]
pub(crate) struct Replace {
    pub(crate) old: u8,
    pub(crate) new: u8,
    pub(crate) value: u32,
}

impl Edit for Replace {
    const WEIGHT: u32 = 3;

    fn draw() -> BoxedStrategy<Self> {
        (0..OLD_BUNDLES, kind(), value()).prop_map(|(old, new, value)| Self { old, new, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.begin(entity);
        oracle.remove(entity, old_mask(self.old));
        oracle.insert(entity, mask(self.new), self.value);
        true
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        with_bundle!(self.new, New => with_old_bundle!(self.old, Old => {
            let _ = entity.replace::<Old, New>(New::make(self.value));
        }));
    }
}

/// Takes one bundle and adds another, or neither, if the entity has not all of the first; the second comes back then.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    old: u8,
    new: u8,
    value: u32,
}

impl Edit for Exchange {
    const WEIGHT: u32 = 3;

    fn draw() -> BoxedStrategy<Self> {
        (0..OLD_BUNDLES, kind(), value()).prop_map(|(old, new, value)| Self { old, new, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.begin(entity);
        let taken = oracle.take(entity, old_mask(self.old)).is_some();
        if taken {
            oracle.insert(entity, mask(self.new), self.value);
        }
        taken
    }

    fn single(&self, _: u8, mut entity: EntityWorldMut<'_>) {
        let before = part_of(&look(&entity), old_mask(self.old));
        with_bundle!(self.new, New => with_old_bundle!(self.old, Old => {
            let made = New::make(self.value);
            let mut row = [None; KINDS];
            made.read(&mut row);
            let expected = before.map_or((false, row), |row| (true, row));
            let mut found = [None; KINDS];
            let outcome = entity.exchange::<Old, New>(made);
            match &outcome {
                Ok(old) => old.read(&mut found),
                Err(new) => new.read(&mut found),
            }
            assert_eq!((outcome.is_ok(), found), expected);
            let _ = catch(|| discard(outcome));
        }));
    }
}

/// Writes a value in place.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    part: u8,
    value: u32,
}

impl Edit for Write {
    const WEIGHT: u32 = 4;

    fn draw() -> BoxedStrategy<Self> {
        (0..KINDS as u8, value()).prop_map(|(part, value)| Self { part, value }).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        with_part!(self.part, P => oracle.write(entity, P::INDEX, self.value));
        true
    }

    fn single(&self, way: u8, mut entity: EntityWorldMut<'_>) {
        with_part!(self.part, P => match way % 5 {
            3 => {
                let id = entity.world_scope(|world| world.register_component::<P>());
                let value = entity.get_mut_by_id(id).ok();
                let value = value.and_then(|value| value.into_mut::<P>());
                value.into_iter().for_each(|mut part| part.set(self.value));
            }
            4 => {
                let id = entity.world_scope(|world| world.register_component::<P>());
                if let Ok(mut value) = entity.get_mut_by_id(id) {
                    // A value with this number, whatever number `make` would add.
                    let mut new = P::make(0);
                    new.set(self.value);
                    let old = value.replace(ErasedValue::of(new)).expect("it is a value of the component");
                    let _ = catch(|| discard(old));
                }
            }
            0 => entity.get_mut::<P>().into_iter().for_each(|mut part| part.set(self.value)),
            1 => {
                let id = entity.id();
                let part = entity.into_world_mut().get_mut::<P>(id);
                part.into_iter().for_each(|mut part| part.set(self.value));
            }
            _ => {
                let (id, world) = (entity.id(), entity.into_world_mut());
                let mut query = world.query::<&mut P>();
                query.get_mut(world, id).into_iter().for_each(|mut part| part.set(self.value));
            }
        });
    }
}

/// Ends the entity.
#[derive(Clone, Debug)]
pub(crate) struct Despawn;

impl Edit for Despawn {
    const WEIGHT: u32 = 4;

    fn draw() -> BoxedStrategy<Self> {
        Just(Self).boxed()
    }

    fn expect(&self, oracle: &mut Oracle, entity: Entity) -> bool {
        oracle.despawn(entity)
    }

    fn single(&self, way: u8, entity: EntityWorldMut<'_>) {
        if way.is_multiple_of(2) {
            entity.despawn();
        } else {
            let id = entity.id();
            assert!(entity.into_world_mut().despawn(id));
        }
    }

    fn batch(&self, _: u8, selection: EntitySelection<'_>, _: &mut Calls) -> Option<usize> {
        Some(selection.despawn())
    }

    fn command(&self, way: u8, _: Entity) -> Option<Recorded> {
        Some(if way.is_multiple_of(2) { Box::new(|to| to.despawn()) } else { Box::new(|to| to.try_despawn()) })
    }

    fn names(&self, way: u8) -> Option<(&'static str, &'static str)> {
        way.is_multiple_of(2).then_some(("despawn", ""))
    }

    fn batch_command(&self, _: u8, selection: SelectionCommands<'_>) -> bool {
        selection.despawn();
        true
    }
}

/// Drops a value of which only the type parameter knows whether it has a destructor.
pub(crate) fn discard<T>(_: T) {}
