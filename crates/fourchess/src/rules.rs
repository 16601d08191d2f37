//! The rules as data: presets, and every choice a field.

mod fields;

pub use fields::RuleError;

use crate::{
    piece::{DEAD_CODES, Kind, codes_of},
    seat::{Edge, Seat, Seating},
};

/// Which of the two middle squares of its back line a seat's king starts on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Setup {
    /// Kings on h1, a7, g14 and n8: every queen to the left of her king.
    Modern,
    /// Kings on h1, a8, g14 and n7: to the left of her king is the queen of Red and Yellow only.
    Classic,
    /// Classic with king and queen of Blue and Yellow exchanged.
    By,
    /// Classic with king and queen of Blue, Yellow and Green exchanged.
    Byg,
    /// Classic with king and queen of Red and Green exchanged.
    Rg,
}

impl Setup {
    /// All five.
    pub const ALL: [Setup; 5] = [Setup::Modern, Setup::Classic, Setup::By, Setup::Byg, Setup::Rg];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Setup::Modern => "modern",
            Setup::Classic => "classic",
            Setup::By => "by",
            Setup::Byg => "byg",
            Setup::Rg => "rg",
        }
    }

    /// The index of the king's square in [`back_line`](crate::geometry::back_line); the queen has
    /// the other of 3 and 4.
    pub const fn king(self, seat: Seat, seating: Seating) -> usize {
        let edge = seating.edge(seat);
        let classic = match edge {
            Edge::South | Edge::West => 4,
            Edge::North | Edge::East => 3,
        };
        let exchanged = match self {
            Setup::Modern => matches!(edge, Edge::West | Edge::East),
            Setup::Classic => false,
            Setup::By => matches!(seat, Seat::Blue | Seat::Yellow),
            Setup::Byg => !matches!(seat, Seat::Red),
            Setup::Rg => matches!(seat, Seat::Red | Seat::Green),
        };
        if exchanged { 7 - classic } else { classic }
    }
}

/// Who plays against whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Sides {
    /// Everyone against everyone; the game goes on until three are out.
    Free,
    /// Red and Yellow against Blue and Green. Partners' pieces cannot be taken and give no check;
    /// the first mate decides the game.
    Pairs,
}

/// What a pawn may become.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Promotion {
    /// A queen and nothing else.
    Queen,
    /// Knight, bishop, rook or queen.
    Any,
}

impl Promotion {
    /// What a pawn may become.
    pub const fn kinds(self) -> &'static [Kind] {
        match self {
            Promotion::Queen => &[Kind::Queen],
            Promotion::Any => &[Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen],
        }
    }
}

/// Whether and how pawns are taken in passing.
///
/// The offer belongs to the seat that pushed two squares and lives until that seat moves again.
/// Only the two seats at the perpendicular edges can use it. Before they do, a piece of a third
/// seat may have come to the passed square, and then one pawn move could take either that piece
/// or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum EnPassant {
    /// Never.
    Off,
    /// Onto an occupied passed square there is one move, and it takes both pieces.
    TakesBoth,
    /// Onto an occupied passed square there are two moves: a plain capture, and one that takes
    /// both. The move lists of some engines are made like this.
    TwoMoves,
}

/// What happens when a king is taken. That can occur: a third player's move may open a line to a
/// king whose owner is not next to move.
///
/// Whether a move leaves its own king in check is judged on the board as the pieces then stand,
/// before the taken king's pieces die. Open question: whether a move that takes the king of the
/// only checking player should count as an answer to the check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum KingCapture {
    /// Its owner is out and their pieces die.
    Eliminates,
    /// The game ends, and the taker's side has won.
    EndsGame,
    /// Its owner plays on without a king: nothing is check, and any move will do. Some engines
    /// count moves like this.
    Continues,
}

/// What happens to the pieces of a player who resigns or runs out of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Departure {
    /// All pieces but the king die. The king walks on whenever its turn comes, with the moves of
    /// a king that may not step into check; it takes what it likes, earns nothing, and keeps
    /// other kings at a distance. Who chooses its moves is up to the caller.
    KingWalks,
    /// All pieces die, the king too.
    AllDie,
    /// The game is over and the player's side has lost.
    EndsGame,
}

/// Everything that differs between the ways to play. Plain data: change a field to change a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Name of the preset.
    pub name: &'static str,
    /// The position a game begins with.
    pub setup: Setup,
    /// Which way round the seats sit.
    pub seating: Seating,
    /// Who plays against whom.
    pub sides: Sides,
    /// The rank, counted from the own edge, that a pawn promotes on. A pawn that a text has placed
    /// beyond it walks on as a pawn.
    pub promotion_rank: u8,
    /// What a pawn may become.
    pub promotion: Promotion,
    /// Whether castling exists. King and rook move as in chess; the king may not stand in, pass
    /// through or arrive in the check of any opponent.
    pub castling: bool,
    /// Whether and how pawns are taken in passing.
    pub en_passant: EnPassant,
    /// What happens when a king is taken.
    pub king_capture: KingCapture,
    /// What happens to the pieces of a player who leaves.
    pub departure: Departure,

    /// Points for taking a living piece, pawn to king. Dead pieces are worth nothing. A walking
    /// king is worth as much as any.
    pub values: [i16; 6],
    /// Points for taking a queen that was once a pawn; other promoted pieces keep their value.
    pub promoted_value: i16,
    /// Points to the last mover when a player is mated. Mate is judged when it is the victim's
    /// turn. Open question: with two attackers, whether the points should be the checker's.
    pub mate: i16,
    /// Points to a player who is stalemated.
    pub stalemate_victim: i16,
    /// Points to each player still in the game when another is stalemated.
    pub stalemate_others: i16,
    /// Points to each player still in the game when a walking king is stalemated. Open question:
    /// the rules in use name an award, but not for every version.
    pub walking_stalemate: i16,
    /// Points to the last player in the game for each king still walking.
    pub walking_left: i16,
    /// Points for checking two kings with one move. A king counts if the moved piece attacks it,
    /// or a piece that did not attack it before the move. Open question: whether uncovered
    /// checks should count.
    pub two_kings: i16,
    /// The same, when a queen was moved or made.
    pub two_kings_queen: i16,
    /// Points for checking three kings with one move.
    pub three_kings: i16,
    /// The same, when a queen was moved or made.
    pub three_kings_queen: i16,
    /// Points to each player still in the game when it is drawn.
    pub draw: i16,

    /// The game is drawn when a position occurs this often; 0 for never.
    pub repetitions: u8,
    /// The game is drawn after this many plies without a capture, a pawn's move or an
    /// elimination; 0 for never. Open question: whether pawn moves should count as progress.
    pub quiet_limit: u16,
    /// Whether the game is drawn when nobody could mate: only kings are left, or two kings with
    /// one knight or bishop and no dead pieces.
    pub insufficient_material: bool,
    /// The game is cut off after this many plies, without awards; 0 for never.
    pub max_plies: u16,
}

impl Rules {
    /// Free for all: points decide. The default.
    pub const FFA: Rules = Rules {
        name: "ffa",
        setup: Setup::Modern,
        seating: Seating::Clockwise,
        sides: Sides::Free,
        promotion_rank: 8,
        promotion: Promotion::Queen,
        castling: true,
        en_passant: EnPassant::TakesBoth,
        king_capture: KingCapture::Eliminates,
        departure: Departure::KingWalks,
        values: [1, 3, 5, 5, 9, 20],
        promoted_value: 1,
        mate: 20,
        stalemate_victim: 20,
        stalemate_others: 0,
        walking_stalemate: 10,
        walking_left: 20,
        two_kings: 5,
        two_kings_queen: 1,
        three_kings: 20,
        three_kings_queen: 5,
        draw: 10,
        repetitions: 3,
        quiet_limit: 200,
        insufficient_material: true,
        max_plies: 0,
    };

    /// Red and Yellow against Blue and Green. There are no points: the first mate wins, and a
    /// stalemate draws the game.
    pub const TEAMS: Rules = Rules {
        name: "teams",
        sides: Sides::Pairs,
        promotion_rank: 11,
        promotion: Promotion::Any,
        king_capture: KingCapture::EndsGame,
        departure: Departure::EndsGame,
        values: [0; 6],
        promoted_value: 0,
        mate: 0,
        stalemate_victim: 0,
        walking_stalemate: 0,
        walking_left: 0,
        two_kings: 0,
        two_kings_queen: 0,
        three_kings: 0,
        three_kings_queen: 0,
        draw: 0,
        ..Rules::FFA
    };

    /// The rules of an earlier environment written in JAX, with its faults mended: pawns take
    /// forward only, every seat is tested after an elimination, and a promotion leaves no mark on
    /// the square.
    ///
    /// Open questions: that environment names no value for a king that is taken, here it is worth
    /// a mate; and its stalemate award is read as 10 points for each remaining player.
    pub const JAX: Rules = Rules {
        name: "jax",
        setup: Setup::Classic,
        seating: Seating::Counterclockwise,
        promotion_rank: 11,
        castling: false,
        en_passant: EnPassant::Off,
        departure: Departure::AllDie,
        values: [1, 3, 3, 5, 9, 20],
        promoted_value: 9,
        stalemate_victim: 0,
        stalemate_others: 10,
        walking_stalemate: 0,
        walking_left: 0,
        two_kings: 0,
        two_kings_queen: 0,
        three_kings: 0,
        three_kings_queen: 0,
        draw: 0,
        repetitions: 0,
        quiet_limit: 0,
        insufficient_material: false,
        max_plies: 500,
        ..Rules::FFA
    };

    /// The presets.
    pub const PRESETS: [&'static Rules; 3] = [&Rules::FFA, &Rules::TEAMS, &Rules::JAX];

    /// The preset with this name.
    pub fn named(name: &str) -> Option<&'static Rules> {
        Rules::PRESETS.into_iter().find(|rules| rules.name == name)
    }

    /// The edge at which a seat sits.
    #[inline]
    pub const fn edge(&self, seat: Seat) -> Edge {
        self.seating.edge(seat)
    }

    /// Whether the two play against each other.
    #[inline]
    pub const fn are_opponents(&self, one: Seat, other: Seat) -> bool {
        match self.sides {
            Sides::Free => one as u8 != other as u8,
            Sides::Pairs => (one as u8 ^ other as u8) & 1 == 1,
        }
    }

    /// Whether a queen that was a pawn is worth something else than another queen.
    #[inline]
    pub(crate) const fn marks_promoted(&self) -> bool {
        self.promoted_value != self.values[Kind::Queen.index()]
    }

    /// The codes of living pieces that play against a seat.
    #[inline]
    pub(crate) const fn foes(&self, seat: Seat) -> u32 {
        match self.sides {
            Sides::Free => EVERYONE & !codes_of(seat),
            Sides::Pairs => EVERYONE & !codes_of(seat) & !codes_of(seat.opposite()),
        }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::FFA
    }
}

const EVERYONE: u32 = 0x7e7e_7e7e;

/// What a seat may take: opponents' pieces and dead ones.
#[inline]
pub(crate) const fn takable(foes: u32) -> u32 {
    foes | DEAD_CODES
}
