//! Tests of `RowBatch`.

use super::*;
use alloc::vec::Vec;

/// Returns the rows that `push` adds for a group and a mask of matching rows, or `None` if `push` refuses the group
/// because of a run.
fn collected(group: usize, mask: u64) -> Option<Vec<u32>> {
    let mut few = RowBatch::new();
    few.push(group, mask).then(|| few.all().to_vec())
}

#[test]
fn a_run_is_found_wherever_it_stands() {
    assert!(!has_run(0));
    assert!(!has_run(0x7f), "seven rows");
    assert!(!has_run(0x7f7f_7f7f_7f7f_7f7f), "seven rows at a time");
    for at in 0..=64 - RUN {
        assert!(has_run(0xff << at), "eight rows from {at} on");
    }
    assert!(has_run(u64::MAX));
}

#[test]
fn single_rows_are_collected_in_ascending_order() {
    assert_eq!(collected(128, 0), Some(Vec::new()));
    assert_eq!(collected(128, 1), Some(alloc::vec![128]));
    assert_eq!(collected(64, 1 << 63 | 1 << 9 | 1 << 8 | 1), Some(alloc::vec![64, 72, 73, 127]));
    let every_other: Vec<u32> = (0..64).step_by(2).collect();
    assert_eq!(collected(0, 0x5555_5555_5555_5555), Some(every_other));
}

#[test]
fn a_group_with_a_run_is_left_and_nothing_of_it_is_kept() {
    let mut few = RowBatch::new();
    assert!(few.push(0, 0b101));
    assert!(!few.push(64, 0xff << 20 | 1));
    assert_eq!(few.all(), [0, 2]);
    assert!(few.push(128, 1));
    assert_eq!(few.all(), [0, 2, 128]);
}

#[test]
fn there_is_room_for_a_whole_group_until_it_is_full() {
    let mut few = RowBatch::new();
    let mut groups = 0;
    // Seven of eight rows: the densest mask without a run.
    while !few.is_full() {
        assert!(few.push(groups * GROUP, 0x7f7f_7f7f_7f7f_7f7f));
        groups += 1;
    }
    assert!(few.all().len() <= FEW && few.all().len() > FEW - GROUP);
    assert_eq!(few.all().len(), groups * 56);
    assert!(few.all().is_sorted_by(|a, b| a < b));
}

#[test]
fn rows_can_be_counted_from_another_row_on() {
    let mut few = RowBatch::new();
    assert!(few.push(64, 0b1001));
    assert_eq!(few.all_from(0), [64, 67]);
    assert_eq!(few.all_from(64), [0, 3]);
}
