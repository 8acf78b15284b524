NAME nan_entry
ROWS
 N cost
 L room
COLUMNS
 x cost -2 room nan
 y cost -3 room 2
RHS
 rhs room 8
ENDATA
