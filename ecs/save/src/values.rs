//! Conversion of values of one type to bytes and back.
//!
//! Tests: tests/snapshots/encoding.rs

use std::cmp::Ordering;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::change::Tick;
use strata_ecs::component::{ComponentDescriptor, ErasedSlice};
use strata_ecs::snapshot::NewColumnContents;

use crate::bytes::{Lengths, Reader};
use crate::encoding::{Budget, decode, encode_all};
use crate::error::Problem;
use crate::fixed::Fixed;

/// The bytes of `count` values: a part of a column. A column has several parts if tables have been merged because components are left out.
#[derive(Clone, Copy)]
pub(crate) struct Values<'b> {
    /// The offset of the bytes in the file, for errors.
    pub(crate) offset: usize,
    pub(crate) bytes: &'b [u8],
    pub(crate) count: usize,
    pub(crate) form: Form<'b>,
    /// The budget of the whole file.
    pub(crate) budget: &'b Budget,
}

/// The encoding of the values.
#[derive(Clone, Copy)]
pub(crate) enum Form<'b> {
    /// Values as their bytes in memory.
    Plain,
    /// Values in postcard's encoding, all with equal lengths.
    Even,
    /// Values in postcard's encoding, with the length of each.
    Each(&'b [[u8; 4]]),
    /// Values in postcard's encoding, with lengths that are not known in advance.
    Unmeasured,
}

impl<'b> Values<'b> {
    pub(crate) fn are_plain(&self) -> bool {
        matches!(self.form, Form::Plain)
    }

    /// Checks the number of bytes against `size`, the size of a value, or if that is `None` against the lengths in the encoding.
    pub(crate) fn check(&self, size: Option<usize>) -> Result<(), (usize, Problem)> {
        let sum = match (self.form, size) {
            (_, Some(size)) => self.count as u128 * size as u128,
            // A `u128` holds the sum of 2^64 lengths of 4 bytes, so the sum does not overflow.
            (Form::Each(lengths), None) => lengths.iter().map(|len| u128::from(u32::from_le_bytes(*len))).sum(),
            (Form::Even | Form::Plain, None) => (self.bytes.len() / self.count.max(1) * self.count) as u128,
            (Form::Unmeasured, None) => return Ok(()),
        };
        let len = self.bytes.len();
        match sum.cmp(&(len as u128)) {
            Ordering::Less => Err((self.offset + sum as usize, Problem::ValuesTooLong)),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err((self.offset + len, Problem::Ended)),
        }
    }

    /// Splits the part into its values.
    pub(crate) fn one_by_one(self) -> Result<impl Iterator<Item = Self>, (usize, Problem)> {
        self.check(None)?;
        let Self { offset, bytes, count, form, budget } = self;
        let size = bytes.len() / count.max(1);
        let one_form = if self.are_plain() { Form::Plain } else { Form::Unmeasured };
        let mut begin = 0;
        Ok((0..count).map(move |at| {
            let len = match form {
                Form::Each(lengths) => u32::from_le_bytes(lengths[at]) as usize,
                _ => size,
            };
            let own = &bytes[begin..begin + len];
            let one = Self { offset: offset + begin, bytes: own, count: 1, form: one_form, budget };
            begin += len;
            one
        }))
    }
}

/// Writes consecutive values.
pub(crate) fn write_values<T: Serialize>(values: &[T], out: &mut Vec<u8>, lengths: &mut Lengths) -> Result<(), String> {
    let empty = encode_all(values, out, |len| lengths.push(len))?;
    lengths.empty += empty;
    Ok(())
}

/// Reads the values of all parts with `serde`.
pub(crate) fn read_values<T: DeserializeOwned>(parts: &[Values<'_>]) -> Result<Vec<T>, (usize, Problem)> {
    // `count` is not trusted, because there may be fewer values: memory is only allocated for values that exist.
    let mut values = Vec::new();
    for part in parts {
        match part.form {
            Form::Plain => read_plain(*part, &mut values)?,
            Form::Unmeasured => read_encoded(*part, &mut values)?,
            Form::Even | Form::Each(_) => {
                part.check(None)?;
                read_measured(*part, &mut values)?;
            }
        }
    }
    Ok(values)
}

/// Reads values in postcard's encoding whose lengths are known.
fn read_measured<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let even = part.bytes.len() / part.count.max(1);
    values.reserve(part.count.min(part.bytes.len()));
    let mut at = 0;
    for row in 0..part.count {
        let len = match part.form {
            Form::Each(lengths) => u32::from_le_bytes(lengths[row]) as usize,
            _ => even,
        };
        let mut left = &part.bytes[at..at + len];
        match decode(&mut left, part.budget) {
            Ok(value) => values.push(value),
            Err(error) => return Err((part.offset + at, Problem::Value(error.to_string()))),
        }
        at += len;
        if !left.is_empty() {
            return Err((part.offset + at - left.len(), Problem::ValuesTooLong));
        }
    }
    Ok(())
}

/// Reads plain values with `serde`.
fn read_plain<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let mut fixed = Fixed(Reader::new(part.bytes));
    for _ in 0..part.count {
        let at = part.offset + fixed.0.offset();
        values.push(T::deserialize(&mut fixed).map_err(|error| (at, Problem::Value(error.to_string())))?);
    }
    ended(part.bytes, fixed.0.left()).map_err(|(at, problem)| (part.offset + at, problem))
}

/// Reads values in postcard's encoding whose lengths are not known.
fn read_encoded<T: DeserializeOwned>(part: Values<'_>, values: &mut Vec<T>) -> Result<(), (usize, Problem)> {
    let mut left = part.bytes;
    for _ in 0..part.count {
        let at = part.offset + part.bytes.len() - left.len();
        values.push(decode(&mut left, part.budget).map_err(|error| (at, Problem::Value(error.to_string())))?);
    }
    ended(part.bytes, left).map_err(|(at, problem)| (part.offset + at, problem))
}

/// Returns the number of values of a zero-sized type; it is an error if the parts contain bytes.
pub(crate) fn count_without_bytes(parts: &[Values<'_>]) -> Result<usize, (usize, Problem)> {
    match parts.iter().find(|part| !part.bytes.is_empty()) {
        Some(part) => Err((part.offset, Problem::ValuesTooLong)),
        None => Ok(parts.iter().map(|part| part.count).sum()),
    }
}

fn ended(bytes: &[u8], left: &[u8]) -> Result<(), (usize, Problem)> {
    if left.is_empty() { Ok(()) } else { Err((bytes.len() - left.len(), Problem::ValuesTooLong)) }
}

/// Returns whether plain values of a type are read as bytes, not with `serde`.
pub(crate) fn are_bytes(descriptor: &ComponentDescriptor) -> bool {
    cfg!(target_endian = "little") && descriptor.functions().take_any_bytes()
}

/// Returns the bytes of values as in files, if any bytes are a valid value of the type.
pub(crate) fn plain_bytes(values: ErasedSlice<'_>) -> Option<&[u8]> {
    values.plain_bytes().filter(|_| are_bytes(values.descriptor()))
}

/// Creates values from their bytes in memory; `None` if the values can only be read with `serde`.
pub(crate) fn of_plain_bytes(
    descriptor: &'static ComponentDescriptor,
    parts: &[Values<'_>],
    stamp: Tick,
) -> Result<Option<NewColumnContents>, (usize, Problem)> {
    if !parts.iter().all(Values::are_plain) || !are_bytes(descriptor) {
        return Ok(None);
    }
    parts.iter().try_for_each(|part| part.check(Some(descriptor.layout().size())))?;
    Ok(match parts {
        [part] => NewColumnContents::of_plain_bytes(descriptor, part.bytes, stamp),
        _ => {
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.bytes).copied().collect();
            NewColumnContents::of_plain_bytes(descriptor, &bytes, stamp)
        }
    })
}
