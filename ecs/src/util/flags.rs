//! The macro for sets of flags.
//!
//! Tests: ecs/src/events/observer/tests.rs, ecs/src/structure/graph/planner.rs

/// Defines a type for sets of flags, which is an unsigned integer. The type has a constant for each listed set, and the set operations.
macro_rules! flag_set {
    (
        $(#[$of_set:meta])*
        $vis:vis struct $Set:ident($Bits:ty) {
            $($(#[$of_flag:meta])* $NAME:ident = $bits:expr;)*
        }
    ) => {
        $(#[$of_set])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        $vis struct $Set($Bits);

        impl $Set {
            /// The empty set.
            pub(crate) const NONE: Self = Self(0);
            $($(#[$of_flag])* pub(crate) const $NAME: Self = Self($bits);)*

            /// Returns whether no flag is set.
            #[inline(always)]
            pub(crate) const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Returns whether at least one flag is in both sets.
            #[inline(always)]
            pub(crate) const fn intersects(self, others: Self) -> bool {
                self.0 & others.0 != 0
            }

            /// Returns the union of both sets.
            #[inline(always)]
            #[must_use]
            pub(crate) const fn union(self, others: Self) -> Self {
                Self(self.0 | others.0)
            }

            /// Returns the flags that are in both sets.
            #[inline(always)]
            #[must_use]
            pub(crate) const fn intersection(self, others: Self) -> Self {
                Self(self.0 & others.0)
            }

            /// Returns the flags of this set that are not in the other set.
            #[inline(always)]
            #[must_use]
            pub(crate) const fn difference(self, others: Self) -> Self {
                Self(self.0 & !others.0)
            }

            /// Returns this set if a condition holds, otherwise the empty set.
            #[inline(always)]
            #[must_use]
            pub(crate) const fn only_if(self, holds: bool) -> Self {
                if holds { self } else { Self::NONE }
            }
        }

        // This uses each operation once, because some sets do not use all of them, and rustc would report the others.
        const _: () = {
            let none = $Set::NONE.union($Set::NONE).intersection($Set::NONE).difference($Set::NONE).only_if(true);
            assert!(none.is_empty() && !none.intersects(none));
        };
    };
}

pub(crate) use flag_set;
