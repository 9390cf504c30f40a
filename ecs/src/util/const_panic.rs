//! Compile errors with a text that is built at compile time.
//!
//! Tests: tests/ui/errors, tests/ui/fail

/// Fails the compilation with an error message, which is concatenated from several parts.
#[track_caller]
pub(crate) const fn fail(parts: &[&[&str]]) -> ! {
    const ROOM: usize = 1024;
    let mut text = [0; ROOM];
    let mut len = 0;
    let mut row = 0;
    while row < parts.len() {
        let mut part = 0;
        while part < parts[row].len() {
            let bytes = parts[row][part].as_bytes();
            let mut at = 0;
            while at < bytes.len() && len < ROOM {
                text[len] = bytes[at];
                (len, at) = (len + 1, at + 1);
            }
            part += 1;
        }
        row += 1;
    }
    match core::str::from_utf8(text.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("an error whose text is too long"),
    }
}
