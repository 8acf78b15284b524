NAME semicontinuous
ROWS
 N cost
 G need
COLUMNS
 x cost 1 need 1
RHS
 r need 1
BOUNDS
 SC b x 9
ENDATA
