//! Worlds as compressed bytes: other magic bytes, a checksum of all that follows, the number of bytes that the world has, and these as
//! one block of LZ4. Different blocks may stand for the same bytes, so the checksum of the world alone would not notice all damage.

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

/// The bytes of a world, decompressed if they are compressed.
pub(crate) fn decompressed(bytes: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else { return Ok(Cow::Borrowed(bytes)) };
    decompress(rest).map(Cow::Owned).map_err(|(at, problem)| {
        let offset = MAGIC.len() + at;
        LoadError::Bytes { offset, name: None, problem }
    })
}

/// Decompresses what is behind the magic bytes. An error says how many bytes of that are before it.
#[cfg(feature = "lz4")]
fn decompress(bytes: &[u8]) -> Result<Vec<u8>, (usize, Problem)> {
    /// A block never stands for more than so many times its bytes.
    const MOST: usize = 255;

    let mut reader = crate::bytes::Reader::new(bytes);
    let sum = reader.u32().map_err(|problem| (0, problem))?;
    if sum != crc32fast::hash(reader.left()) {
        return Err((4, Problem::Checksum));
    }
    let len = reader.u64().map_err(|problem| (4, problem))?;
    // No memory is taken on the word of a file alone.
    let len = usize::try_from(len).ok().filter(|len| len / MOST <= reader.left().len()).ok_or((4, Problem::Ended))?;
    let world = lz4_flex::block::decompress(reader.left(), len);
    let world = world.map_err(|error| (reader.offset(), Problem::Value(error.to_string())))?;
    if world.len() == len { Ok(world) } else { Err((reader.offset(), Problem::Ended)) }
}

#[cfg(not(feature = "lz4"))]
fn decompress(_: &[u8]) -> Result<Vec<u8>, (usize, Problem)> {
    Err((0, Problem::Compressed))
}
