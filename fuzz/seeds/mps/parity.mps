* Twice two integers is never odd, although halves would do.
NAME parity
ROWS
 N c
 E odd
COLUMNS
 M1 'MARKER' 'INTORG'
 x c 1 odd 2
 y c 1 odd 2
 M2 'MARKER' 'INTEND'
RHS
 rhs odd 7
BOUNDS
 UP b x 10
 UP b y 10
ENDATA
