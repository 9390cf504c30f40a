//! Decodes values from bytes.
//!
//! Tests: tests/snapshots/encoding.rs, tests/snapshots/fuzz.rs

use serde_core::de::value::{Error, U32Deserializer};
use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::limits::{Budget, deeper};

/// Reads consecutive values from bytes.
pub(super) struct Decoder<'a, 'de> {
    left: &'de [u8],
    depth: u32,
    budget: &'a Budget,
}

/// The remaining parts of a value: fields, elements, or keys and values of a map.
struct Parts<'d, 'a, 'de> {
    of: &'d mut Decoder<'a, 'de>,
    left: usize,
    /// Whether the number of parts was read from the bytes.
    are_counted: bool,
}

impl<'a, 'de> Decoder<'a, 'de> {
    pub(super) fn new(bytes: &'de [u8], budget: &'a Budget) -> Self {
        Self { left: bytes, depth: 0, budget }
    }

    pub(super) fn left(&self) -> &'de [u8] {
        self.left
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let Some((bytes, left)) = self.left.split_first_chunk() else { return Err(ended()) };
        self.left = left;
        Ok(*bytes)
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Error> {
        self.take().map(|[byte]| byte)
    }

    /// Reads a number of at most `bits` bits.
    #[inline]
    fn number(&mut self, bits: u32) -> Result<u64, Error> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(first.into());
        }
        let (mut number, mut at) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if at >= bits || part > (u64::MAX >> (64 - bits)) >> at {
                return Err(Error::custom(format_args!("a number has more than {bits} bits")));
            }
            number |= part << at;
            if byte < 0x80 {
                return Ok(number);
            }
            at += 7;
        }
    }

    fn large_number(&mut self) -> Result<u128, Error> {
        let (mut number, mut at) = (0, 0);
        loop {
            let byte = self.byte()?;
            let part = u128::from(byte & 0x7f);
            if at >= 128 || part > u128::MAX >> at {
                return Err(Error::custom("a number has more than 128 bits"));
            }
            number |= part << at;
            if byte < 0x80 {
                return Ok(number);
            }
            at += 7;
        }
    }

    #[inline]
    fn signed(&mut self, bits: u32) -> Result<i64, Error> {
        let number = self.number(bits)?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads a number of parts.
    fn len(&mut self) -> Result<usize, Error> {
        usize::try_from(self.number(64)?).map_err(|_| ended())
    }

    fn block(&mut self) -> Result<&'de [u8], Error> {
        let len = self.len()?;
        let (block, left) = self.left.split_at_checked(len).ok_or_else(ended)?;
        self.left = left;
        Ok(block)
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        str::from_utf8(self.block()?).map_err(Error::custom)
    }

    /// Reads the contents of a value that can contain values of its own type, one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let depth = self.depth;
        self.depth = deeper(depth)?;
        let value = read(self);
        self.depth = depth;
        value
    }
}

fn ended() -> Error {
    Error::custom("the value continues past its bytes")
}

macro_rules! numbers {
    ($($deserialize:ident $visit:ident |$this:ident| $read:expr;)*) => { $(
        #[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let $this = self;
            visitor.$visit($read)
        }
    )* };
}

// The casts are lossless: `number` returns at most the given number of bits.
impl<'de> Deserializer<'de> for &mut Decoder<'_, 'de> {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 |this| this.byte()?;
        deserialize_u16 visit_u16 |this| this.number(16)? as u16;
        deserialize_u32 visit_u32 |this| this.number(32)? as u32;
        deserialize_u64 visit_u64 |this| this.number(64)?;
        deserialize_u128 visit_u128 |this| this.large_number()?;
        deserialize_i8 visit_i8 |this| this.byte()? as i8;
        deserialize_i16 visit_i16 |this| this.signed(16)? as i16;
        deserialize_i32 visit_i32 |this| this.signed(32)? as i32;
        deserialize_i64 visit_i64 |this| this.signed(64)?;
        deserialize_i128 visit_i128 |this| {
            let number = this.large_number()?;
            (number >> 1) as i128 ^ -((number & 1) as i128)
        };
        deserialize_f32 visit_f32 |this| f32::from_le_bytes(this.take()?);
        deserialize_f64 visit_f64 |this| f64::from_le_bytes(this.take()?);
        deserialize_str visit_borrowed_str |this| this.text()?;
        deserialize_string visit_borrowed_str |this| this.text()?;
        deserialize_bytes visit_borrowed_bytes |this| this.block()?;
        deserialize_byte_buf visit_borrowed_bytes |this| this.block()?;
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("the bytes do not say of which type they are, and the type leaves it to them"))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.byte()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            byte => Err(Error::custom(format_args!("{byte} is neither false nor true"))),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut chars = self.text()?.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => visitor.visit_char(char),
            _ => Err(Error::custom("a text is not one character")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.byte()? {
            0 => visitor.visit_none(),
            1 => self.nested(|this| visitor.visit_some(this)),
            byte => Err(Error::custom(format_args!("{byte} means neither a value nor its absence"))),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.len()?;
        self.nested(|of| visitor.visit_seq(Parts { of, left, are_counted: true }))
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts { of: self, left, are_counted: false })
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.len()?;
        self.nested(|of| visitor.visit_map(Parts { of, left, are_counted: true }))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<'de> Parts<'_, '_, 'de> {
    /// Reads the next part, an element or a key; `None` after the last one.
    #[inline]
    fn next<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let before = self.of.left.len();
        let value = seed.deserialize(&mut *self.of)?;
        if self.are_counted && self.of.left.len() == before && !self.of.budget.take() {
            return Err(Error::custom("there are more elements that take no bytes than a file of this size may have"));
        }
        Ok(Some(value))
    }

    /// Returns the expected number of parts. A number that was read from the bytes is limited to the number of remaining bytes.
    fn expected(&self) -> usize {
        if self.are_counted { self.left.min(self.of.left.len()) } else { self.left }
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, '_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.expected())
    }
}

impl<'de> MapAccess<'de> for Parts<'_, '_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.of)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.expected())
    }
}

impl<'de> EnumAccess<'de> for &mut Decoder<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let index: U32Deserializer<Error> = (self.number(32)? as u32).into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Decoder<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.nested(|this| seed.deserialize(this))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.nested(|this| this.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.tuple_variant(fields.len(), visitor)
    }
}
