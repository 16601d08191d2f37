with facts as (
    select least(cast(ply as bigint) / 20, 6) * 20 as from_ply, *
    from 'DEMO/facts.parquet'
)
select
    from_ply,
    count(*) as positions,
    round(100 * avg(cast(white_checkers + black_checkers > 0 as int)), 2) as check_percent,
    round(100 * avg(cast(white_hanging_see + black_hanging_see > 0 as int)), 2) as hanging_percent,
    round(100 * avg(cast(white_pinned + black_pinned > 0 as int)), 2) as pinned_percent,
    round(100 * avg(cast(white_skewered + black_skewered > 0 as int)), 2) as skewered_percent,
    round(100 * avg(cast(white_forks + black_forks > 0 as int)), 2) as fork_percent,
    round(100 * avg(cast(case when ply % 2 = 0 then white_fork_moves else black_fork_moves end > 0 as int)), 2) as fork_move_percent
from facts
group by from_ply
order by from_ply
