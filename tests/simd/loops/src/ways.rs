//! The ways in which one body is run over all rows.

use strata_ecs::prelude::*;

/// A way to run a body.
pub struct Way {
    /// The name, for messages.
    pub name: &'static str,
    /// Runs it once.
    pub run: fn(&mut World),
}

/// A body with its ways.
pub struct Loop {
    /// The name, for messages.
    pub name: &'static str,
    /// The expected result of the others: one row at a time, by a function that is not inlined.
    pub expected: Way,
    /// The others.
    pub ways: &'static [&'static [Way]],
    /// The same for rows that have to be asked whether they match: what is expected, and the other.
    pub some: Option<(Way, Way)>,
}

/// Writes each body down in several ways: the first parameter is written, and the others are read. Bodies that are marked `every` are
/// written in more ways than those that are marked `main`, because all of them would take too long to compile.
macro_rules! loops {
    ($($(#[$doc:meta])* $which:ident fn $name:ident($out:ident: &mut $Out:ty $(, $in:ident: &$In:ty)+) $body:block)*) => {
        $(
            $(#[$doc])*
            mod $name {
                use super::*;

                #[inline(always)]
                fn body($out: &mut $Out $(, $in: &$In)+) $body

                #[inline(never)]
                fn called($out: &mut $Out $(, $in: &$In)+) {
                    body($out $(, $in)+);
                }

                fn one_by_one(mut rows: Query<(&mut $Out $(, &$In)+)>) {
                    for (mut $out $(, $in)+) in &mut rows {
                        called(&mut $out $(, $in)+);
                    }
                }

                #[system]
                fn wide($out: &mut $Out $(, $in: &$In)+) {
                    body($out $(, $in)+);
                }

                #[system(simd = off)]
                fn narrow($out: &mut $Out $(, $in: &$In)+) {
                    body($out $(, $in)+);
                }

                const MAIN: &[Way] = &[
                    Way { name: "system", run: |world| world.run_system_once(wide).unwrap() },
                    Way { name: "system, simd = off", run: |world| world.run_system_once(narrow).unwrap() },
                ];

                more_ways!($which ($out: $Out $(, $in: $In)+));

                pub(super) const LOOP: Loop = Loop {
                    name: stringify!($name),
                    expected: Way { name: "one by one", run: |world| world.run_system_once(one_by_one).unwrap() },
                    ways: &[MAIN, MORE],
                    some: SOME,
                };
            }
        )*

        /// Every body.
        pub const LOOPS: &[Loop] = &[$($name::LOOP),*];
    };
}

/// The rest of the ways.
macro_rules! more_ways {
    (main $parameters:tt) => {
        const MORE: &[Way] = &[];
        const SOME: Option<(Way, Way)> = None;
    };
    (every ($out:ident: $Out:ty $(, $in:ident: $In:ty)+)) => {
        fn one_by_one_of_some(mut rows: Query<(&mut $Out $(, &$In)+), With<Marked>>) {
            for (mut $out $(, $in)+) in &mut rows {
                called(&mut $out $(, $in)+);
            }
        }

        #[system(with(Marked))]
        fn wide_of_some($out: &mut $Out $(, $in: &$In)+) {
            body($out $(, $in)+);
        }

        #[system(par)]
        fn par($out: &mut $Out $(, $in: &$In)+) {
            body($out $(, $in)+);
        }

        #[system]
        fn exact(mut $out: Mut<$Out> $(, $in: Ref<$In>)+) {
            body(&mut $out $(, &$in)+);
        }

        fn for_each(mut rows: Query<(&mut $Out $(, &$In)+)>) {
            rows.iter_mut().for_each(|(mut $out $(, $in)+)| body(&mut $out $(, $in)+));
        }

        fn par_for_each(mut rows: Query<(&mut $Out $(, &$In)+)>) {
            rows.par_iter_mut().for_each(|(mut $out $(, $in)+)| body(&mut $out $(, $in)+));
        }

        const MORE: &[Way] = &[
            Way { name: "system, par", run: |world| world.run_system_once(par).unwrap() },
            Way { name: "system of Mut and Ref", run: |world| world.run_system_once(exact).unwrap() },
            Way { name: "for_each", run: |world| world.run_system_once(for_each).unwrap() },
            Way { name: "par for_each", run: |world| world.run_system_once(par_for_each).unwrap() },
        ];
        const SOME: Option<(Way, Way)> = Some((
            Way { name: "one by one, some", run: |world| world.run_system_once(one_by_one_of_some).unwrap() },
            Way { name: "system, some", run: |world| world.run_system_once(wide_of_some).unwrap() },
        ));
    };
}

pub(crate) use {loops, more_ways};
