//! The names of system sets and of schedules; and the traits of messages and events, which have nothing but a name yet.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Barrier;
use std::thread;

use strata_ecs::event::Event;
use strata_ecs::label::{Interned, InternedScheduleLabel, InternedSystemSet};
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Unit;

#[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct SameName;

mod other {
    use strata_ecs::prelude::*;

    #[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    pub(super) struct SameName;
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
enum Physics {
    Forces,
    Collisions(u8),
    Named { text: String },
}

#[derive(SystemSet)]
struct InSetOf<T: 'static>(PhantomData<fn() -> T>);

// A derive would demand `T: Clone` and so on.
impl<T> Clone for InSetOf<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}
impl<T> PartialEq for InSetOf<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl<T> Eq for InSetOf<T> {}
impl<T> Hash for InSetOf<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
impl<T> fmt::Debug for InSetOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InSetOf<{}>", std::any::type_name::<T>())
    }
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Numbered<T, const N: usize>(T)
where
    T: Send + Sync + 'static;

#[test]
fn labels_are_known_by_type_and_value() {
    assert_eq!(Unit.intern(), Unit.intern());
    assert_eq!(Physics::Collisions(3).intern(), Physics::Collisions(3).intern());
    let text = |text: &str| Physics::Named { text: text.to_owned() }.intern();
    assert_eq!(text("a"), text("a"));
    let all: [InternedSystemSet; 9] = [
        Unit.intern(),
        SystemSet::intern(&SameName),
        SystemSet::intern(&other::SameName),
        Physics::Forces.intern(),
        Physics::Collisions(3).intern(),
        Physics::Collisions(4).intern(),
        text("a"),
        text("b"),
        InSetOf::<u8>(PhantomData).intern(),
    ];
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    for (at, a) in all.iter().enumerate() {
        for (other, b) in all.iter().enumerate() {
            assert_eq!(a == b, at == other);
            assert_eq!(**a == **b, at == other, "the values behind them are compared as the labels are");
        }
    }
}

#[test]
fn types_with_parameters_are_labels_of_their_own() {
    let bytes = InSetOf::<u8>(PhantomData).intern();
    assert_ne!(bytes, InSetOf::<u16>(PhantomData).intern());
    assert_eq!(bytes, InSetOf::<u8>(PhantomData).intern());
    assert_eq!(format!("{bytes:?}"), "InSetOf<u8>");
    assert_ne!(Numbered::<u8, 1>(1).intern(), Numbered::<u8, 2>(1).intern());
    assert_ne!(Numbered::<u8, 1>(1).intern(), Numbered::<u8, 1>(2).intern());
}

#[test]
fn labels_of_the_two_kinds_have_nothing_to_do_with_each_other() {
    let set: InternedSystemSet = SystemSet::intern(&SameName);
    let schedule: InternedScheduleLabel = ScheduleLabel::intern(&SameName);
    assert_eq!(format!("{set:?} {schedule:?}"), "SameName SameName");
    assert_ne!(schedule, ScheduleLabel::intern(&other::SameName));
}

#[test]
fn debug_prints_the_label() {
    let label = Physics::Named { text: String::from("x") }.intern();
    assert_eq!(format!("{label:?}"), "Named { text: \"x\" }");
    assert_eq!(format!("{:#?}", Physics::Collisions(1).intern()), "Collisions(\n    1,\n)");
    let boxed: Box<dyn SystemSet> = label.dyn_clone();
    assert_eq!(format!("{boxed:?}"), "Named { text: \"x\" }");
}

#[test]
fn an_interned_label_is_a_label() {
    fn generic(set: impl SystemSet) -> InternedSystemSet {
        set.intern()
    }
    let set = Unit.intern();
    assert_eq!(generic(set), set);
    assert_eq!(generic(Unit), set);
    let as_dyn: &dyn SystemSet = &set;
    assert!(as_dyn == as_dyn && *as_dyn != *set, "the interned label itself is of another type than the label");
    let mut map = HashMap::new();
    map.insert(set, 1);
    assert_eq!(map.get(&Unit.intern()), Some(&1));
}

#[test]
fn labels_are_small_and_cheap_to_pass() {
    assert_eq!(size_of::<InternedSystemSet>(), size_of::<usize>());
    fn is_send_and_sync<T: Send + Sync + Copy + 'static>() {}
    is_send_and_sync::<Interned<dyn SystemSet>>();
    is_send_and_sync::<InternedScheduleLabel>();
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Raced(u32);

#[test]
fn threads_that_intern_the_same_labels_get_the_same() {
    const THREADS: usize = 8;
    const LABELS: u32 = 200;
    let barrier = Barrier::new(THREADS);
    let lists: Vec<Vec<InternedSystemSet>> = thread::scope(|scope| {
        let intern_all = || {
            barrier.wait();
            (0..LABELS).map(|n| Raced(n).intern()).collect()
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(intern_all)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(lists.iter().all(|list| *list == lists[0]));
    assert_eq!(lists[0].iter().collect::<HashSet<_>>().len(), LABELS as usize);
}

thread_local! {
    /// The action of the label below when it is cloned next.
    static ON_CLONE: Cell<u8> = const { Cell::new(0) };
}

#[derive(SystemSet, PartialEq, Eq, Hash, Debug)]
struct Wild(u8);

impl Clone for Wild {
    fn clone(&self) -> Self {
        match ON_CLONE.take() {
            1 => panic!("no copy"),
            2 => {
                // The same label, while it is being interned.
                let _ = self.intern();
            }
            _ => {}
        }
        Self(self.0)
    }
}

#[test]
fn the_code_of_a_label_may_panic_and_may_intern() {
    ON_CLONE.set(1);
    assert_eq!(expect_panic(|| Wild(1).intern()), "no copy");
    let first = Wild(1).intern();
    assert_eq!(first, Wild(1).intern());
    ON_CLONE.set(2);
    let second = Wild(2).intern();
    assert_eq!(second, Wild(2).intern());
    assert_ne!(first, second);
}

#[derive(Message, Event, Clone, Debug, PartialEq)]
struct Collision {
    with: Entity,
}

#[derive(Message, Event)]
enum Either<T: Send + Sync + 'static, const N: usize> {
    Left([T; N]),
    Right,
}

#[test]
fn messages_and_events_are_known_by_their_keys() {
    fn message<M: Message>() -> bool {
        M::KEY.is_some_and(|key| key.is_exact())
    }
    fn event<E: Event>() -> bool {
        E::KEY.is_some_and(|key| key.is_exact())
    }
    assert!(message::<Collision>() && event::<Collision>());
    assert!(!message::<Either<u8, 1>>() && !event::<Either<u8, 1>>(), "which type `T` is, the key does not know");
    assert_ne!(<Collision as Message>::KEY, <Either<u8, 1> as Message>::KEY);
    assert_ne!(<Either<u8, 2> as Event>::KEY, <Either<u8, 1> as Event>::KEY);
    assert!(<Collision as Message>::slot().is_some() && <Either<u8, 1> as Event>::slot().is_none());
    let _ = (Either::Left([1_u8; 2]), Either::<u8, 2>::Right, Collision { with: Entity::PLACEHOLDER }.with);
}

/// Traits of labels that a program defines.
mod labels_of_ones_own {
    use strata_ecs::define_label;
    use strata_ecs::intern::{Internable, Interned, Interner};

    define_label!(
        /// A place.
        Place,
        extra_methods: {
            fn level(&self) -> u32;
        },
        extra_methods_impl: {
            fn level(&self) -> u32 {
                (**self).level()
            }
        }
    );
    define_label!(Team);

    macro_rules! place {
        ($($Place:ident)*) => { $(
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            struct $Place(u32);

            impl Place for $Place {
                fn dyn_clone(&self) -> Box<dyn Place> {
                    Box::new(self.clone())
                }

                fn level(&self) -> u32 {
                    self.0
                }
            }

            impl Team for $Place {
                fn dyn_clone(&self) -> Box<dyn Team> {
                    Box::new(self.clone())
                }
            }
        )* };
    }

    place!(Cave Tower);

    #[test]
    fn equal_values_of_one_type_are_one_label_and_those_of_two_types_are_not() {
        assert_eq!(Place::intern(&Cave(1)), Place::intern(&Cave(1)));
        assert_ne!(Place::intern(&Cave(1)), Place::intern(&Cave(2)));
        assert_ne!(Place::intern(&Cave(1)), Place::intern(&Tower(1)));
        let label = Place::intern(&Cave(3));
        assert_eq!((Place::intern(&label), label.level()), (label, 3));
        assert_eq!(format!("{label:?} {:?}", Team::intern(&Tower(4))), "Cave(3) Tower(4)");
    }

    #[test]
    fn an_interner_keeps_one_copy_of_each_value_and_knows_no_other_interner() {
        static WORDS: Interner<str> = Interner::new();
        static OTHERS: Interner<str> = Interner::new();
        let text = String::from("ABC ABC");
        let (first, second): (Interned<str>, Interned<str>) = (WORDS.intern(&text[..3]), WORDS.intern(&text[4..]));
        assert_eq!(first, second);
        assert!(std::ptr::eq(&raw const *first, &raw const *second) && *first == *"ABC");
        assert_ne!(first, WORDS.intern("ABD"));
        assert_ne!(first, OTHERS.intern("ABC"));
    }

    #[test]
    fn values_without_a_size_that_differ_are_different_labels() {
        #[derive(PartialEq, Eq, Hash, Debug)]
        enum Side {
            Left,
            Right,
        }

        impl Internable for Side {
            fn leak(&self) -> &'static Self {
                match self {
                    Self::Left => &Self::Left,
                    Self::Right => &Self::Right,
                }
            }

            fn ref_eq(&self, other: &Self) -> bool {
                self == other
            }

            fn ref_hash<H: std::hash::Hasher>(&self, state: &mut H) {
                std::hash::Hash::hash(self, state);
            }
        }

        static SIDES: Interner<Side> = Interner::new();
        assert_eq!(SIDES.intern(&Side::Left), SIDES.intern(&Side::Left));
        assert_ne!(SIDES.intern(&Side::Left), SIDES.intern(&Side::Right));
        assert_eq!(format!("{:?}", SIDES.intern(&Side::Right)), "Right");
    }
}
