//! Names are where a user of bevy_ecs looks for them: each line here is a promise. `public_paths.rs` has all public paths.

#![expect(unused_imports, reason = "that the imports compile is what is tested")]

use strata_ecs::batching::BatchingStrategy;
use strata_ecs::bundle::Bundle;
use strata_ecs::change_detection::{
    ComponentTicks, DetectChanges, DetectChangesMut, Mut, NonSend, NonSendMut, Ref, Res, ResMut, Tick,
};
use strata_ecs::component::{
    Component, ComponentDescriptor, ComponentId, ComponentIdFor, ComponentInfo, ComponentMutability, Components,
    Immutable, Mutable, StorageType,
};
use strata_ecs::entity::{
    Entities, Entity, EntityCloner, EntityClonerBuilder, EntityHash, EntityHashMap, EntityHashSet, EntitySet,
    EntitySetIterator, SpawnAtError, SpawnError, UniqueEntityArray, UniqueEntityIter, UniqueEntityVec,
};
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::error::{
    AllocError, BevyError, BoxError, CommandError as ErrorCommandError, ContextExt, EcsError, ErrorContext, Result,
    ResultSeverityExt, Severity, debug as _, error as _, ignore as _, info as _, panic as _, trace as _, warn as _,
};
use strata_ecs::event::Event;
use strata_ecs::intern::Interned;
use strata_ecs::lifecycle::{RemovedComponentReader, RemovedComponents, RemovedIter};
use strata_ecs::message::{
    Message, MessageCursor, MessageId, MessageIterator, MessageIteratorWithId, MessageMutator, MessageReader,
    MessageWriter, Messages,
};
use strata_ecs::query::{
    Access, Added, Allow, AnyOf, Changed, FilteredAccess, Has, Or, QueryCombinationIter, QueryData, QueryEntityError,
    QueryFilter, QueryIter, QueryManyIter, QueryManyUniqueIter, QueryParIter, QuerySingleError, QuerySortedIter,
    QuerySortedManyIter, QueryState, ReadOnlyQueryData, With, Without,
};
use strata_ecs::resource::Resource;
use strata_ecs::schedule::common_conditions::{not, resource_exists};
use strata_ecs::schedule::{
    BoxedCondition, InternedScheduleLabel, InternedSystemSet, IntoScheduleConfigs, IntoSystemSet, Schedule,
    ScheduleBuildError, ScheduleBuildSettings, ScheduleConfigs, ScheduleLabel, Schedules, SystemCondition, SystemSet,
};
use strata_ecs::storage::{Table, TableId, Tables};
use strata_ecs::system::{
    BoxedSystem, Command, Commands, EntityCommand, EntityCommands, EntityEntryCommands, FunctionSystem, If, In, InMut,
    InRef, IntoSystem, Local, LocalBuilder, NonSendMarker, ParamBuilder, ParamSet, Populated, Query,
    ReadOnlySystemParam, RegisteredSystemError, RunSystemError, RunSystemOnce, ScheduleSystem, Single,
    StaticSystemParam, System, SystemId, SystemInput, SystemName, SystemParam, SystemParamBuilder, SystemState,
    assert_is_read_only_system, assert_is_system, assert_system_does_not_conflict,
};
use strata_ecs::world::{
    CloneError, ColumnAccessError, CommandError, CommandQueue, DeferredWorld, EntityBuilder, EntityMut, EntityRef,
    EntityWorldMut, ErasedAccessError, FromWorld, InsertErasedError, Mut as WorldMut, OnCommandError, Ref as WorldRef,
    SpawnColumnsError, World, WorldId,
};

/// The derives have the paths of their traits: with these alone, and without a prelude, types can be declared.
mod derives {
    use strata_ecs::bundle::Bundle;
    use strata_ecs::component::Component;
    use strata_ecs::event::Event;
    use strata_ecs::message::Message;
    use strata_ecs::query::{QueryData, QueryFilter, With};
    use strata_ecs::resource::Resource;
    use strata_ecs::schedule::{ScheduleLabel, SystemSet};
    use strata_ecs::system::{Query, SystemParam};
    use strata_ecs::world::World;

    #[derive(Component)]
    struct Health(u32);
    #[derive(Bundle)]
    struct Monster {
        health: Health,
    }
    #[derive(Resource)]
    struct Score(u32);
    #[derive(Event)]
    struct Fell;
    #[derive(Message)]
    struct Hit;
    #[derive(QueryData)]
    struct Healths {
        health: &'static Health,
    }
    #[derive(QueryFilter)]
    struct Living {
        health: With<Health>,
    }
    #[derive(SystemParam)]
    struct All<'w, 's> {
        all: Query<'w, 's, Healths, Living>,
    }
    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Update;
    #[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
    struct Input;

    #[test]
    fn derives_beside_their_traits_are_all_that_is_needed() {
        use strata_ecs::schedule::{IntoScheduleConfigs as _, Schedule};
        use strata_ecs::system::ResMut;

        fn count(all: All<'_, '_>, mut score: ResMut<'_, Score>) {
            score.0 += all.all.iter().map(|healths| healths.health.0).sum::<u32>();
        }
        let mut world = World::new();
        world.spawn(Monster { health: Health(3) });
        world.insert_resource(Score(1));
        world.write_message(Hit);
        let _ = Fell;
        let mut schedule = Schedule::new(Update);
        schedule.add_systems(count.in_set(Input));
        schedule.run(&mut world);
        assert_eq!(world.resource::<Score>().0, 4);
    }
}

#[test]
fn assertions_say_whether_a_system_only_reads() {
    fn read(world: &World) -> usize {
        world.len()
    }
    fn write(world: &mut World) {
        world.clear_entities();
    }
    assert_is_system(read);
    assert_is_system(write);
    assert_is_read_only_system(read);
    // The access of a system in a box is known when it has been initialized.
    let boxed = || IntoSystem::into_system(write);
    let error = std::panic::catch_unwind(|| assert_is_read_only_system(boxed())).unwrap_err();
    let text = error.downcast_ref::<String>().expect("it says which system");
    assert!(text.ends_with("::write` does not only read"), "{text}");
}

#[test]
fn a_system_that_returns_a_result_is_asserted_with_the_output_of_its_success() {
    fn fallible(world: &World) -> Result {
        world.iter_entities().next().ok_or("there is no entity")?;
        Ok(())
    }
    fn fallible_with_input(In(number): In<u32>, _: &World) -> Result<usize, std::num::TryFromIntError> {
        usize::try_from(number)
    }
    assert_is_system::<(), (), _>(fallible);
    assert_is_system::<(), Result, _>(fallible);
    assert_is_system::<In<u32>, usize, _>(fallible_with_input);
    assert_is_system(|| 3_u32);
    assert_is_system(|_: In<u32>, _: Commands<'_, '_>| ());
}

#[test]
fn read_only_functions_of_every_output_are_asserted() {
    #[derive(Resource)]
    struct Score(u32);
    fn fallible(In(_): In<u32>, _: &World, _: Option<Res<'_, Score>>) -> Result<u32> {
        Ok(Score(3).0)
    }
    assert_is_read_only_system(fallible);
    assert_is_read_only_system(|| ());
}

#[test]
fn a_system_is_run_by_hand() {
    fn count(all: Query<'_, '_, Entity>, mut commands: Commands<'_, '_>) -> usize {
        commands.spawn_empty();
        all.iter().count()
    }
    let mut world = World::new();
    let mut system = IntoSystem::into_system(count);
    system.initialize(&mut world);
    assert_eq!(system.run((), &mut world).unwrap(), 0);
    assert_eq!(system.run((), &mut world).unwrap(), 1);
    // Another world is prepared for.
    assert_eq!(system.run((), &mut World::new()).unwrap(), 0);
    assert_eq!(world.len(), 2);
}
