create view played as select game, ply, fen, uci as played from 'DEMO/positions.jsonl';
select
    game, ply, uci, piece, captured, promotion,
    uci = played as is_played,
    chess_is_check(child) as is_check,
    chess_is_mate(child) as is_mate
from chess_children('played', 'fen')
order by game, ply, uci
