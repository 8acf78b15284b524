NAME nan_cost
ROWS
 N cost
 L room
COLUMNS
 x cost nan room 1
 y cost -3 room 2
RHS
 rhs room 8
ENDATA
