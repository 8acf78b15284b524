* Even numbers only, and an odd sum.
NAME infeasible
ROWS
 N cost
 E odd
COLUMNS
 m 'MARKER' 'INTORG'
 x cost 1 odd 2
 y cost 1 odd 2
 m 'MARKER' 'INTEND'
RHS
 r odd 7
BOUNDS
 UP b x 9
 UP b y 9
ENDATA
