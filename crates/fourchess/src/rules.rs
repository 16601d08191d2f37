//! The rules: presets, with every option as a field.

mod fields;

pub use fields::RuleError;

use crate::{
    piece::{DEAD_CODES, Role, codes_of},
    seat::{Edge, Seat, Seating},
};

/// Where kings and queens start: which of the two middle squares of its back line each king has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Setup {
    /// Kings on h1, a7, g14 and n8. Every queen is to the left of her king.
    Modern,
    /// Kings on h1, a8, g14 and n7. The queens of Red and Yellow are to the left of their kings,
    /// those of Blue and Green to the right.
    Classic,
    /// Like classic, with king and queen exchanged for Blue and Yellow.
    By,
    /// Like classic, with king and queen exchanged for Blue, Yellow and Green.
    Byg,
    /// Like classic, with king and queen exchanged for Red and Green.
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

    /// The index of the king's square in [`back_line`](crate::geometry::back_line): 3 or 4. The
    /// queen has the other one.
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
    /// Everyone against everyone. The game continues until three players are out.
    Free,
    /// Red and Yellow against Blue and Green. The pieces of a partner cannot be captured and give
    /// no check. The first mate decides the game.
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
    pub const fn roles(self) -> &'static [Role] {
        match self {
            Promotion::Queen => &[Role::Queen],
            Promotion::Any => &[Role::Knight, Role::Bishop, Role::Rook, Role::Queen],
        }
    }
}

/// Whether and how pawns can be captured en passant.
///
/// A pawn that made a double step can be captured until its own seat moves again, and only by the
/// two seats at the edges to its left and right. Before that, a piece of a third seat may have
/// moved to the square that the pawn passed. Then a pawn move to that square could capture either
/// that piece alone or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum EnPassant {
    /// There is no en passant.
    Off,
    /// If the passed square is occupied, there is one move, which captures both pieces.
    TakesBoth,
    /// If the passed square is occupied, there are two moves: a plain capture, and one that
    /// captures both pieces. Some engines list moves like this.
    TwoMoves,
}

/// What happens when a king is captured. This is possible, because a third player's move may open a
/// line to a king whose owner is not next to move.
///
/// Whether a move leaves its own king in check is decided before the pieces of a captured king die.
/// Open question: whether capturing the king of the only checking player should count as an answer
/// to the check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum KingCapture {
    /// Its owner is out, and their pieces die.
    Eliminates,
    /// The game ends, and the side that captured it has won.
    EndsGame,
    /// Its owner plays on without a king. Nothing gives check, and any move is legal. Some engines
    /// count moves like this.
    Continues,
}

/// What happens to the pieces of a player who resigns or runs out of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Departure {
    /// All pieces but the king die. The king walks: it still moves when it is its turn, and must
    /// not move into check. It may capture, earns no points, and attacks the squares around it like
    /// any king. The caller chooses its moves.
    KingWalks,
    /// All pieces die, including the king.
    AllDie,
    /// The game is over and the player's side has lost.
    EndsGame,
}

/// All options of the rules. Change a field to change a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Name of the preset.
    pub name: &'static str,
    /// The start position.
    pub setup: Setup,
    /// The direction in which the seats sit.
    pub seating: Seating,
    /// Who plays against whom.
    pub sides: Sides,
    /// The promotion rank, counted from the player's own edge. A pawn that starts beyond it in a
    /// FEN4 stays a pawn.
    pub promotion_rank: u8,
    /// What a pawn may become.
    pub promotion: Promotion,
    /// Whether castling is allowed. King and rook move as in chess. The king must not be in check,
    /// pass through check or end in check from any opponent.
    pub castling: bool,
    /// Whether and how pawns can be captured en passant.
    pub en_passant: EnPassant,
    /// What happens when a king is captured.
    pub king_capture: KingCapture,
    /// What happens to the pieces of a player who leaves.
    pub departure: Departure,

    /// Points for capturing a living piece, from pawn to king. Dead pieces are worth nothing. A
    /// walking king is worth as much as any other.
    pub values: [i16; 6],
    /// Points for capturing a queen that was promoted from a pawn. Other promoted pieces keep their
    /// value.
    pub promoted_value: i16,
    /// Points to the player who moved last when a player is mated. Mate is decided on the victim's
    /// turn. Open question: if two players attack the king, whether the points should go to the one
    /// who gives check.
    pub mate: i16,
    /// Points to a player who is stalemated.
    pub stalemate_victim: i16,
    /// Points to each player still in the game when another is stalemated.
    pub stalemate_others: i16,
    /// Points to each player still in the game when a walking king is stalemated. Open question:
    /// the rules in use mention an award, but not in every version.
    pub walking_stalemate: i16,
    /// Points to the last player in the game for each king that still walks.
    pub walking_left: i16,
    /// Points for checking two kings with one move. A king counts if the moved piece attacks it, or
    /// another piece that did not attack it before. Open question: whether discovered checks should
    /// count.
    pub two_kings: i16,
    /// The same if the move is by a queen or promotes to a queen.
    pub two_kings_queen: i16,
    /// Points for checking three kings with one move.
    pub three_kings: i16,
    /// The same if the move is by a queen or promotes to a queen.
    pub three_kings_queen: i16,
    /// Points to each player still in the game when the game is drawn.
    pub draw: i16,

    /// The game is drawn when a position occurs this many times; 0 means never.
    pub repetitions: u8,
    /// The game is drawn after this many plies without a capture, a pawn move or an elimination; 0
    /// means never. Open question: whether pawn moves should count as progress.
    pub quiet_limit: u16,
    /// Whether the game is drawn when nobody can mate: only kings are left, or two kings with one
    /// knight or bishop and no dead pieces.
    pub insufficient_material: bool,
    /// The game is truncated after this many plies, without awards; 0 means never.
    pub max_plies: u16,
    /// The lead in points with which one of the last two players claims the win, which ends the
    /// game at once; 0 means never. The winner must be ahead of everybody, and of the other player
    /// by at least this lead. The other player gets what they would get if the winner resigned:
    /// [`walking_left`](Rules::walking_left) for the winner's king and for each king that still
    /// walks. A lead that this award would make up for is not enough. It matters only if all play
    /// against all. Open question: where people play, a claim is a choice, and the leader may play
    /// on; here whoever can claim does.
    pub claim_lead: i16,
}

impl Rules {
    /// Free for all, decided by points. The default.
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
        claim_lead: 0,
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

    /// The rules of an earlier environment written in JAX, with its faults corrected: pawns capture
    /// only forward, every seat is checked after an elimination, and a promotion leaves no mark on
    /// the square.
    ///
    /// Open questions: that environment has no value for a captured king; here it is worth as much
    /// as a mate. Its award for stalemate is read as 10 points for each remaining player.
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
        self.promoted_value != self.values[Role::Queen.index()]
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
