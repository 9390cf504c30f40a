//! Which instruction set is used.

use std::process::Command;

use strata_ecs::simd::InstructionSet;
use strata_tests::process::{child_of, is_child_for};

use crate::alone;

#[test]
fn a_limit_holds_from_now_on_and_never_exceeds_the_processor() {
    let _alone = alone();
    let detected = InstructionSet::detected();
    for set in [InstructionSet::Avx512, InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512] {
        set.limit();
        assert_eq!(InstructionSet::current(), set.min(detected));
    }
    assert_eq!(InstructionSet::detected(), detected, "a limit does not change what the processor has");
}

const ASKED: &str = "choice::what_the_environment_asks_for_is_used";

#[test]
fn what_the_environment_asks_for_is_used() {
    if is_child_for(ASKED) {
        println!("found {:?}, used {:?}", InstructionSet::detected(), InstructionSet::current());
        return;
    }
    let detected = InstructionSet::detected();
    let expected = [
        (None, detected),
        (Some("off"), InstructionSet::Baseline),
        (Some("baseline"), InstructionSet::Baseline),
        (Some("avx2"), InstructionSet::Avx2.min(detected)),
        (Some("avx512"), detected),
    ];
    for (asked, used) in expected {
        let mut child = child_of(ASKED);
        ask(&mut child, asked);
        let (printed, errors) = outcome(child);
        assert!(printed.contains(&format!("found {detected:?}, used {used:?}")), "{asked:?}: {printed}");
        assert!(!errors.contains("STRATA_SIMD"), "{asked:?}: {errors}");
    }
}

#[test]
fn what_the_environment_cannot_mean_is_told_and_turns_variants_off() {
    for asked in ["nonsense", "", "AVX2", "avx2,fma"] {
        let mut child = child_of(ASKED);
        ask(&mut child, Some(asked));
        let (printed, errors) = outcome(child);
        assert!(printed.contains("used Baseline"), "{asked:?}: {printed}");
        let told = format!("STRATA_SIMD is {asked:?}, and may be `off`, `avx2` or `avx512`");
        assert_eq!(errors.matches(&told).count(), 1, "{asked:?} is told once: {errors}");
    }
}

const LIMITED: &str = "choice::a_limit_goes_before_the_environment";

#[test]
fn a_limit_goes_before_the_environment() {
    if is_child_for(LIMITED) {
        InstructionSet::Avx512.limit();
        println!("used {:?}", InstructionSet::current());
        return;
    }
    let mut child = child_of(LIMITED);
    ask(&mut child, Some("off"));
    let (printed, _) = outcome(child);
    assert!(printed.contains(&format!("used {:?}", InstructionSet::detected())), "{printed}");
}

fn ask(child: &mut Command, asked: Option<&str>) {
    match asked {
        Some(asked) => child.env("STRATA_SIMD", asked),
        None => child.env_remove("STRATA_SIMD"),
    };
}

fn outcome(mut child: Command) -> (String, String) {
    let output = child.output().expect("the test binary can be started a second time");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}
