//! Values as bytes in postcard's encoding, which is stable: <https://postcard.jamesmunns.com/wire-format>. The bytes do not describe their
//! types.
//!
//! Bytes may be malicious: lengths and depths in them must not cost more time and memory than the size of the bytes justifies, and must not
//! overflow the stack. The size does not limit the number of elements that take no bytes, so a [`Budget`] limits it. Values that can
//! contain values of their own type are only read to a maximum depth. The encoder rejects values that the decoder would reject.
//!
//! Tests: tests/snapshots/encoding.rs

mod limits;
mod decoder;
mod encoder;

use serde_core::de::DeserializeOwned;
use serde_core::de::value::Error;
use serde_core::ser::Serialize;

use self::decoder::Decoder;
use self::encoder::Encoder;
pub(crate) use self::limits::Budget;

/// Appends a value to `out`. Returns the number of elements that take no bytes, in the sequences of the value.
#[inline]
pub(crate) fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<usize, Error> {
    let mut encoder = Encoder::new(out);
    value.serialize(&mut encoder)?;
    Ok(encoder.empty())
}

/// Writes consecutive values, and calls `written` with the length of each. Returns the number of elements that take no bytes, in the
/// sequences of the values.
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

/// Returns whether all numbers in a value are finite.
#[cfg(feature = "text")]
pub(crate) fn is_finite<T: Serialize + ?Sized>(value: &T) -> Result<bool, Error> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes);
    value.serialize(&mut encoder)?;
    Ok(encoder.is_finite())
}

/// Decodes a value from the start of `bytes`, and advances them past it.
#[inline]
pub(crate) fn decode<T: DeserializeOwned>(bytes: &mut &[u8], budget: &Budget) -> Result<T, Error> {
    let mut decoder = Decoder::new(bytes, budget);
    let value = T::deserialize(&mut decoder)?;
    *bytes = decoder.left();
    Ok(value)
}
