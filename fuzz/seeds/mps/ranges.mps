* Every kind of range, a negative right-hand side, and a second free row.
NAME ranges
ROWS
 N cost
 L most
 G least
 E up
 E down
 N other
COLUMNS
 x cost 1 most 1
 x least 1 up 1
 x down 2
 y cost -1 most 2
 y least -1 up 1
 y down 1
RHS
 rhs most 9 least -4
 rhs up 3 down 5
RANGES
 rng most 6 least 5
 rng up 2 down -3
BOUNDS
 MI bnd x
 UP bnd x 12
 UP bnd y 7
ENDATA
