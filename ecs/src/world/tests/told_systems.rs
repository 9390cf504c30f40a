//! Tests of systems that are notified of events in stores for which they are not initialized. Programs cannot do this,
//! because observers are initialized first.

use alloc::vec::Vec;

use crate::structure::store::Store;
use crate::system::commands::Commands;
use crate::system::{EcsError, In, IntoSystem, Local, NotDone, NotDoneReason, NotifySystem, Outcome, WithNotifySystem};

/// Notifies a system in stores, in the given order. Returns the number of entities and the outcome after each run.
struct TellIn<'s>(&'s mut [Store], &'s [usize]);

impl WithNotifySystem<In<u32>> for TellIn<'_> {
    type Out = Vec<(usize, Outcome)>;

    fn with(self, mut system: impl NotifySystem<In = In<u32>>) -> Self::Out {
        let Self(stores, order) = self;
        let tell = |&at: &usize| {
            let outcome = system.notify(at as u32, &mut stores[at]);
            (stores[at].structure.entities.len(), outcome)
        };
        order.iter().map(tell).collect()
    }
}

#[test]
fn a_system_that_is_not_prepared_for_a_store_is_when_it_is_told_there() {
    fn spawn(_: In<u32>, mut runs: Local<'_, u32>, mut commands: Commands<'_, '_>) {
        *runs += 1;
        (0..*runs).for_each(|_| _ = commands.spawn_empty());
    }
    let mut stores = [Store::new(), Store::new()];
    let told = IntoSystem::with_notify_system(spawn, TellIn(&mut stores, &[0, 0, 1, 0]));
    // Commands are applied after each run. The state of the system belongs to one store, so it starts again when the store changes.
    assert_eq!(told.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [1, 3, 1, 4]);
    assert!(told.iter().all(|(_, outcome)| outcome.is_ok()));
}

#[test]
fn an_error_of_a_system_that_is_told_is_not_lost() {
    fn fail(In(at): In<u32>, mut commands: Commands<'_, '_>) -> Result<(), EcsError> {
        commands.spawn_empty();
        if at == 0 { Err("no".into()) } else { Ok(()) }
    }
    let mut stores = [Store::new(), Store::new()];
    let told = IntoSystem::with_notify_system(fail, TellIn(&mut stores, &[0, 0, 1]));
    assert_eq!(told.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [1, 2, 1]);
    let failed = |outcome: &Outcome| {
        matches!(
            outcome.as_ref().map_err(|not_done| &**not_done),
            Err(NotDone { reason: NotDoneReason::Failed(_), .. })
        )
    };
    assert_eq!(told.iter().map(|(_, outcome)| failed(outcome)).collect::<Vec<_>>(), [true, true, false]);
}
