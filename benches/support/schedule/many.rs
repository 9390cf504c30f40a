//! A hundred or a thousand items, each of a distinct type, as in a real program.

/// Calls a macro with the numbers 0 to 999 as constants.
macro_rules! thousand {
    ($each:ident) => { $crate::schedule::many::thousand!(@hundreds $each 0 1 2 3 4 5 6 7 8 9); };
    (@hundreds $each:ident $($hundreds:literal)*) => {$(
        $crate::schedule::many::thousand!(@tens $each $hundreds 0 1 2 3 4 5 6 7 8 9);
    )*};
    (@tens $each:ident $hundreds:literal $($tens:literal)*) => {$(
        $crate::schedule::many::thousand!(@ones $each $hundreds $tens 0 1 2 3 4 5 6 7 8 9);
    )*};
    (@ones $each:ident $hundreds:literal $tens:literal $($ones:literal)*) => {$(
        $each!({ $hundreds * 100 + $tens * 10 + $ones });
    )*};
}
pub(crate) use thousand;

/// Calls a macro with the numbers 0 to 99 as constants.
macro_rules! hundred {
    ($each:ident) => { $crate::schedule::many::thousand!(@tens $each 0 0 1 2 3 4 5 6 7 8 9); };
}
pub(crate) use hundred;

/// The count of numbers of [`hundred`].
pub(crate) const HUNDRED: usize = 100;

/// The count of numbers of [`thousand`].
pub(crate) const THOUSAND: usize = 1000;

/// The two lower-numbered systems that a system runs after. System 0 runs after no other, system 1 only after system 0.
///
/// The same in every run: derived from the bits of the system's number, mixed as in the generator SplitMix64.
pub(crate) const fn earlier(system: usize) -> [Option<usize>; 2] {
    let mut bits = (system as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    match system {
        0 => [None, None],
        1 => [Some(0), None],
        _ => {
            let first = (bits >> 32) as usize % system;
            let second = bits as u32 as usize % (system - 1);
            [Some(first), Some(if second < first { second } else { second + 1 })]
        }
    }
}
