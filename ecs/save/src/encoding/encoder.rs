//! Encodes values as bytes.
//!
//! Tests: tests/snapshots/encoding.rs

use serde_core::de::value::Error;
use serde_core::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::limits::deeper;

/// Appends values to bytes.
pub(super) struct Encoder<'b> {
    out: &'b mut Vec<u8>,
    depth: u32,
    empty: usize,
    #[cfg(feature = "text")]
    is_finite: bool,
}

/// The parts of a value.
pub(super) struct Parts<'a, 'b> {
    of: &'a mut Encoder<'b>,
    /// The nesting depth of the value that has these parts.
    depth: u32,
}

impl<'b> Encoder<'b> {
    pub(super) fn new(out: &'b mut Vec<u8>) -> Self {
        Self {
            out,
            depth: 0,
            empty: 0,
            #[cfg(feature = "text")]
            is_finite: true,
        }
    }

    /// Returns the length of the output.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Returns the number of sequence elements that took no bytes.
    pub(super) fn empty(&self) -> usize {
        self.empty
    }

    /// Returns whether all floating-point numbers so far were finite.
    #[cfg(feature = "text")]
    pub(super) fn is_finite(&self) -> bool {
        self.is_finite
    }

    #[inline]
    fn float(&mut self, bytes: &[u8], is_finite: bool) {
        #[cfg(feature = "text")]
        {
            self.is_finite &= is_finite;
        }
        #[cfg(not(feature = "text"))]
        let _ = is_finite;
        self.out.extend_from_slice(bytes);
    }

    /// Writes a number with seven bits per byte, the least significant bits first.
    #[inline]
    fn number(&mut self, mut number: u64) {
        if number < 0x80 {
            return self.out.push(number as u8);
        }
        let (mut bytes, mut len) = ([0; 10], 0);
        while number >= 0x80 {
            bytes[len] = number as u8 | 0x80;
            number >>= 7;
            len += 1;
        }
        bytes[len] = number as u8;
        self.out.extend_from_slice(&bytes[..=len]);
    }

    fn large_number(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    fn block(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// Begins a value that can contain values of its own type, one level deeper.
    fn nested(&mut self) -> Result<Parts<'_, 'b>, Error> {
        let depth = self.depth;
        self.depth = deeper(depth)?;
        Ok(Parts { of: self, depth })
    }

    /// Begins a value that stays at the current depth.
    fn flat(&mut self) -> Parts<'_, 'b> {
        let depth = self.depth;
        Parts { of: self, depth }
    }
}

impl Parts<'_, '_> {
    #[inline]
    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.of)
    }

    /// Writes an element of a sequence whose length is not known in advance.
    #[inline]
    fn element(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        let before = self.of.out.len();
        write(self)?;
        self.of.empty += usize::from(self.of.out.len() == before);
        Ok(())
    }

    #[inline]
    fn done(self) {
        self.of.depth = self.depth;
    }
}

macro_rules! numbers {
    ($($serialize:ident $Number:ident => |$this:ident, $value:ident| $write:expr;)*) => { $(
        #[inline]
        fn $serialize(self, $value: $Number) -> Result<(), Error> {
            let $this = self;
            $write;
            Ok(())
        }
    )* };
}

impl<'a, 'b> Serializer for &'a mut Encoder<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a, 'b>;
    type SerializeTuple = Parts<'a, 'b>;
    type SerializeTupleStruct = Parts<'a, 'b>;
    type SerializeTupleVariant = Parts<'a, 'b>;
    type SerializeMap = Parts<'a, 'b>;
    type SerializeStruct = Parts<'a, 'b>;
    type SerializeStructVariant = Parts<'a, 'b>;

    numbers! {
        serialize_bool bool => |this, value| this.out.push(value.into());
        serialize_u8 u8 => |this, value| this.out.push(value);
        serialize_u16 u16 => |this, value| this.number(value.into());
        serialize_u32 u32 => |this, value| this.number(value.into());
        serialize_u64 u64 => |this, value| this.number(value);
        serialize_u128 u128 => |this, value| this.large_number(value);
        serialize_i8 i8 => |this, value| this.out.push(value as u8);
        // The sign is moved to the lowest bit, so that numbers near 0 are short regardless of their sign.
        serialize_i16 i16 => |this, value| this.number((((value << 1) ^ (value >> 15)) as u16).into());
        serialize_i32 i32 => |this, value| this.number((((value << 1) ^ (value >> 31)) as u32).into());
        serialize_i64 i64 => |this, value| this.number(((value << 1) ^ (value >> 63)) as u64);
        serialize_i128 i128 => |this, value| this.large_number(((value << 1) ^ (value >> 127)) as u128);
        serialize_f32 f32 => |this, value| this.float(&value.to_le_bytes(), value.is_finite());
        serialize_f64 f64 => |this, value| this.float(&value.to_le_bytes(), value.is_finite());
        serialize_char char => |this, value| this.block(value.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.block(value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.block(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_u8(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.out.push(1);
        let mut parts = self.nested()?;
        parts.part(value)?;
        parts.done();
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Error> {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.number(index.into());
        let mut parts = self.nested()?;
        parts.part(value)?;
        parts.done();
        Ok(())
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Parts<'a, 'b>, Error> {
        let Some(len) = len else { return Err(Error::custom("a sequence does not say how long it is")) };
        self.number(len as u64);
        self.nested()
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a, 'b>, Error> {
        Ok(self.flat())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a, 'b>, Error> {
        Ok(self.flat())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'a, 'b>, Error> {
        self.number(index.into());
        self.nested()
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Parts<'a, 'b>, Error> {
        self.serialize_seq(len)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a, 'b>, Error> {
        Ok(self.flat())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'a, 'b>, Error> {
        self.number(index.into());
        self.nested()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl SerializeSeq for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(|this| this.part(value))
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.done();
        Ok(())
    }
}

impl SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.element(|this| this.part(key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.part(value)
    }

    fn end(self) -> Result<(), Error> {
        self.done();
        Ok(())
    }
}

macro_rules! parts {
    ($($Trait:ident $serialize:ident($($name:ty)?);)*) => { $(
        impl $Trait for Parts<'_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $serialize<T: Serialize + ?Sized>(&mut self, $(_: $name,)? value: &T) -> Result<(), Error> {
                self.part(value)
            }

            #[inline]
            fn end(self) -> Result<(), Error> {
                self.done();
                Ok(())
            }
        }
    )* };
}

parts! {
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeStruct serialize_field(&'static str);
    SerializeStructVariant serialize_field(&'static str);
}
