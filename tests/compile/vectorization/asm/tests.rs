//! The reader, on listings as compilers write them.

use super::{Function, Instruction, Listing, Width};

const DAMP: &str = r#"
	.file	11 "/home/somebody/strata" "kernels/src/lib.rs" md5 0x1234
	.file	12 "/rustc/1" "core/src/range.rs" md5 0x5678
	.section	.text._RNvDamp,"ax",@progbits
	.type	_RNvDamp,@function
_RNvDamp:
.Lfunc_begin0:
	.loc	12 1 0
	.cfi_startproc
	test	rsi, rsi
	je	.LBB0_3
.Ltmp0:
	.p2align	4
.LBB0_2:
	.loc	11 75 19 is_stmt 1
	vmulps	ymm0, ymm5, ymmword ptr [rdi]   # a comment
.Ltmp1:
	vmovups	ymmword ptr [rdi], ymm0
	.loc	12 0 5
	add	rdi, 32
	add	rsi, -8
	jne	.LBB0_2
.LBB0_3:
	ret
.Lfunc_end0:
	.size	_RNvDamp, .Lfunc_end0-_RNvDamp
	.section	.rodata
_RNvData:
	.long	1
"#;

/// A function of these lines.
fn function(lines: &'static str) -> Function<'static> {
    let text: &str = format!("_R:\n{lines}").leak();
    let listing = Listing::parse(text);
    listing.functions.into_iter().next().expect("there is one")
}

/// The mnemonics of the innermost loops, block by block.
fn loops(lines: &'static str) -> Vec<Vec<String>> {
    let mnemonics = |block: &Vec<Instruction<'_>>| block.iter().map(|i| i.mnemonic).collect::<Vec<_>>().join(" ");
    function(lines).innermost_loops().iter().map(|found| found.blocks.iter().map(mnemonics).collect()).collect()
}

fn instruction(line: &'static str) -> Instruction<'static> {
    function(line).instructions[0]
}

#[test]
fn functions_are_told_from_data_and_instructions_have_their_sources() {
    let listing = Listing::parse(DAMP);
    let [damp] = listing.functions() else { panic!("{listing:?}") };
    assert_eq!(damp.symbol, "_RNvDamp");
    assert_eq!(damp.instructions().len(), 8);
    let multiply = damp.instructions()[2];
    assert_eq!((multiply.mnemonic, multiply.operands), ("vmulps", "ymm0, ymm5, ymmword ptr [rdi]"));
    assert_eq!(multiply.source, (11, 75));
    assert_eq!(listing.file_number("kernels/src/lib.rs"), Some(11));
    assert_eq!(listing.file_number("other/src/lib.rs"), None);
}

#[test]
fn a_label_that_no_jump_leads_to_does_not_divide_a_block() {
    let listing = Listing::parse(DAMP);
    let found = listing.functions()[0].innermost_loops();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].blocks.len(), 1);
    assert_eq!(found[0].instructions().count(), 5);
    assert_eq!(found[0].bytes(), 64);
}

#[test]
fn of_nested_loops_the_inner_ones_are_found() {
    let nested = "
.L1:
	inc	rax
.L2:
	dec	rax
	jne	.L2
.L3:
	neg	rax
	jne	.L3
	jmp	.L1
";
    assert_eq!(loops(nested), [["dec jne"], ["neg jne"]]);
}

#[test]
fn nested_loops_may_begin_with_one_block() {
    let nested = "
.L1:
	dec	rax
	jne	.L1
	inc	rbx
	cmp	rbx, rcx
	jne	.L1
	ret
";
    assert_eq!(loops(nested), [["dec jne"]]);
}

#[test]
fn a_loop_that_goes_on_early_keeps_a_branch() {
    let early = "
.L1:
	dec	rax
	je	.L2
	test	rbx, rbx
	je	.L1
	inc	rbx
	jmp	.L1
.L2:
	ret
";
    assert_eq!(loops(early), [["dec je", "test je"]]);
    let either = "
.L1:
	dec	rax
	je	.L3
	test	rbx, rbx
	je	.L2
	inc	rbx
	jmp	.L1
.L2:
	inc	rcx
	jmp	.L1
.L3:
	ret
";
    assert_eq!(loops(either), [["dec je", "test je", "inc jmp", "inc jmp"]]);
}

#[test]
fn a_branch_in_a_loop_divides_it() {
    let branch = "
.L1:
	test	rax, rax
	je	.L2
	inc	rbx
.L2:
	dec	rcx
	jne	.L1
	ret
";
    assert_eq!(loops(branch), [["test je", "inc", "dec jne"]]);
}

#[test]
fn a_block_at_the_end_of_the_function_belongs_to_its_loop() {
    let seldom = "
.L1:
	test	rax, rax
	je	.L3
.L2:
	dec	rcx
	jne	.L1
	ret
.L3:
	inc	rbx
	jmp	.L2
";
    assert_eq!(loops(seldom), [["test je", "dec jne", "inc jmp"]]);
}

#[test]
fn a_panic_is_no_part_of_the_loop_that_it_leaves() {
    let panics = "
	jmp	.L2
.L3:
	call	core_panicking_panic_bounds_check
.L2:
	cmp	rax, rbx
	jae	.L3
	dec	rcx
	jne	.L2
	ret
";
    assert_eq!(loops(panics), [["cmp jae", "dec jne"]]);
}

#[test]
fn jumps_out_of_the_function_lead_nowhere() {
    assert!(loops("\tjmp\t_RNvOther").is_empty());
    assert!(loops("\tjmp\trax").is_empty());
    assert!(loops("\ttest\trax, rax\n\tjne\t_RNvOther\n\tret").is_empty());
}

#[test]
fn arithmetic_is_told_by_how_many_numbers_it_takes() {
    for scalar in [
        "addss\txmm0, xmm1",
        "vmulsd\txmm0, xmm1, xmm2",
        "cvtss2sd\txmm0, xmm1",
        "ucomiss\txmm0, xmm1",
        "vmaxss\txmm0, xmm0, xmm1",
    ] {
        assert!(instruction(scalar).is_scalar_arithmetic(), "{scalar}");
    }
    for other in [
        "addps\txmm0, xmm1",
        "movss\txmm0, dword ptr [rax]",
        "vbroadcastss\tymm0, xmm0",
        "vpmaxsd\tymm0, ymm1, ymm2",
        "cvtps2pd\txmm0, xmm1",
        "add\trax, 1",
    ] {
        assert!(!instruction(other).is_scalar_arithmetic(), "{other}");
    }
}

#[test]
fn what_an_instruction_is_of_and_what_it_touches() {
    let multiply = instruction("vmulps\tzmm4, zmm1, zmmword ptr [r14 + rcx]");
    assert_eq!((multiply.stem(), multiply.width(), multiply.bytes()), ("mulps", Width::Zmm, 64));
    let store = instruction("movups\txmmword ptr [r15 + rax - 80], xmm2");
    assert_eq!((store.stem(), store.width(), store.bytes()), ("movups", Width::Xmm, 16));
    assert_eq!(instruction("add\tdword ptr [rax], 1").width(), Width::General);
    assert_eq!(instruction("add\tword ptr [rax], 1").bytes(), 2);
    assert_eq!(instruction("lea\trcx, [r12 + r13]").bytes(), 0);
    assert_eq!(instruction("movups\txmm0, xmmword ptr [rsp + 16]").bytes(), 0);
    assert_eq!(instruction("mulps\txmm0, xmmword ptr [rip + .LCPI0_0]").bytes(), 0);
}

#[test]
fn instructions_that_only_newer_processors_have_are_known() {
    assert!(instruction("vaddps\txmm0, xmm0, xmm1").is_wide());
    assert!(!instruction("addps\txmm0, xmm1").is_wide());
    assert!(instruction("vfmadd213ps\tymm0, ymm1, ymm2").is_contracted());
    assert!(instruction("vfnmadd231ss\txmm0, xmm1, xmm2").is_contracted());
    assert!(!instruction("vmulps\tymm0, ymm1, ymm2").is_contracted());
}
