select
    level,
    count(*) as puzzles,
    round(avg(cages), 1) as cages,
    round(avg(steps), 1) as steps,
    max(steps) as most_steps
from 'DEMO/puzzles.parquet'
group by level
order by min(puzzle)
