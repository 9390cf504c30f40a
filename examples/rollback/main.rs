//! A game for two over UDP that does not wait for the network: what the other player does is guessed, and played again when the guess was wrong.
//!
//! ```text
//! cargo run --example rollback
//! cargo run --example rollback -- 0 7000 7001 80 10
//! cargo run --example rollback -- 1 7001 7000 80 10
//! ```
//!
//! Without arguments two players meet in one process. With arguments each process is one of them: the number of the player, its port and that
//! of the other one, and how many milliseconds messages are late, and how many of 100 are lost. Two ships fire at each other, steered by
//! chance. `ggrs` exchanges inputs and says when to save, restore and step; a `SnapshotRing` keeps the last frames of the world.

use std::collections::VecDeque;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use ggrs::{
    Config, DesyncDetection, GgrsError, GgrsEvent, GgrsRequest, Message, NonBlockingSocket, P2PSession, PlayerType,
    PredictRepeatLast, SessionBuilder, SessionState, UdpNonBlockingSocket,
};
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::SnapshotRing;

/// How many frames the input of the other player may be guessed.
const PREDICTION: usize = 8;
const FRAMES: i32 = 300;
const WIDTH: i32 = 4_000;

/// The input of a player in a frame. Nothing else is sent over the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
struct Input {
    turn: i8,
    fires: bool,
}

struct Duel;

impl Config for Duel {
    type Input = Input;
    type InputPredictor = PredictRepeatLast;
    /// The frames are in the ring.
    type State = ();
    type Address = SocketAddr;
}

// All that decides what comes next is in the world, as integers: floats are the same on all machines only if one takes care.
/// The inputs of both players.
#[derive(Resource, Clone, Default, Hash)]
struct Inputs([Input; 2]);

#[derive(Component, Clone, Copy, Hash)]
struct Place {
    x: i32,
    speed: i32,
}

#[derive(Component, Clone, Copy, Hash)]
struct Ship {
    player: usize,
    hits: u32,
    /// Frames until it can fire again.
    waits: u32,
}

/// The ship that has fired this shot. A shot ends with a hit, or at the edge.
#[derive(Component, Clone, Copy, Hash)]
struct Shot(Entity);

#[system]
fn steer(ship: &mut Ship, place: &mut Place, inputs: Res<Inputs>) {
    place.x = place.x.clamp(0, WIDTH - 1);
    place.speed = (place.speed + i32::from(inputs.0[ship.player].turn)).clamp(-20, 20);
    ship.waits = ship.waits.saturating_sub(1);
}

#[system]
fn fire(mut ships: Query<(Entity, &mut Ship, &Place)>, inputs: Res<Inputs>, mut commands: Commands) {
    for (id, mut ship, place) in &mut ships {
        if inputs.0[ship.player].fires && ship.waits == 0 {
            ship.waits = 5;
            let speed = if ship.player == 0 { 97 } else { -97 };
            commands.spawn((Place { x: place.x, speed }, Shot(id)));
        }
    }
}

#[system]
fn fly(place: &mut Place) {
    place.x += place.speed;
}

#[system]
fn hit(shots: Query<(Entity, &Shot, &Place)>, mut ships: Query<(Entity, &mut Ship, &Place)>, mut commands: Commands) {
    for (shot, fired_by, at) in &shots {
        let mut ends = !(0..WIDTH).contains(&at.x);
        for (id, mut ship, place) in &mut ships {
            if id != fired_by.0 && (place.x - at.x).abs() < 60 {
                (ship.hits, ends) = (ship.hits + 1, true);
            }
        }
        if ends {
            commands.entity(shot).despawn();
        }
    }
}

/// A world, and its last frames.
struct Game {
    world: World,
    schedule: Schedule,
    ring: SnapshotRing,
    /// How many frames have been played after going back, with the new one each time.
    again: u32,
    /// The state in frame number [`FRAMES`], when that frame was last played.
    end: String,
}

impl Game {
    fn new() -> Self {
        let mut world = World::new();
        world.init_resource::<Inputs>();
        for player in 0..2 {
            let x = if player == 0 { WIDTH / 4 } else { WIDTH * 3 / 4 };
            world.spawn((Place { x, speed: 0 }, Ship { player, hits: 0, waits: 0 }));
        }
        let mut schedule = Schedule::default();
        schedule.add_systems((steer, fire, fly, hit).chain());
        Self { world, schedule, ring: SnapshotRing::new(PREDICTION + 2), again: 0, end: String::new() }
    }

    /// Does what `ggrs` asks for, in its order.
    fn answer(&mut self, requests: Vec<GgrsRequest<Duel>>) -> Result<(), Box<dyn Error>> {
        let mut goes_back = false;
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    self.ring.save(&mut self.world, frame.try_into()?)?;
                    if frame == FRAMES {
                        self.end = self.report();
                    }
                    cell.save(frame, Some(()), Some(self.world.checksum()?.into()));
                }
                GgrsRequest::LoadGameState { frame, .. } => {
                    self.ring.restore(&mut self.world, frame.try_into()?)?;
                    goes_back = true;
                }
                GgrsRequest::AdvanceFrame { inputs } => {
                    let [(one, _), (other, _)] = inputs[..] else { return Err("there are two players".into()) };
                    self.world.insert_resource(Inputs([one, other]));
                    self.schedule.run(&mut self.world);
                    self.again += u32::from(goes_back);
                }
            }
        }
        Ok(())
    }

    fn report(&mut self) -> String {
        let mut ships: Vec<(usize, u32, i32)> = self
            .world
            .query::<(&Ship, &Place)>()
            .iter(&self.world)
            .map(|(ship, at)| (ship.player, ship.hits, at.x))
            .collect();
        ships.sort_unstable();
        let ship = |(player, hits, x)| format!("ship {player} at {x} was hit {hits} times");
        ships.into_iter().map(ship).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the random input of a player in a frame: a key is held for some frames. Uses splitmix64.
fn input(player: usize, frame: i32) -> Input {
    let mut bits = ((frame / 7) as u64 * 2 + player as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits ^= bits >> 27;
    Input { turn: (bits % 3) as i8 - 1, fires: bits >> 8 & 1 == 1 }
}

/// A socket whose messages are late, or get lost.
struct Bad {
    socket: UdpNonBlockingSocket,
    late: Duration,
    /// How many of 100 are lost.
    lost: u64,
    chance: u64,
    waiting: VecDeque<(Instant, (SocketAddr, Message))>,
}

impl NonBlockingSocket<SocketAddr> for Bad {
    fn send_to(&mut self, message: &Message, to: &SocketAddr) {
        // An LCG with the constants of Knuth's MMIX.
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if (self.chance >> 33) % 100 >= self.lost {
            self.socket.send_to(message, to);
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        let now = Instant::now();
        self.waiting.extend(self.socket.receive_all_messages().into_iter().map(|message| (now, message)));
        let due = self.waiting.iter().take_while(|(came, _)| now - *came >= self.late).count();
        self.waiting.drain(..due).map(|(_, message)| message).collect()
    }
}

/// Starts the session of a player. `ports` are the player's own port and the other player's port; `late` and `lost` describe the network.
fn session(player: usize, ports: [u16; 2], late: u64, lost: u64) -> Result<P2PSession<Duel>, Box<dyn Error>> {
    let socket = UdpNonBlockingSocket::bind_to_port(ports[0])?;
    let late = Duration::from_millis(late);
    let socket = Bad { socket, late, lost, chance: player as u64, waiting: VecDeque::new() };
    let other = SocketAddr::from((Ipv4Addr::LOCALHOST, ports[1]));
    Ok(SessionBuilder::new()
        .with_num_players(2)?
        .with_max_prediction_window(PREDICTION)
        .with_desync_detection_mode(DesyncDetection::On { interval: 10 })
        .add_player(PlayerType::Local, player)?
        .add_player(PlayerType::Remote(other), 1 - player)?
        .start_p2p_session(socket)?)
}

/// Plays until all inputs of the last frame are known on both sides.
fn play(player: usize, mut session: P2PSession<Duel>) -> Result<String, Box<dyn Error>> {
    let (mut game, mut done) = (Game::new(), None);
    while done.is_none_or(|at: Instant| at.elapsed() < Duration::from_secs(2)) {
        session.poll_remote_clients();
        for event in session.events() {
            match event {
                GgrsEvent::DesyncDetected { frame, .. } => {
                    return Err(format!("the worlds differ in frame {frame}").into());
                }
                GgrsEvent::Disconnected { .. } if done.is_none() => return Err("the other player has gone".into()),
                _ => {}
            }
        }
        let frame = session.current_frame();
        // Frames go on with no keys held until the last one is certain on both sides.
        if session.current_state() == SessionState::Running && done.is_none() {
            session.add_local_input(player, if frame < FRAMES { input(player, frame) } else { Input::default() })?;
            match session.advance_frame() {
                Ok(requests) => game.answer(requests)?,
                // The other player is too many frames late: this frame is tried again.
                Err(GgrsError::PredictionThreshold) => {}
                Err(error) => return Err(error.into()),
            }
            done = (session.confirmed_frame() > FRAMES + PREDICTION as i32).then(Instant::now);
        }
        thread::sleep(Duration::from_millis(if done.is_some() { 2 } else { 16 }));
    }
    Ok(format!("{}; {} frames after going back", game.end, game.again))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|one| one.parse()).collect::<Result<_, _>>()?;
    let play_as = |player, ports, late, lost| {
        let report = session(player, ports, late, lost).and_then(|all| play(player, all));
        report.map(|report| println!("player {player}: {report}")).map_err(|error| error.to_string())
    };
    match arguments[..] {
        [] => thread::scope(|scope| {
            let other = scope.spawn(|| play_as(1, [7001, 7000], 50, 10));
            play_as(0, [7000, 7001], 50, 10)?;
            Ok(other.join().map_err(|_| "a player panicked")??)
        }),
        [player @ 0..=1, own, other, late, lost] => {
            Ok(play_as(player as usize, [own.try_into()?, other.try_into()?], late, lost)?)
        }
        _ => Err("arguments: player, own port, other port, milliseconds, percent".into()),
    }
}

#[cfg(test)]
mod tests {
    use ggrs::{PlayerType, SessionBuilder};

    use super::{Duel, Game, PREDICTION, Ship, input};

    /// Each frame is played again from each of the frames before it, and has to come out the same.
    #[test]
    fn frames_that_are_played_again_are_the_same() {
        let mut session = SessionBuilder::<Duel>::new()
            .with_max_prediction_window(PREDICTION)
            .with_check_distance(PREDICTION - 1)
            .add_player(PlayerType::Local, 0)
            .and_then(|players| players.add_player(PlayerType::Local, 1))
            .and_then(|players| players.start_synctest_session())
            .unwrap();
        let mut game = Game::new();
        for frame in 0..600 {
            (0..2).for_each(|player| session.add_local_input(player, input(player, frame)).unwrap());
            game.answer(session.advance_frame().unwrap()).unwrap();
        }
        assert!(game.again > 3_000);
        // Something has happened: shots have come and gone.
        assert!(game.world.query::<&Ship>().iter(&game.world).map(|ship| ship.hits).sum::<u32>() > 5);
    }
}
