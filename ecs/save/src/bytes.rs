//! Numbers and texts as bytes: little-endian, with their lengths before them.

use crate::error::Problem;

/// Writes to the end of a list of bytes.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn len(&mut self, len: usize) {
        self.u64(len as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.len(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn u32s(&mut self, values: impl ExactSizeIterator<Item = u32>) {
        self.len(values.len());
        values.for_each(|value| self.u32(value));
    }

    pub(crate) fn u64s(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.len(values.len());
        values.for_each(|value| self.u64(value));
    }

    /// What is written within the call, with the number of its bytes before it.
    pub(crate) fn block<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let at = self.0.len();
        self.u64(0);
        write(&mut self.0)?;
        let len = (self.0.len() - at - 8) as u64;
        self.0[at..at + 8].copy_from_slice(&len.to_le_bytes());
        Ok(())
    }
}

/// Reads bytes from their beginning on, and never more than there are.
pub(crate) struct Reader<'b> {
    all: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(all: &'b [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// How many bytes have been read.
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

    /// How many items follow, each of so many bytes at least: no more than there is room for in what is left.
    pub(crate) fn len(&mut self, each: usize) -> Result<usize, Problem> {
        let len = usize::try_from(self.u64()?).map_err(|_| Problem::Ended)?;
        let is_there = len.checked_mul(each).is_some_and(|bytes| bytes <= self.all.len() - self.at);
        if is_there { Ok(len) } else { Err(Problem::Ended) }
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, Problem> {
        let len = self.len(1)?;
        str::from_utf8(self.bytes(len)?).map_err(|_| Problem::Text)
    }

    pub(crate) fn u32s(&mut self) -> Result<Vec<u32>, Problem> {
        let len = self.len(4)?;
        (0..len).map(|_| self.u32()).collect()
    }

    /// A reader of the bytes of the block that follows, and of nothing behind it.
    pub(crate) fn block_from_here(&self) -> Result<Self, Problem> {
        let mut within = Self { ..*self };
        let len = within.len(1)?;
        Ok(Self { all: &self.all[..within.at + len], at: within.at })
    }

    /// All that has not been read.
    pub(crate) fn left(&self) -> &'b [u8] {
        &self.all[self.at..]
    }

    /// Passes over bytes that are there.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes.min(self.all.len() - self.at);
    }

    /// The bytes of a block.
    pub(crate) fn block(&mut self) -> Result<&'b [u8], Problem> {
        let len = self.len(1)?;
        self.bytes(len)
    }
}
