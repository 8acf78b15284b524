* Comments behind the fields of lines.
NAME behind $ the name
ROWS
 N cost $ what counts
 G need * at least
COLUMNS
 x cost 2 need 1 $ cheap
 y cost 3 need 2 * strong
RHS
 rhs need 4 $ units
BOUNDS
 UP bnd x 3 * no more
ENDATA
