//! The requirements on the loops of a system.

use std::fmt;

use super::asm::{Function, Instruction, Listing, Loop, Width};

/// Where the kernels are written.
const SOURCE: &str = "compile/vectorization/kernels/src/lib.rs";

/// For what a loop is compiled: the function in `strata_ecs::simd`, and its registers.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    /// A part of the mangled name.
    path: &'static str,
    /// The narrowest and the widest registers that are right for it.
    registers: (Width, Width),
}

impl Variant {
    fn is_baseline(&self) -> bool {
        self.registers.1 == Width::Xmm
    }
}

pub(crate) const BASELINE: Variant =
    Variant { name: "the baseline", path: "4simd8baseline", registers: (Width::Xmm, Width::Xmm) };
/// A part of the mangled name of the loop that is not cut into blocks.
const AS_WRITTEN: &str = "4simd10as_written";
/// A part of the mangled name of the loops over rows that note one by one that they were changed. They are in a function of their own.
const NOTED: &str = "9FoldNoted";
pub(crate) const AVX2: Variant = Variant { name: "AVX2", path: "4simd4wide4avx2", registers: (Width::Ymm, Width::Ymm) };
// LLVM prefers the registers of AVX2, unless an option says that wider registers do not lower the clock rate.
pub(crate) const AVX512: Variant =
    Variant { name: "AVX-512", path: "4simd4wide6avx512", registers: (Width::Ymm, Width::Zmm) };

/// A system of the kernels, and what is demanded of the loop over its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// The packed instructions that the loop has to have, without the `v` of AVX; several that serve the same end have a `|`
    /// between them.
    packed: &'static [&'static str],
    /// How many bytes of a column it touches at once, at the least.
    at_once: usize,
    /// Whether nothing but old instructions is demanded for the baseline.
    is_for_wide: bool,
    /// Whether there may be further loops with calls and branches, in addition to the loop over most rows.
    is_one_of_several: bool,
    /// Whether its values are made of several numbers: then there is no variant for AVX-512.
    is_of_vectors: bool,
    /// Whether the loop goes over items: then there is no variant for AVX-512 either.
    is_of_items: bool,
    /// Whether it reads numbers that are the same for all rows.
    has_parameters: bool,
    /// Whether it asserts something once for several rows.
    asserts: bool,
    /// Whether its numbers are computed one by one after all.
    is_one_by_one: bool,
}

impl Kernel {
    pub(crate) const fn new(name: &'static str, packed: &'static [&'static str]) -> Self {
        Self {
            name,
            packed,
            at_once: 16,
            is_for_wide: false,
            is_one_of_several: false,
            is_of_vectors: false,
            is_of_items: false,
            has_parameters: false,
            asserts: false,
            is_one_by_one: false,
        }
    }

    /// With values of several numbers each.
    pub(crate) const fn of_vectors(self) -> Self {
        Self { is_of_vectors: true, ..self }
    }

    /// With internal iteration.
    pub(crate) const fn of_items(self) -> Self {
        Self { is_of_items: true, ..self }
    }

    /// With numbers that are the same for all rows, which may be read once for several rows.
    pub(crate) const fn with_parameters(self) -> Self {
        Self { has_parameters: true, ..self }
    }

    /// With an assertion, which may be asked once for several rows.
    pub(crate) const fn asserting(self) -> Self {
        Self { asserts: true, ..self }
    }

    /// Not packed.
    pub(crate) const fn one_by_one(self) -> Self {
        Self { is_one_by_one: true, ..self }
    }

    /// Whether it is compiled for a variant.
    pub(crate) fn has(&self, variant: &Variant) -> bool {
        !((self.is_of_vectors || self.is_of_items) && variant.registers.1 == Width::Zmm)
    }

    /// With numbers that are smaller than others of the row, or that have to be brought together.
    pub(crate) const fn at_once(self, at_once: usize) -> Self {
        Self { at_once, ..self }
    }

    /// Not packed for the baseline.
    pub(crate) const fn for_wide(self) -> Self {
        Self { is_for_wide: true, ..self }
    }

    /// With other loops that may have calls and branches.
    pub(crate) const fn one_of_several(self) -> Self {
        Self { is_one_of_several: true, ..self }
    }
}

/// An unmet requirement of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// There is not one function for the variant, but so many.
    Functions(usize),
    /// No loop has instructions that come from the system's source.
    NoLoop,
    /// A call for each row.
    Call,
    /// More than the one jump that closes the loop: so many basic blocks.
    Branch(usize),
    /// None of these instructions is there.
    NotPacked(&'static str),
    /// Numbers are computed, or moved between memory and general registers, one by one.
    Scalar,
    /// Columns are touched in pieces of so few bytes: numbers are gathered from far apart.
    Gathered(usize),
    /// The result would not be the same on all processors.
    Contracted,
    /// Older processors do not have this instruction.
    TooWide,
}

/// A fault and where it is.
pub(crate) struct Complaint {
    pub(crate) fault: Fault,
    text: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the unmet requirements of a system in one variant.
pub(crate) fn check(listing: &Listing<'_>, kernel: &Kernel, variant: &Variant) -> Vec<Complaint> {
    let functions = functions_of(listing, kernel.name, variant);
    let (beside, plain): (Vec<_>, Vec<_>) = functions.into_iter().partition(|function| function.symbol.contains(NOTED));
    let [function] = plain[..] else {
        return vec![complaint(kernel, variant, Fault::Functions(plain.len()), "")];
    };
    let mut complaints = faults_of_function(kernel, variant, function);
    complaints.extend(beside.into_iter().flat_map(|function| faults_of_function(kernel, variant, function)));
    if kernel.is_for_wide && variant.is_baseline() {
        return complaints;
    }
    let rows = row_loops(listing, function);
    // The loop that touches most at a time: what others are there for is the rest.
    let Some(main) = rows.iter().max_by_key(|rows| rows.bytes()) else {
        complaints.push(complaint(kernel, variant, Fault::NoLoop, ""));
        return complaints;
    };
    let mut complain = |fault, rows: &Loop<'_>| {
        complaints.push(complaint(kernel, variant, fault, &print(rows.instructions())));
    };
    faults_of_main(kernel, variant, main).into_iter().for_each(|fault| complain(fault, main));
    let others = if kernel.is_one_of_several { std::slice::from_ref(main) } else { &rows[..] };
    for rows in others {
        faults_of_any(kernel, rows).into_iter().for_each(|fault| complain(fault, rows));
    }
    complaints
}

/// The functions of the variant that the system's loops are in.
fn functions_of<'l, 'a>(listing: &'l Listing<'a>, name: &str, variant: &Variant) -> Vec<&'l Function<'a>> {
    // In row systems that is a closure in an implementation for the type of the system; in others the loop is called by the
    // function itself. Names have their length before them, and a `_` if they begin with one.
    let system = format!("__strata_system_{name}");
    let names = [format!("{}_{system}", system.len()), format!("{}{name}", name.len())];
    let find = |path: &str| -> Vec<&Function<'_>> {
        let is_it = |function: &&Function<'_>| {
            function.symbol.contains(path) && names.iter().any(|name| function.symbol.contains(name))
        };
        listing.functions().iter().filter(is_it).collect()
    };
    let found = find(variant.path);
    // The compiler makes one function of two that are the same: that for the baseline has another name then.
    if found.is_empty() && variant.is_baseline() { find(AS_WRITTEN) } else { found }
}

/// The loops in which something comes from the source of the kernels.
fn row_loops<'a>(listing: &Listing<'a>, function: &Function<'a>) -> Vec<Loop<'a>> {
    let source = listing.file_number(SOURCE);
    // Instructions without a source line have line 0 and the source of the previous instruction.
    let is_of_rows = |found: &Instruction<'_>| Some(found.source.0) == source && found.source.1 != 0;
    let is_over_rows = |found: &Loop<'_>| found.instructions().any(is_of_rows);
    function.innermost_loops().into_iter().filter(is_over_rows).collect()
}

/// Returns the unmet requirements of the loop over most rows.
fn faults_of_main(kernel: &Kernel, variant: &Variant, main: &Loop<'_>) -> Vec<Fault> {
    let (narrowest, widest) = variant.registers;
    let is_there = |stem: &str| {
        main.instructions().any(|found| found.stem() == stem && (narrowest..=widest).contains(&found.width()))
    };
    let missing = kernel.packed.iter().filter(|&stems| !stems.split('|').any(is_there));
    let mut faults: Vec<Fault> = missing.map(|stems| Fault::NotPacked(stems)).collect();
    if kernel.is_one_by_one {
        return faults;
    }
    let instructions = || main.instructions().filter(|found| !(kernel.has_parameters && found.is_load_of_one()));
    let is_scalar =
        |found: &Instruction<'_>| found.is_scalar_arithmetic() || found.width() == Width::General && found.bytes() > 0;
    faults.extend(instructions().any(is_scalar).then_some(Fault::Scalar));
    let least = instructions().filter(|found| found.width() != Width::General).map(Instruction::bytes);
    let least = least.filter(|&bytes| bytes > 0).min();
    faults.extend(least.filter(|&bytes| bytes < kernel.at_once).map(Fault::Gathered));
    faults
}

/// Returns the unmet requirements of a loop over rows, which may be the loop for the remaining rows.
fn faults_of_any(kernel: &Kernel, rows: &Loop<'_>) -> Vec<Fault> {
    let call = rows.instructions().any(Instruction::is_call).then_some(Fault::Call);
    let most = if kernel.asserts { 2 } else { 1 };
    let branch = (rows.blocks.len() > most).then_some(Fault::Branch(rows.blocks.len()));
    call.into_iter().chain(branch).collect()
}

/// Returns the instructions in a function that must not occur anywhere.
fn faults_of_function(kernel: &Kernel, variant: &Variant, function: &Function<'_>) -> Vec<Complaint> {
    let find = |fault: Fault, is_it: fn(&Instruction<'_>) -> bool| {
        let found = function.instructions().iter().find(|instruction| is_it(instruction));
        found.map(|instruction| complaint(kernel, variant, fault, &print([instruction].into_iter())))
    };
    let contracted = find(Fault::Contracted, |instruction| instruction.is_contracted());
    let too_wide = if variant.is_baseline() { find(Fault::TooWide, |instruction| instruction.is_wide()) } else { None };
    contracted.into_iter().chain(too_wide).collect()
}

fn complaint(kernel: &Kernel, variant: &Variant, fault: Fault, code: &str) -> Complaint {
    let what = match &fault {
        Fault::Functions(0) => "there is no function for it. Has the way to its name changed?".to_owned(),
        Fault::Functions(count) => {
            format!("{count} functions have its name; the names of systems must tell them apart")
        }
        Fault::NoLoop => "no loop has anything of the system's source: it is not inlined, or not a loop".to_owned(),
        Fault::Call => "no call expected for each row, and one is there".to_owned(),
        Fault::Branch(blocks) => {
            format!("no branch expected for each row but that of the loop, and the loop has {blocks} basic blocks")
        }
        Fault::NotPacked(stems) => {
            format!(
                "{} expected on {:?} registers, and it is not there",
                stems.replace('|', " or "),
                variant.registers.0
            )
        }
        Fault::Scalar => "no scalar arithmetic expected in the loop over most rows, and there is some".to_owned(),
        Fault::Gathered(bytes) => {
            format!("pieces of {} bytes expected in the loop over most rows, and some have {bytes}", kernel.at_once)
        }
        Fault::Contracted => "no contracted operations expected: results would depend on the processor".to_owned(),
        Fault::TooWide => "no instructions of AVX expected: older processors do not have them".to_owned(),
    };
    Complaint { fault, text: format!("`{}`, compiled for {}: {what}.\n{code}", kernel.name, variant.name) }
}

/// The loops over rows of a system, to be read.
pub(crate) fn show(listing: &Listing<'_>, name: &str, variant: &Variant) -> String {
    let functions = functions_of(listing, name, variant);
    let loops = functions.into_iter().flat_map(|function| row_loops(listing, function));
    let texts = loops.map(|rows| format!("`{name}`, compiled for {}:\n{}\n", variant.name, print(rows.instructions())));
    texts.collect()
}

/// Instructions, each with the line of the source that it was made of.
fn print<'i, 'a: 'i>(instructions: impl Iterator<Item = &'i Instruction<'a>>) -> String {
    instructions
        .map(|Instruction { mnemonic, operands, source }| format!("    {:>4} | {mnemonic} {operands}\n", source.1))
        .collect()
}
