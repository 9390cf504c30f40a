//! `#[derive(States)]` and `#[derive(SubStates)]` on every kind of type.

use strata_app::prelude::*;

/// A crate that re-exports this one.
mod engine {
    pub(crate) mod app {
        pub(crate) use strata_app::*;
    }
}

#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Unit;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[states(crate = crate::derived::engine::app)]
enum Full {
    #[default]
    Plain,
    Tuple(u32, String),
    Named {
        is_on: bool,
    },
}

#[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Of<T>(T)
where
    T: Copy;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Full = Full::Tuple(..) | Full::Named { is_on: true })]
#[sub_states(crate = engine::app)]
struct Sub(u8);

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source((Full, Option<Unit>) = (_, Some(Unit)),)]
struct OfTwo;

#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[source(Sub = Sub(number))]
struct OfSub;

/// A macro writes the type.
macro_rules! state {
    ($Name:ident, $Source:ty, $value:pat) => {
        #[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
        #[source($Source = $value)]
        struct $Name;
    };
}

state!(Written, Sub, Sub(3..));

/// Names of the standard library are taken.
mod taken {
    #![allow(dead_code, reason = "they are in the way")]

    struct Some;
    struct None;
    struct Option;
    trait Default {}
    trait Clone {}

    #[derive(strata_app::state::States, Debug)]
    pub(super) enum Hidden {
        Value,
    }

    impl std::clone::Clone for Hidden {
        fn clone(&self) -> Self {
            Self::Value
        }
    }

    impl PartialEq for Hidden {
        fn eq(&self, _: &Self) -> bool {
            true
        }
    }

    impl Eq for Hidden {}

    impl std::hash::Hash for Hidden {
        fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
    }
}

#[test]
fn depths_are_those_of_the_sources() {
    let depths = [Unit::DEPENDENCY_DEPTH, Full::DEPENDENCY_DEPTH, Of::<u8>::DEPENDENCY_DEPTH];
    assert_eq!(depths, [1, 1, 1]);
    let depths = [Sub::DEPENDENCY_DEPTH, OfTwo::DEPENDENCY_DEPTH, OfSub::DEPENDENCY_DEPTH, Written::DEPENDENCY_DEPTH];
    assert_eq!(depths, [2, 3, 3, 3]);
}

#[test]
fn patterns_say_when_a_sub_state_exists() {
    assert_eq!(Sub::should_exist(Full::Plain), None);
    assert_eq!(Sub::should_exist(Full::Tuple(3, String::new())), Some(Sub(0)));
    assert_eq!(Sub::should_exist(Full::Named { is_on: false }), None);
    assert_eq!(Sub::should_exist(Full::Named { is_on: true }), Some(Sub(0)));
    assert_eq!(OfTwo::should_exist((Full::Plain, None)), None);
    assert_eq!(OfTwo::should_exist((Full::Plain, Some(Unit))), Some(OfTwo));
    assert_eq!(OfSub::should_exist(Sub(7)), Some(OfSub));
    assert_eq!((Written::should_exist(Sub(2)), Written::should_exist(Sub(3))), (None, Some(Written)));
}

#[test]
fn all_of_them_are_states_of_a_program() {
    let mut app = App::new();
    app.insert_state(Full::Named { is_on: true })
        .init_state::<Unit>()
        .insert_state(Of(3))
        .insert_state(taken::Hidden::Value)
        .add_sub_state::<Written>()
        .add_sub_state::<OfSub>()
        .add_sub_state::<OfTwo>()
        .add_sub_state::<Sub>();
    app.update();
    assert_eq!(*app.world().resource::<State<Of<i32>>>(), Of(3));
    assert!(app.world().contains_resource::<State<OfSub>>() && app.world().contains_resource::<State<OfTwo>>());
    assert!(!app.world().contains_resource::<State<Written>>());
    app.world_mut().resource_mut::<NextState<Sub>>().set(Sub(9));
    app.update();
    assert!(app.world().contains_resource::<State<Written>>());
}
