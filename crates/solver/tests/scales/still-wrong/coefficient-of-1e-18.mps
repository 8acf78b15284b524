NAME scales
ROWS
 N cost
 E r0
COLUMNS
    MARKER 'MARKER' 'INTORG'
    x0 cost -9
    x0 r0 -2e-7
    MARKER 'MARKER' 'INTEND'
    x1 cost 2.25
    x2 cost -3
    x3 cost -0.5
    x3 r0 -4.000000000279821e-18
RHS
BOUNDS
 BV BND x0
 UP BND x1 100
 UP BND x2 4
ENDATA
