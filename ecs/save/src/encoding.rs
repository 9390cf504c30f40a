//! Values as bytes in postcard's encoding, which is fixed: <https://postcard.jamesmunns.com/wire-format>. Nothing in the bytes says
//! what they are of.
//!
//! Bytes may be hostile: what they say of lengths and depths must not take more time and memory than there are bytes, or more stack than
//! there is. The number of elements that take no bytes is on the word of the bytes alone, so there is a [`Budget`] for them; and values that
//! can contain values of their own type are only read to some depth. What would not be read is not written either.

mod decoder;
mod encoder;

use std::cell::Cell;

use serde_core::de::DeserializeOwned;
use serde_core::de::value::Error;
use serde_core::ser::{Error as _, Serialize};

use self::decoder::Decoder;
use self::encoder::Encoder;

/// How many optional values, sequences, maps and enums may be within each other.
const DEPTH: u32 = 128;

/// How many elements that take no bytes there may be in the sequences of all values.
#[derive(Debug)]
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    /// What so many bytes may hold: one for each, and as many as make no difference.
    pub(crate) fn of(bytes: usize) -> Self {
        Self(Cell::new(Self::len_of(bytes)))
    }

    pub(crate) fn len_of(bytes: usize) -> usize {
        bytes.saturating_add(1 << 16)
    }

    /// Takes one. False if none is left.
    pub(crate) fn take(&self) -> bool {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Writes a value to the end of some bytes, and says how many elements of its sequences took none.
#[inline]
pub(crate) fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<usize, Error> {
    let mut encoder = Encoder::new(out);
    value.serialize(&mut encoder)?;
    Ok(encoder.empty())
}

/// Writes values one behind the other, and says how many elements of their sequences took no bytes. A function is told how many bytes each
/// of them has.
pub(crate) fn encode_all<T: Serialize>(
    values: &[T],
    out: &mut Vec<u8>,
    mut written: impl FnMut(usize) -> Result<(), String>,
) -> Result<usize, String> {
    let mut encoder = Encoder::new(out);
    for value in values {
        let before = encoder.len();
        value.serialize(&mut encoder).map_err(|error| error.to_string())?;
        written(encoder.len() - before)?;
    }
    Ok(encoder.empty())
}

/// Whether all numbers in a value are finite.
#[cfg(feature = "text")]
pub(crate) fn is_finite<T: Serialize + ?Sized>(value: &T) -> Result<bool, Error> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes);
    value.serialize(&mut encoder)?;
    Ok(encoder.is_finite())
}

/// Reads a value from the beginning of some bytes, which are then those behind it.
#[inline]
pub(crate) fn decode<T: DeserializeOwned>(bytes: &mut &[u8], budget: &Budget) -> Result<T, Error> {
    let mut decoder = Decoder::new(bytes, budget);
    let value = T::deserialize(&mut decoder)?;
    *bytes = decoder.left();
    Ok(value)
}

/// One depth more.
fn deeper(depth: u32) -> Result<u32, Error> {
    match depth {
        DEPTH => Err(Error::custom(format_args!("more than {DEPTH} values are within each other"))),
        depth => Ok(depth + 1),
    }
}
