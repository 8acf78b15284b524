NAME quadratic
ROWS
 N cost
 G need
COLUMNS
 x cost 1 need 1
RHS
 r need 1
QUADOBJ
 x x 2
ENDATA
