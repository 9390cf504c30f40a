//! Which parameters may go to another thread.

use std::rc::Rc;

use strata_ecs::prelude::*;
use strata_ecs::system::NonSendMarker;

#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct X;
#[derive(Message)]
struct Hit;
#[derive(Resource, Default)]
struct Score(u32);

/// Determines whether a type is `Send`: an inherent constant takes precedence over the constant of a trait.
struct Probe<T>(std::marker::PhantomData<T>);

impl<T: Send> Probe<T> {
    const IS_SEND: bool = true;
}

trait NotSend {
    const IS_SEND: bool = false;
}

impl<T> NotSend for Probe<T> {}

macro_rules! is_send {
    ($Type:ty) => {
        <Probe<$Type>>::IS_SEND
    };
}

type Most<'w, 's> = (
    Query<'w, 's, (Entity, &'static mut A, Has<X>), Changed<A>>,
    Commands<'w, 's>,
    Option<ResMut<'w, Score>>,
    (Local<'s, u32>, Lookup<'w, 's, &'static X>, Populated<'w, 's, &'static X>),
    (Single<'w, 's, &'static X>, Option<Single<'w, 's, &'static X>>),
    (RemovedComponents<'w, 's, A>, RemovedValues<'w, 's, A>),
    MessageWriter<'w, Hit>,
    ParamSet<'w, 's, (Query<'w, 's, &'static X>, Query<'w, 's, &'static mut X>)>,
);

#[test]
fn a_set_goes_where_its_members_go() {
    const { assert!(is_send!(ParamSet<'static, 'static, Most<'static, 'static>>)) };
    const { assert!(is_send!(ParamSet<'static, 'static, (&'static World, MessageReader<'static, 'static, Hit>)>)) };
    const { assert!(!is_send!(ParamSet<'static, 'static, (NonSendMarker, Commands<'static, 'static>)>)) };
    const { assert!(!is_send!(ParamSet<'static, 'static, (ParamSet<'static, 'static, (NonSendMarker,)>,)>)) };
    const { assert!(!is_send!(ParamSet<'static, 'static, (NonSend<'static, Rc<u32>>,)>)) };
    const { assert!(!is_send!(ParamSet<'static, 'static, (Option<NonSendMut<'static, Rc<u32>>>,)>)) };
}

#[test]
fn a_state_goes_where_its_parameters_go() {
    const { assert!(is_send!(SystemState<Most<'static, 'static>>)) };
    const { assert!(!is_send!(SystemState<NonSendMarker>)) };
    const { assert!(!is_send!(SystemState<(Commands<'static, 'static>, (NonSendMarker,))>)) };
    const { assert!(!is_send!(SystemState<ParamSet<'static, 'static, (NonSendMarker, Commands<'static, 'static>)>>)) };
    const { assert!(!is_send!(SystemState<NonSend<'static, Rc<u32>>>)) };
}
