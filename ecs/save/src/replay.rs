//! Replays: a world, and the inputs of the following frames.
//!
//! A replay contains checksums of the world at some frames. If a checksum differs, the worlds diverged earlier: a replay that also contains
//! the worlds shows the differences.
//!
//! Tests: tests/snapshots/replays.rs

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use strata_ecs::prelude::{Resource, World};
use strata_ecs::snapshot::{Difference, StateError, StateOptions};

use crate::bytes::{Reader, Writer};
use crate::encoding::{Budget, decode, encode};
use crate::error::{LoadError, Problem, SaveError};
use crate::file;
use crate::format::WorldFormat;
use crate::layout;

/// The first bytes of a replay. The checksum is at the same offset as in a saved world.
const MAGIC: [u8; 8] = *b"\x93REPLAY\n";
/// The version of the layout.
const VERSION: u32 = 2;
/// The default number of frames between two checksums.
const EVERY: u64 = 60;

/// A world, and the inputs of the following frames: see [the crate](crate#replays).
#[derive(Clone, PartialEq, Debug)]
pub struct Replay<I> {
    /// Whether checksums include the order of rows and tables. They do not if components are left out: the recorded world has these
    /// components, but in the played world systems may have to insert them, which moves rows.
    is_ordered: bool,
    start: Vec<u8>,
    inputs: Vec<I>,
    checks: Vec<Check>,
}

/// The state of the world before the input of a frame.
#[derive(Clone, PartialEq, Debug)]
struct Check {
    frame: u64,
    sum: u64,
    /// The saved world, if it was recorded.
    state: Vec<u8>,
}

/// Records a [`Replay`].
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use strata_ecs::prelude::*;
/// use strata_save::{Player, Recorder, WorldFormat, components, resources};
///
/// #[derive(Component, Clone, Serialize, Deserialize)]
/// struct Position(i32);
/// #[derive(Resource, Clone, Serialize, Deserialize)]
/// struct Input(i32);
///
/// fn step(world: &mut World) {
///     let input = world.resource::<Input>().0;
///     world.query::<&mut Position>().iter_mut(world).for_each(|mut position| position.0 += input);
/// }
///
/// let format = WorldFormat::new().with_components(components![Position]).with_resources(resources![Input]);
/// let mut world = World::new();
/// let id = world.spawn(Position(0)).id();
/// let mut recorder = Recorder::new(&format, &mut world)?;
/// for frame in 0..10 {
///     recorder.next(&mut world, Input(frame))?;
///     step(&mut world);
/// }
/// let replay = recorder.finish(&mut world)?;
///
/// let mut again = World::new();
/// let mut player = Player::new(&replay, &format, &mut again)?;
/// while player.next(&mut again)? {
///     step(&mut again);
/// }
/// assert_eq!(again.get::<Position>(id).unwrap().0, 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder<'f, I> {
    format: WorldFormat,
    of_format: PhantomData<&'f WorldFormat>,
    options: StateOptions,
    every: u64,
    keeps_states: bool,
    replay: Replay<I>,
}

/// Plays a [`Replay`]: see [`Recorder`].
#[derive(Debug)]
pub struct Player<'r, I> {
    replay: &'r Replay<I>,
    format: WorldFormat,
    options: StateOptions,
    /// The number of frames whose inputs have been applied.
    frame: u64,
    checks: &'r [Check],
    /// The last frame before which the played world was equal to the recorded one.
    same: Option<u64>,
}

/// A world differs from the state in the replay.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Divergence {
    /// The first frame, counted from the start of the replay, before which a difference was found. The worlds diverged in the previous
    /// frame or earlier, but not before the frame `same`.
    pub frame: u64,
    /// The last frame before which the played world was equal to the recorded one.
    pub same: Option<u64>,
    /// The differences between the played world (here) and the recorded one (there), if the replay has [states](Recorder::with_states).
    pub differences: Vec<Difference>,
}

/// A replay cannot be recorded or played.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The world cannot be saved.
    Save(SaveError),
    /// The saved world cannot be loaded.
    Load(LoadError),
    /// The checksum of the world cannot be computed.
    State(StateError),
    /// The world differs from the recorded one.
    Diverged(Divergence),
}

impl<'f, I: Resource + Clone> Recorder<'f, I> {
    /// Starts a recording with the current state of the world, which is saved and does not change. So that the played world continues like
    /// the recorded one, the world is saved with [separate tables](WorldFormat::keeping_tables), and with the state of the systems in its
    /// schedules where possible, even if the format has the option [`with_new_consumers`](WorldFormat::with_new_consumers). In the played
    /// world, systems outside of schedules of the world, and `Local`s that are not saved, start with new state.
    ///
    /// # Errors
    ///
    /// If the world cannot be saved in the format.
    pub fn new(format: &'f WorldFormat, world: &mut World) -> Result<Self, ReplayError> {
        let format = format.for_replays();
        let start = format.save(world).map_err(ReplayError::Save)?;
        let is_ordered = !format.leaves_out_any(world).map_err(ReplayError::Save)?;
        let options = checksum_options(StateOptions::new(), &format, is_ordered);
        let replay = Replay { is_ordered, start, inputs: Vec::new(), checks: Vec::new() };
        Ok(Self { format, of_format: PhantomData, options, every: EVERY, keeps_states: false, replay })
    }

    /// Sets the number of frames between two checksums. The default is 60.
    ///
    /// # Panics
    ///
    /// If `frames` is 0.
    #[must_use]
    pub fn with_checksum_every(self, frames: u64) -> Self {
        assert!(frames != 0, "there is at least one frame between two checksums");
        Self { every: frames, ..self }
    }

    /// Sets which data the checksums cover. Data that the format leaves out are always excluded. A [player](Player::with_options) needs the
    /// same options.
    #[must_use]
    pub fn with_options(self, options: StateOptions) -> Self {
        Self { options: checksum_options(options, &self.format, self.replay.is_ordered), ..self }
    }

    /// Saves the world with each checksum, so that a player can list the differences. This is for debugging: such replays are large.
    #[must_use]
    pub fn with_states(self) -> Self {
        Self { keeps_states: true, ..self }
    }

    /// Records the input of a frame, and inserts it into the world as a resource. Call this before each frame.
    ///
    /// # Errors
    ///
    /// If the checksum of the world cannot be computed, or the world cannot be saved. Nothing has been recorded.
    pub fn next(&mut self, world: &mut World, input: I) -> Result<(), ReplayError> {
        if (self.replay.inputs.len() as u64).is_multiple_of(self.every) {
            self.check(world)?;
        }
        world.insert_resource(input.clone());
        self.replay.inputs.push(input);
        Ok(())
    }

    /// Returns the replay, with a checksum of the current world. Call this after the last frame.
    ///
    /// # Errors
    ///
    /// See [`next`](Self::next).
    pub fn finish(mut self, world: &mut World) -> Result<Replay<I>, ReplayError> {
        self.check(world)?;
        Ok(self.replay)
    }

    fn check(&mut self, world: &mut World) -> Result<(), ReplayError> {
        let frame = self.replay.inputs.len() as u64;
        let sum = world.checksum_with(&self.options).map_err(ReplayError::State)?;
        let state = match self.keeps_states {
            true => self.format.save(world).map_err(ReplayError::Save)?,
            false => Vec::new(),
        };
        self.replay.checks.push(Check { frame, sum, state });
        Ok(())
    }
}

impl<'r, I: Resource + Clone> Player<'r, I> {
    /// Loads the world with which a replay starts.
    ///
    /// # Errors
    ///
    /// If the world cannot be loaded in the format.
    pub fn new(replay: &'r Replay<I>, format: &'r WorldFormat, world: &mut World) -> Result<Self, ReplayError> {
        let format = format.for_replays();
        format.load(world, &replay.start).map_err(ReplayError::Load)?;
        let options = checksum_options(StateOptions::new(), &format, replay.is_ordered);
        Ok(Self { replay, format, options, frame: 0, checks: &replay.checks, same: None })
    }

    /// Sets which data the checksums cover. The options must be those of the [recorder](Recorder::with_options).
    #[must_use]
    pub fn with_options(self, options: StateOptions) -> Self {
        Self { options: checksum_options(options, &self.format, self.replay.is_ordered), ..self }
    }

    /// Returns the number of frames whose inputs have been applied.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Inserts the input of a frame into the world as a resource. Call this before each frame. Returns false after the last frame.
    ///
    /// # Errors
    ///
    /// If the replay has a checksum for this frame and it differs from the checksum of the world.
    pub fn next(&mut self, world: &mut World) -> Result<bool, ReplayError> {
        if let Some((check, rest)) = self.checks.split_first().filter(|(check, _)| check.frame == self.frame) {
            self.checks = rest;
            let sum = world.checksum_with(&self.options).map_err(ReplayError::State)?;
            if sum != check.sum {
                let (frame, same) = (self.frame, self.same);
                let differences = self.differences(world, check)?;
                return Err(ReplayError::Diverged(Divergence { frame, same, differences }));
            }
            self.same = Some(self.frame);
        }
        // The frame is at most the number of inputs, so it fits in a `usize`.
        let Some(input) = self.replay.inputs.get(self.frame as usize) else { return Ok(false) };
        world.insert_resource(input.clone());
        self.frame += 1;
        Ok(true)
    }

    /// Returns the differences from the recorded world; none if the replay does not contain that world.
    fn differences(&self, world: &World, check: &Check) -> Result<Vec<Difference>, ReplayError> {
        if check.state.is_empty() {
            return Ok(Vec::new());
        }
        let mut recorded = World::new();
        self.format.for_world(world).load(&mut recorded, &check.state).map_err(ReplayError::Load)?;
        world.diff_with(&recorded, &self.options).map_err(ReplayError::State)
    }
}

/// Returns the options for the checksums of a replay, which exclude everything that the format leaves out.
fn checksum_options(options: StateOptions, format: &WorldFormat, is_ordered: bool) -> StateOptions {
    let options = options.without_types(format.left_out_types());
    if is_ordered { options } else { options.without_order() }
}

impl<I> Replay<I> {
    /// Returns the inputs of the frames, in order.
    #[must_use]
    pub fn inputs(&self) -> &[I] {
        &self.inputs
    }
}

impl<I: Serialize> Replay<I> {
    /// Converts the replay to bytes.
    ///
    /// # Errors
    ///
    /// If an input cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        let mut out = Writer::new(Vec::new());
        out.bytes.extend_from_slice(&MAGIC);
        out.u32(VERSION);
        // Room for the checksum.
        out.skip_u32();
        out.u8(self.is_ordered.into());
        out.plain(&[&self.start]);
        out.len(self.inputs.len());
        let name = std::any::type_name::<I>();
        for input in &self.inputs {
            let (at, mut empty) = (out.bytes.len(), 0);
            let written = out.block(|out| encode(input, out).map(|count| empty = count));
            written.map_err(|error| SaveError::Value(name, error.to_string()))?;
            out.note_values(at, name, empty);
        }
        out.len(self.checks.len());
        for Check { frame, sum, state } in &self.checks {
            out.u64(*frame);
            out.u64(*sum);
            out.plain(&[state]);
        }
        if let Some(name) = out.too_many_empty() {
            return Err(SaveError::Value(name, "its sequences have too many elements that take no bytes".to_owned()));
        }
        let sum = out.checksum();
        out.bytes[MAGIC.len() + 4..MAGIC.len() + 8].copy_from_slice(&sum.to_le_bytes());
        Ok(out.bytes)
    }

    /// Writes the replay to a file, which is replaced atomically.
    ///
    /// # Errors
    ///
    /// See [`to_bytes`](Self::to_bytes); also if the file cannot be written.
    pub fn save_to_file(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Ok(file::replace(path.as_ref(), &self.to_bytes()?)?)
    }
}

impl<I: DeserializeOwned> Replay<I> {
    /// Reads a replay from bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are not a replay, or are damaged. The world in it is only checked when it is played.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let mut reader = Reader::new(bytes);
        Self::read(&mut reader, bytes).map_err(|problem| LoadError::Bytes {
            offset: reader.offset(),
            name: None,
            problem,
        })
    }

    fn read(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Self, Problem> {
        if reader.bytes(MAGIC.len()) != Ok(&MAGIC) {
            return Err(Problem::NoReplay);
        }
        let version = reader.u32()?;
        if version != VERSION {
            return Err(Problem::Version(version));
        }
        if reader.u32()? != layout::checksum(bytes) {
            return Err(Problem::Checksum);
        }
        let (is_ordered, start) = (reader.flag()?, reader.block()?.to_vec());
        let (mut inputs, mut checks): (Vec<I>, Vec<Check>) = (Vec::new(), Vec::new());
        let budget = Budget::of(bytes.len());
        for _ in 0..reader.len(8)? {
            let mut bytes = reader.block()?;
            inputs.push(decode(&mut bytes, &budget).map_err(|error| Problem::Value(error.to_string()))?);
            if !bytes.is_empty() {
                return Err(Problem::ValuesTooLong);
            }
        }
        for _ in 0..reader.len(24)? {
            let at = reader.offset();
            let (frame, sum) = (reader.u64()?, reader.u64()?);
            // A player takes the checksums in order, each at its frame. It would never get past a checksum whose frame does not exist or is
            // not ascending.
            if frame > inputs.len() as u64 || checks.last().is_some_and(|before| before.frame >= frame) {
                reader.go_to(at);
                return Err(Problem::Frame(frame));
            }
            checks.push(Check { frame, sum, state: reader.block()?.to_vec() });
        }
        if reader.is_at_end() { Ok(Self { is_ordered, start, inputs, checks }) } else { Err(Problem::TooLong) }
    }

    /// Reads a replay from a file.
    ///
    /// # Errors
    ///
    /// See [`from_bytes`](Self::from_bytes); also if the file cannot be read.
    pub fn load_from_file(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::from_bytes(&file::read(path.as_ref())?)
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "before frame {} the world is another one than when it was recorded", self.frame)?;
        match self.same {
            Some(same) => write!(f, ", and before frame {same} it was the same")?,
            None => f.write_str(", from the beginning")?,
        }
        for difference in &self.differences {
            write!(f, "\n{difference}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Save(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
            Self::Diverged(divergence) => divergence.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Save(error) => error.source(),
            Self::Load(error) => error.source(),
            _ => None,
        }
    }
}
