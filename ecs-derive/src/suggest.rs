//! Finds the nearest valid name for a misspelt name.

/// Returns the name in `valid` that is nearest to `name`, if it is near enough to be the intended name.
pub(crate) fn nearest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    valid
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= most || prefix(name, candidate))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Returns whether one of the names is a prefix of the other, as in abbreviations.
fn prefix(name: &str, candidate: &str) -> bool {
    name.len() >= 2 && (candidate.starts_with(name) || name.starts_with(candidate))
}

/// Returns the edit distance of two names. Swapping two adjacent characters counts as one edit (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_edits_and_swaps() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("storge", "storage"), 1);
        assert_eq!(distance("wtih", "with"), 1);
        assert_eq!(distance("Sparse", "sparse"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nearest_suggests_only_what_is_near() {
        let valid = ["with", "without", "any", "crate"];
        assert_eq!(nearest("wthout", valid), Some("without"));
        assert_eq!(nearest("wiht", valid), Some("with"));
        assert_eq!(nearest("schedule", valid), None);
    }
}
