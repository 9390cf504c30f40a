//! Numbers and texts as bytes: little-endian, preceded by their lengths.
//!
//! Tests: tests/snapshots/hostile.rs, tests/snapshots/encoding.rs

use std::ops::Range;

use crc32fast::Hasher;

use crate::encoding::Budget;
use crate::error::Problem;

/// The number of bytes that are copied and then hashed together: few enough to be in the L1 cache when they are hashed.
const HASHED_AT_ONCE: usize = 1 << 14;

/// The number of arrays that are written together.
const ARRAYS_AT_ONCE: usize = 1 << 10;

/// Appends to a list of bytes, and computes a checksum. Bytes are *settled* when they are added to the checksum: they must not change
/// afterwards.
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    hasher: Hasher,
    /// The number of settled bytes, which includes bytes that are excluded from the checksum.
    settled: usize,
    /// The ranges of the values of types, with the names of the types.
    values: Vec<(Range<usize>, &'static str)>,
    /// The number of elements that take no bytes, in the sequences of all values; and the name of the last type with such elements.
    empty: (usize, &'static str),
}

impl Writer {
    /// Writes to a vector, replacing its contents.
    pub(crate) fn new(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        Self { bytes, hasher: Hasher::new(), settled: 0, values: Vec::new(), empty: (0, "") }
    }

    /// Adds everything that has been written to the checksum.
    pub(crate) fn settle(&mut self) {
        self.hasher.update(&self.bytes[self.settled..]);
        self.settled = self.bytes.len();
    }

    /// Records that the bytes from position `from` on are values of the type `of`. The sequences in these values have `empty` elements that
    /// take no bytes.
    pub(crate) fn note_values(&mut self, from: usize, of: &'static str, empty: usize) {
        self.values.push((from..self.bytes.len(), of));
        if empty != 0 {
            self.empty = (self.empty.0 + empty, of);
        }
    }

    /// Returns the name of a type whose sequences have elements without bytes, if there are more such elements than a reader accepts.
    pub(crate) fn too_many_empty(&self) -> Option<&'static str> {
        let (count, of) = self.empty;
        (count > Budget::len_of(self.bytes.len())).then_some(of)
    }

    /// Returns the type whose values contain the byte at this position.
    pub(crate) fn type_at(&self, at: usize) -> Option<&'static str> {
        self.values.iter().find(|(range, _)| range.contains(&at)).map(|(_, name)| *name)
    }

    /// Writes a placeholder for a number that the checksum excludes.
    pub(crate) fn skip_u32(&mut self) {
        self.settle();
        self.u32(0);
        self.settled = self.bytes.len();
    }

    /// Returns the checksum of everything that has been written.
    pub(crate) fn checksum(&mut self) -> u32 {
        self.settle();
        self.hasher.clone().finalize()
    }

    /// Writes and settles several slices of bytes, preceded by their total length.
    pub(crate) fn plain(&mut self, parts: &[&[u8]]) {
        self.len(parts.iter().map(|part| part.len()).sum());
        for bytes in parts.iter().flat_map(|part| part.chunks(HASHED_AT_ONCE)) {
            self.bytes.extend_from_slice(bytes);
            self.settle();
        }
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn len(&mut self, len: usize) {
        self.u64(len as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.len(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn u32s(&mut self, values: &[u32]) {
        self.len(values.len());
        self.arrays(values, |value| value.to_le_bytes());
    }

    pub(crate) fn u64s<T>(&mut self, values: &[T], number: impl Fn(&T) -> u64) {
        self.len(values.len());
        self.arrays(values, |value| number(value).to_le_bytes());
    }

    /// Writes items as arrays of bytes, without the number of the items. Full groups of [`ARRAYS_AT_ONCE`] items are settled.
    pub(crate) fn arrays<T, const N: usize>(&mut self, items: &[T], array: impl Fn(&T) -> [u8; N]) {
        self.bytes.reserve(items.len() * N);
        for items in items.chunks(ARRAYS_AT_ONCE) {
            // A buffer is filled and appended: to write straight into the vector, its room would first have to be filled with other bytes,
            // which is as slow as writing.
            let mut buffer = [[0; N]; ARRAYS_AT_ONCE];
            buffer.iter_mut().zip(items).for_each(|(room, item)| *room = array(item));
            self.bytes.extend_from_slice(buffer[..items.len()].as_flattened());
            if items.len() == ARRAYS_AT_ONCE {
                self.settle();
            }
        }
    }

    /// Writes the bytes that `write` appends, preceded by their length.
    pub(crate) fn block<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let at = self.bytes.len();
        self.u64(0);
        write(&mut self.bytes)?;
        let len = (self.bytes.len() - at - 8) as u64;
        self.bytes[at..at + 8].copy_from_slice(&len.to_le_bytes());
        Ok(())
    }
}

/// The lengths in bytes of consecutive values: one number as long as all lengths are equal.
#[derive(Default)]
pub(crate) struct Lengths {
    count: usize,
    first: u32,
    /// The length of each value; empty as long as all lengths are equal.
    each: Vec<u32>,
    /// The number of elements that take no bytes, in the sequences of the values.
    pub(crate) empty: usize,
}

impl Lengths {
    /// Adds the length of the next value.
    #[inline]
    pub(crate) fn push(&mut self, len: usize) -> Result<(), String> {
        if len == self.first as usize && self.count != 0 && self.each.is_empty() {
            self.count += 1;
            return Ok(());
        }
        self.push_other(len)
    }

    fn push_other(&mut self, len: usize) -> Result<(), String> {
        let Ok(len) = u32::try_from(len) else { return Err("it takes more than 4 GiB".to_owned()) };
        if self.count == 0 {
            self.first = len;
        }
        if len != self.first && self.each.is_empty() {
            self.each.resize(self.count, self.first);
        }
        if len != self.first || !self.each.is_empty() {
            self.each.push(len);
        }
        self.count += 1;
        Ok(())
    }

    /// Returns the length of each value; `None` if all lengths are equal.
    pub(crate) fn each(&self) -> Option<&[u32]> {
        (!self.each.is_empty()).then_some(&self.each[..])
    }
}

/// Reads bytes from their start, and never past their end.
pub(crate) struct Reader<'b> {
    all: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(all: &'b [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// Returns the number of bytes that have been read.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.all.len()
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Result<&'b [u8], Problem> {
        let bytes = self.all[self.at..].get(..len).ok_or(Problem::Ended)?;
        self.at += len;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let Some((bytes, _)) = self.all[self.at..].split_first_chunk() else { return Err(Problem::Ended) };
        self.at += N;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Problem> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Problem> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Problem::Flag),
        }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Problem> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Problem> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads the number of the items that follow, each of at least `each` bytes. Fails if the remaining bytes cannot hold so many items.
    pub(crate) fn len(&mut self, each: usize) -> Result<usize, Problem> {
        let len = usize::try_from(self.u64()?).map_err(|_| Problem::Ended)?;
        let is_there = len.checked_mul(each).is_some_and(|bytes| bytes <= self.all.len() - self.at);
        if is_there { Ok(len) } else { Err(Problem::Ended) }
    }

    /// Reads `len` arrays of bytes.
    pub(crate) fn arrays<const N: usize>(&mut self, len: usize) -> Result<&'b [[u8; N]], Problem> {
        let (arrays, _) = self.bytes(len.checked_mul(N).ok_or(Problem::Ended)?)?.as_chunks();
        Ok(arrays)
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, Problem> {
        let len = self.len(1)?;
        str::from_utf8(self.bytes(len)?).map_err(|_| Problem::Text)
    }

    pub(crate) fn u32s(&mut self) -> Result<Vec<u32>, Problem> {
        let len = self.len(4)?;
        Ok(self.arrays(len)?.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    /// Returns the bytes that have not been read.
    pub(crate) fn left(&self) -> &'b [u8] {
        &self.all[self.at..]
    }

    /// Moves to a position within the bytes.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.all.len());
    }

    /// Reads a block: its length and its bytes.
    pub(crate) fn block(&mut self) -> Result<&'b [u8], Problem> {
        let len = self.len(1)?;
        self.bytes(len)
    }
}
