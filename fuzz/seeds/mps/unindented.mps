NAME unindented
ROWS
N cost
L cap
COLUMNS
x cost -3 cap 2
y cost -2 cap 1
M 'MARKER' 'INTORG'
z cost -4 cap 3
M 'MARKER' 'INTEND'
RHS
R cap 7
BOUNDS
UP B x 2
UP B y 1
UP B z 5
ENDATA
