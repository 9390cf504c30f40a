//! Types that have one name and one place in the source, and are two types all the same.
#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

use strata_ecs::component::{ComponentKey, Mutable};
use strata_ecs::prelude::*;

/// Defines a component, a resource and a message, and systems over them, once for each argument and always with the same names.
macro_rules! two_of_one_name {
    ($($number:literal)*) => {
        $(const _: () = {
            #[derive(Component)]
            struct Tag(u8);

            impl Number for [(); $number] {
                type Tag = Tag;
                const KEY: ComponentKey = Tag::KEY;

                fn tag(value: u8) -> Tag {
                    Tag(value)
                }

                fn get(tag: &Tag) -> u8 {
                    tag.0
                }
            }
        };)*
    };
}

/// A type that is known by a number, because it cannot be named.
trait Number {
    type Tag: Component<Mutability = Mutable>;
    const KEY: ComponentKey;

    fn tag(value: u8) -> Self::Tag;
    fn get(tag: &Self::Tag) -> u8;
}

type Of<const N: usize> = <[(); N] as Number>::Tag;

two_of_one_name!(0 1);

/// The same item, which the caller wrote, twice.
macro_rules! item_twice {
    ($item:item) => {
        const _: () = {
            $item
            impl Number for [(); 2] {
                type Tag = Copied;
                const KEY: ComponentKey = Copied::KEY;

                fn tag(value: u8) -> Copied {
                    Copied(value)
                }

                fn get(tag: &Copied) -> u8 {
                    tag.0
                }
            }
        };
        const _: () = {
            $item
            impl Number for [(); 3] {
                type Tag = Copied;
                const KEY: ComponentKey = Copied::KEY;

                fn tag(value: u8) -> Copied {
                    Copied(value)
                }

                fn get(tag: &Copied) -> u8 {
                    tag.0
                }
            }
        };
    };
}

item_twice! {
    #[derive(Component)]
    struct Copied(u8);
}

/// The attributes are the caller's, and the rest is not.
macro_rules! attributes_twice {
    ($(#[$meta:meta])*) => {
        attributes_twice!(@ $(#[$meta])* 4);
        attributes_twice!(@ $(#[$meta])* 5);
    };
    (@ $(#[$meta:meta])* $number:literal) => {
        const _: () = {
            $(#[$meta])*
            struct Tag(u8);

            impl Number for [(); $number] {
                type Tag = Tag;
                const KEY: ComponentKey = Tag::KEY;

                fn tag(value: u8) -> Tag {
                    Tag(value)
                }

                fn get(tag: &Tag) -> u8 {
                    tag.0
                }
            }
        };
    };
}

attributes_twice!(#[derive(Component)]);

/// The name is the caller's.
macro_rules! named {
    ($name:ident, $first:literal $second:literal) => {
        named!(@ $name $first);
        named!(@ $name $second);
    };
    (@ $name:ident $number:literal) => {
        const _: () = {
            #[derive(Component)]
            struct $name(u8);

            impl Number for [(); $number] {
                type Tag = $name;
                const KEY: ComponentKey = $name::KEY;

                fn tag(value: u8) -> $name {
                    $name(value)
                }

                fn get(tag: &$name) -> u8 {
                    tag.0
                }
            }
        };
    };
}

named!(Chosen, 6 7);

/// A file that is included twice.
const _: () = {
    mod included {
        include!("keys/included.rs");
    }
    use included::Included;

    impl Number for [(); 8] {
        type Tag = Included;
        const KEY: ComponentKey = Included::KEY;

        fn tag(value: u8) -> Included {
            Included(value)
        }

        fn get(tag: &Included) -> u8 {
            tag.0
        }
    }
};
const _: () = {
    mod included {
        include!("keys/included.rs");
    }
    use included::Included;

    impl Number for [(); 9] {
        type Tag = Included;
        const KEY: ComponentKey = Included::KEY;

        fn tag(value: u8) -> Included {
            Included(value)
        }

        fn get(tag: &Included) -> u8 {
            tag.0
        }
    }
};

/// Both types in one system, in every way in which two types that were one would be refused.
fn both<const A: usize, const B: usize>()
where
    [(); A]: Number,
    [(); B]: Number,
{
    let one_query = |mut query: Query<(&mut Of<A>, &Of<B>)>| {
        let changed = query.iter_mut().map(|(mut a, b)| {
            *a = <[(); A] as Number>::tag(<[(); B] as Number>::get(b));
            <[(); A] as Number>::get(&a)
        });
        changed.map(u32::from).sum::<u32>()
    };
    let two_queries =
        |mut first: Query<&mut Of<A>>, second: Query<&mut Of<B>>| first.iter_mut().count() + second.count();
    let mut world = World::new();
    world.spawn((<[(); A] as Number>::tag(1), <[(); B] as Number>::tag(7)));
    assert_eq!(world.run_system_once(two_queries).unwrap(), 2);
    assert_eq!(world.run_system_once(one_query).unwrap(), 7);
    let [a, b] = [<[(); A] as Number>::KEY, <[(); B] as Number>::KEY];
    assert!(!a.is_same(b), "{a:?} and {b:?}");
}

#[test]
fn types_that_a_macro_writes_twice_are_two() {
    both::<0, 1>();
    both::<4, 5>();
    both::<6, 7>();
}

#[test]
fn an_item_that_a_macro_copies_is_two_types() {
    both::<2, 3>();
}

#[test]
fn a_file_that_is_included_twice_has_two_types() {
    both::<8, 9>();
}

#[test]
fn keys_of_types_outside_of_macros_are_exact() {
    #[derive(Component)]
    struct InAFunction;
    #[rustfmt::skip]
    mod one_line { #[derive(super::Component)] pub(super) struct A; #[derive(super::Component)] pub(super) struct B; }
    #[cfg_attr(test, derive(Component))]
    struct ByCfg;
    #[derive(Clone, Component, Debug)]
    struct AmongOthers;
    #[derive(Component)]
    struct Übrig;
    #[rustfmt::skip]
    /* ü */ #[derive(Component)] struct BehindÜ;
    let keys =
        [InAFunction::KEY, one_line::A::KEY, one_line::B::KEY, ByCfg::KEY, AmongOthers::KEY, Übrig::KEY, BehindÜ::KEY];
    for (at, key) in keys.iter().enumerate() {
        assert!(key.is_exact(), "{key:?}");
        assert!(keys[..at].iter().all(|other| !other.is_same(*key)));
    }
}

#[test]
fn what_a_macro_defines_has_a_key_that_decides_nothing() {
    assert!(!<[(); 0] as Number>::KEY.is_exact() && !<[(); 7] as Number>::KEY.is_exact());
}

#[test]
#[should_panic(expected = "both borrow component")]
fn a_real_conflict_over_such_a_type_is_found_when_the_system_is_built() {
    let twice = |_: Query<&mut Of<0>>, _: Query<&Of<0>>| ();
    let _ = World::new().run_system_once(twice);
}
