//! Lines of best play.

use game::{Edge, Game, Verdict};

/// A move of a line of best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<P> {
    /// The position it is made in.
    pub position: P,
    /// Its value and best move.
    pub verdict: Verdict,
    /// The move.
    pub edge: Edge<P>,
}

/// The line of best moves from a position to the end. `verdict` is called for each position of the
/// line.
pub fn line<G: Game, E>(
    game: &G,
    position: &G::Position,
    mut verdict: impl FnMut(&G::Position) -> Result<Verdict, E>,
) -> Result<Vec<Step<G::Position>>, E> {
    let mut line = Vec::new();
    let mut position = *position;
    while game.outcome(&position).is_none() {
        let verdict = verdict(&position)?;
        let mut played = None;
        game.edges(&position, |edge| {
            if Some(edge.mv) == verdict.best {
                played = Some(edge);
            }
        });
        // The verdict may come from elsewhere and name a move that does not exist. The line ends
        // there.
        let Some(edge) = played else { break };
        line.push(Step { position, verdict, edge });
        position = edge.to;
    }
    Ok(line)
}
