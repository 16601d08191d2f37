with chess as (
    select game, ply, count(*) as moves from 'DEMO/moves.parquet' group by game, ply
),
choices as (
    select 'chess' as what, 10 * cast(ply as bigint) / cast(plies as bigint) as tenth, chess.moves
    from chess join 'DEMO/games.csv' using (game) where ply < plies
    union all
    select 'four-player chess', 10 * (cast(ply as bigint) - 1) / cast(plies as bigint), choices
    from 'DEMO/fourchess_plies.parquet' join 'DEMO/fourchess_games.csv' using (game)
    union all
    select 'Kalah', 10 * (24 - cast(seeds_in_play as bigint)) / 24, moves
    from kalah_store('sqlite:DEMO/kalah.sqlite') where not over
    union all
    select 'KenKen', 10 * (cast(step as bigint) - 1) / cast(steps as bigint), candidates / cast(open_cells as double)
    from 'DEMO/puzzle_steps.parquet' join 'DEMO/puzzles.parquet' using (puzzle)
)
select
    tenth,
    round(avg(cast(moves as double)) filter (where what = 'chess'), 2) as chess,
    round(avg(cast(moves as double)) filter (where what = 'four-player chess'), 2) as four_player_chess,
    round(avg(cast(moves as double)) filter (where what = 'Kalah'), 2) as kalah,
    round(avg(cast(moves as double)) filter (where what = 'KenKen'), 2) as kenken
from choices
group by tenth
order by tenth
