//! Atomic replacement of files.
//!
//! Tests: tests/snapshots/saves.rs

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Adds the path of a file to the error of an operation on it.
fn with_path(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// Reads a file. An error names the file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| with_path(error, path))
}

/// Replaces a file. An error names the file. The bytes are written to a temporary file in the same folder, which is renamed when the bytes
/// are on the disk. So after a crash, either the old file or the new one exists.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_whole(path, bytes).map_err(|error| with_path(error, path))
}

fn replace_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in the name of a file"));
    };
    let mut beside = OsString::from(".");
    beside.push(name);
    // The process id prevents two processes that save to one file from sharing the temporary file.
    beside.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The temporary file is useless. If it cannot be removed, the first error is reported.
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

/// Makes the rename durable, if the folder can be opened. The file itself is complete in any case.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        _ = folder.sync_all();
    }
}
