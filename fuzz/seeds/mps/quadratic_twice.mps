NAME quadratic
ROWS
 N cost
 E need
COLUMNS
 x cost 1 need 1
 y cost 1 need 1
RHS
 rhs need 2
QUADOBJ
 x x 2
 y x 0.5
 y x 1.5
ENDATA
