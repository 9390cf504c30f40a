//! Texts that are compared with the files in `golden/`. `GOLDEN=overwrite cargo test -p strata-tests --test schedules` rewrites the files:
//! review the changes.

use std::fs;
use std::path::Path;

/// Fails if the text differs from the file in `golden/`.
#[track_caller]
pub(crate) fn check(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schedules/schedule_views/golden").join(file);
    if std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite") {
        fs::write(&path, text).expect("the file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(expected == text, "{file} is\n{expected}\nand the text is\n{text}");
}
