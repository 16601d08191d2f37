with endings as (
    select 'chess games' as game, case result when '1-0' then 1 when '0-1' then -1 else 0 end as outcome
    from 'DEMO/games.csv'
    union all
    select 'four-player games', case when red_place > 1 then -1 when least(blue_place, yellow_place, green_place) = 1 then 0 else 1 end
    from 'DEMO/fourchess_games.csv'
    union all
    select 'Kalah positions', signum(value)
    from kalah_store('sqlite:DEMO/kalah.sqlite') where not over
)
select
    game,
    count(*) as outcomes,
    round(100 * avg(cast(outcome > 0 as int)), 1) as ahead_percent,
    round(100 * avg(cast(outcome = 0 as int)), 1) as even_percent,
    round(100 * avg(cast(outcome < 0 as int)), 1) as behind_percent
from endings
group by game
order by ahead_percent desc
