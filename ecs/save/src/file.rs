//! Files that are there as a whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// The error of an operation on a file, with its path.
fn with_path(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// The bytes of a file. An error names the file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| with_path(error, path))
}

/// Replaces a file. An error names the file. The bytes are written to a file beside it, which gets its name when they are on the disk: a crash leaves
/// the file of before or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_whole(path, bytes).map_err(|error| with_path(error, path))
}

fn replace_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in the name of a file"));
    };
    let mut beside = OsString::from(".");
    beside.push(name);
    // Two processes that save to one file do not write to the same one.
    beside.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It is of no use. If it cannot be removed the first error counts.
        _ = fs::remove_file(&beside);
        return written;
    }
    sync_folder(path);
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the new name last, where a folder can be opened for that. The file itself is complete whatever comes of it.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        _ = folder.sync_all();
    }
}
