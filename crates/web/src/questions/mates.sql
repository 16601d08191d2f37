with chances as (
    select game, ply, bool_or(is_played) as is_played
    from 'DEMO/moves.parquet'
    where is_mate and is_played is not null
    group by game, ply
)
select
    cast(case when ply % 2 = 0 then white_elo else black_elo end as bigint) / 400 * 400 as rating,
    count(*) as mates_in_one,
    count(*) filter (where is_played) as played,
    count(*) filter (where not is_played) as missed,
    round(100 * avg(cast(is_played as int)), 1) as played_percent,
    count(*) filter (where case when ply % 2 = 0 then white_hanging_see else black_hanging_see end > 0) as while_own_pieces_hang
from chances
join 'DEMO/games.csv' using (game)
join 'DEMO/facts.parquet' using (game, ply)
group by rating
order by rating
