//! The machine code of loops over rows: what a system is compiled to for each instruction set.
//!
//! `kernels` is a crate of systems that are compiled as a user's release build would, and never run. The test does not require the assembly
//! to stay unchanged, but to have the properties that make it fast: the loop over most rows computes with packed numbers of the full width
//! of the instruction set, and no loop over rows has a call or a branch for each row. Some systems that cannot be compiled in this way
//! prove that the test detects failures.
//!
//! All tests here wait for one run of the compiler, which has one processor to do. The name of this module is behind `ui`, which has work for
//! the others: tests begin in the order of their names.
//!
//! `STRATA_SHOW_LOOPS=integrate cargo test -p strata-compile-tests -- --nocapture` prints the loops of one of them.
//!
//! Two things make the loops fast. The core calls a closure for the rows of a table, which is always inlined: for a function that is called
//! through `Fn`, the compiler adds a function in between, in which a long loop remains and is compiled for the baseline. And if several
//! rows are processed at a time, `simd::between_blocks` separates them from the next rows.

#![cfg(all(target_arch = "x86_64", unix))]

mod asm;
mod check;
mod compile;

use check::{AVX2, AVX512, BASELINE, Complaint, Fault, Kernel, Variant, check, show};

const VARIANTS: [Variant; 3] = [BASELINE, AVX2, AVX512];

/// Systems that compute several rows at a time.
const PACKED: &[Kernel] = &[
    Kernel::new("damp", &["mulps"]).of_vectors(),
    Kernel::new("integrate", &["mulps", "addps"]).of_vectors().with_parameters(),
    Kernel::new("integrate_spread", &["mulps", "subps"]).of_vectors().with_parameters(),
    Kernel::new("eight_columns", &["addps"]),
    Kernel::new("filtered", &["addps"]),
    Kernel::new("count_up", &["paddd|psubd"]),
    Kernel::new("floor_at_zero", &["pmaxsd|pand|pandn"]),
    Kernel::new("confine", &["maxps", "minps"]).of_vectors(),
    // The bounds are loaded and compared once for some rows.
    Kernel::new("confine_between", &["maxps", "minps"]).of_vectors().with_parameters().asserting(),
    Kernel::new("draw_lots", &["pslld", "psrld", "pxor|pxord|pternlogd"]),
    // An id has a generation between its index and the next one.
    Kernel::new("number_entities", &["addps"]).at_once(4),
    Kernel::new("widen", &["cvtps2pd", "addpd"]).at_once(8),
    Kernel::new("widen_bytes", &["cvtdq2ps", "addps"]).at_once(4),
    // Its three numbers depend on each other. That it is not left as a function for the baseline is what is asked here.
    Kernel::new("long_body", &[]).of_vectors().one_by_one(),
    // SSE2 cannot store some of the numbers of a register.
    Kernel::new("store_in_some_rows", &["pmaskmovd|movdqu32"]).for_wide().one_of_several(),
    Kernel::new("add_up_inside", &["pxor|pxord|pternlogd|xorps"]).of_items(),
    // There is a loop for components whose changes are kept, which notes them row by row.
    Kernel::new("cool_inside", &["mulps"]).of_items().one_of_several(),
    Kernel::new("warm_lanes_inside", &["addps"]).of_items().one_of_several(),
    Kernel::new("blend_lanes_spread", &["mulps", "addps"]).of_items().one_of_several(),
    Kernel::new("push_inside", &["addps"]).of_vectors().for_wide().one_of_several(),
    // Eight rows at a time are for slices, of which it is known that they do not overlap.
    Kernel::new("integrate_inside", &["addps"]).of_vectors().for_wide().one_of_several(),
];

#[test]
fn loops_over_rows_are_packed_and_have_neither_calls_nor_branches() {
    let listing = compile::kernels();
    let checked = PACKED.iter().flat_map(|kernel| VARIANTS.iter().map(move |variant| (kernel, variant)));
    let checked = checked.filter(|(kernel, variant)| kernel.has(variant));
    let complaints: Vec<Complaint> = checked.flat_map(|(kernel, variant)| check(listing, kernel, variant)).collect();
    let texts: Vec<String> = complaints.iter().map(Complaint::to_string).collect();
    assert!(texts.is_empty(), "{} complaints\n\n{}", texts.len(), texts.join("\n"));
}

/// That the fault is found in a system, whatever it is compiled for.
fn assert_found(kernel: &Kernel, is_it: impl Fn(&Fault) -> bool) {
    let listing = compile::kernels();
    for variant in VARIANTS {
        let complaints = check(listing, kernel, &variant);
        let faults: Vec<&Fault> = complaints.iter().map(|complaint| &complaint.fault).collect();
        assert!(faults.iter().any(|fault| is_it(fault)), "{}: {faults:?}", variant.name);
    }
}

#[test]
fn a_call_for_each_row_is_found() {
    assert_found(&Kernel::new("calls_for_each_row", &[]), |fault| *fault == Fault::Call);
}

#[test]
fn rows_that_are_computed_one_by_one_are_found() {
    let sum = Kernel::new("sums_in_order", &["addps"]);
    assert_found(&sum, |fault| *fault == Fault::NotPacked("addps"));
    assert_found(&sum, |fault| *fault == Fault::Scalar);
}

#[test]
fn a_check_of_an_index_for_each_row_is_found() {
    assert_found(&Kernel::new("checks_an_index", &[]), |fault| matches!(fault, Fault::Branch(_)));
}

#[test]
fn a_branch_for_each_row_is_found() {
    assert_found(&Kernel::new("branches", &[]), |fault| matches!(fault, Fault::Branch(_)));
}

#[test]
fn numbers_that_are_gathered_are_found() {
    assert_found(&Kernel::new("widen", &["addpd"]).at_once(1024), |fault| matches!(fault, Fault::Gathered(_)));
}

#[test]
fn a_system_that_is_not_there_is_missed() {
    assert_found(&Kernel::new("no_such_system", &[]), |fault| *fault == Fault::Functions(0));
}

/// Prints the loops of the system that an environment variable selects.
#[test]
fn loops_are_printed_to_be_read() {
    let listing = compile::kernels();
    let name = std::env::var("STRATA_SHOW_LOOPS").unwrap_or_else(|_| "integrate".to_owned());
    let loops = VARIANTS.map(|variant| show(listing, &name, &variant));
    assert!(loops.iter().any(|loops| !loops.is_empty()), "no loops of a system `{name}` are among the kernels");
    loops.iter().for_each(|loops| println!("{loops}"));
}
