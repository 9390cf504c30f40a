//! Compressed worlds: other magic bytes, a checksum of all following bytes, the length of the decompressed world, and the world as one
//! block of LZ4. Different blocks may decompress to equal bytes, so the checksum of the world alone would not detect all damage.
//!
//! Tests: tests/snapshots/compressed.rs

use std::borrow::Cow;

use crate::error::{LoadError, Problem};

/// The first bytes of a compressed world.
const MAGIC: [u8; 8] = *b"\x93STRLZ4\n";

/// Compresses a world.
#[cfg(feature = "lz4")]
pub(crate) fn compress(world: &[u8]) -> Vec<u8> {
    use lz4_flex::block::{compress_into, get_maximum_output_size};

    let mut bytes = Vec::new();
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(world.len() as u64).to_le_bytes());
    let header = bytes.len();
    bytes.resize(header + get_maximum_output_size(world.len()), 0);
    match compress_into(world, &mut bytes[header..]) {
        Ok(len) => bytes.truncate(header + len),
        Err(error) => unreachable!("there is room for whatever comes out: {error}"),
    }
    let sum = crc32fast::hash(&bytes[MAGIC.len() + 4..]);
    bytes[MAGIC.len()..MAGIC.len() + 4].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Returns the bytes of a world, decompressed if they are compressed.
pub(crate) fn decompressed(bytes: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else { return Ok(Cow::Borrowed(bytes)) };
    decompress(rest).map(Cow::Owned).map_err(|(at, problem)| {
        let offset = MAGIC.len() + at;
        LoadError::Bytes { offset, name: None, problem }
    })
}

/// Decompresses the bytes after the magic bytes. An error contains the offset of the problem in these bytes.
#[cfg(feature = "lz4")]
fn decompress(bytes: &[u8]) -> Result<Vec<u8>, (usize, Problem)> {
    /// The maximum compression ratio of a block.
    const MOST: usize = 255;

    let mut reader = crate::bytes::Reader::new(bytes);
    let sum = reader.u32().map_err(|problem| (0, problem))?;
    if sum != crc32fast::hash(reader.left()) {
        return Err((4, Problem::Checksum));
    }
    let len = reader.u64().map_err(|problem| (4, problem))?;
    // The length in the file is not trusted for the allocation: it may not exceed the length to which the compressed bytes can expand.
    let len = usize::try_from(len).ok().filter(|len| len / MOST <= reader.left().len()).ok_or((4, Problem::Ended))?;
    let world = lz4_flex::block::decompress(reader.left(), len);
    let world = world.map_err(|error| (reader.offset(), Problem::Value(error.to_string())))?;
    if world.len() == len { Ok(world) } else { Err((reader.offset(), Problem::Ended)) }
}

#[cfg(not(feature = "lz4"))]
fn decompress(_: &[u8]) -> Result<Vec<u8>, (usize, Problem)> {
    Err((0, Problem::Compressed))
}
