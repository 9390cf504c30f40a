//! Macros with the tuple sizes for all implementations for tuples.
//!
//! The compiler checks the output of a macro once for each size. To limit this cost, a trait with many functions is implemented for tuples
//! of up to four members. Larger tuples are treated as a tuple of such tuples.
//!
//! Tests: tests/ui/pass/largest_tuples.rs

use core::marker::PhantomData;

/// Represents a tuple of more than four members as a tuple `T` of tuples of up to four members. This type distinguishes it from a tuple of
/// tuples that the user wrote.
#[doc(hidden)]
pub struct Groups<T>(PhantomData<fn() -> T>);

/// Calls a macro once for each number of members from 1 to 16, with a type name and the position of each member.
macro_rules! all_tuples {
    ($each:ident) => {
        $each!(A 0);
        $each!(A 0 B 1);
        $each!(A 0 B 1 C 2);
        $each!(A 0 B 1 C 2 D 3);
        $each!(A 0 B 1 C 2 D 3 E 4);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
        $each!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);
    };
}

/// Like `all_tuples`, for 1 to 4 members.
macro_rules! small_tuples {
    ($each:ident) => {
        $each!(A 0);
        $each!(A 0 B 1);
        $each!(A 0 B 1 C 2);
        $each!(A 0 B 1 C 2 D 3);
    };
}

/// Like `all_tuples`, for 5 to 16 members, which are passed in groups of up to four.
macro_rules! large_tuples {
    ($each:ident) => {
        $each!([A 0 B 1 C 2 D 3] [E 4]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10 L 11]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10 L 11] [M 12]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10 L 11] [M 12 N 13]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10 L 11] [M 12 N 13 O 14]);
        $each!([A 0 B 1 C 2 D 3] [E 4 F 5 G 6 H 7] [I 8 J 9 K 10 L 11] [M 12 N 13 O 14 P 15]);
    };
}

/// Returns the values of up to four members as a tuple, and the values of more members as a tuple of tuples.
macro_rules! grouped {
    ([$($value:expr),*]) => { ($($value,)*) };
    ($([$($value:expr),*])*) => { ($(($($value,)*),)*) };
}

/// Like `grouped`, for types. More than four types become [`Groups`].
macro_rules! grouped_types {
    ([$($T:ty),*]) => { ($($T,)*) };
    ($([$($T:ty),*])*) => { $crate::util::tuples::Groups<($(($($T,)*),)*)> };
}
