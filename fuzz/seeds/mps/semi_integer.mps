NAME semi_integer
ROWS
 N cost
 G need
COLUMNS
 x cost 1 need 1
 y cost 2 need 1
RHS
 rhs need 3
BOUNDS
 SI bnd x 8
 LO bnd x 2
ENDATA
