//! Reads values from the bytes of plain values in files: the numbers in the order of the fields, little-endian, without padding.
//!
//! With it, `serde` reads values of a type that was plain when they were saved and is not plain now, and values on a machine with another
//! byte order.
//!
//! Tests: tests/snapshots/encoding.rs

use serde_core::de::value::Error;
use serde_core::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::bytes::Reader;

/// Reads consecutive values.
pub(crate) struct Fixed<'b>(pub(crate) Reader<'b>);

/// The remaining fields of a value, or items of an array.
struct Items<'a, 'b> {
    of: &'a mut Fixed<'b>,
    left: usize,
}

impl Fixed<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.0.arrays(1) {
            Ok([bytes]) => Ok(*bytes),
            _ => Err(Error::custom("there are no more bytes")),
        }
    }
}

macro_rules! numbers {
    ($($deserialize:ident $visit:ident $Number:ident;)*) => { $(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit($Number::from_le_bytes(self.take()?))
        }
    )* };
}

impl<'de> Deserializer<'de> for &mut Fixed<'_> {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_f32 visit_f32 f32;
        deserialize_f64 visit_f64 f64;
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom(
            "the values were saved as plain bytes, and the type has other fields than numbers of a fixed size",
        ))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Items { of: self, left: len })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf option unit unit_struct seq map enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.of).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}
