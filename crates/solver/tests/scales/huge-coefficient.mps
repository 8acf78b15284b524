NAME scales
ROWS
 N cost
 L r0
 L r1
 L r2
COLUMNS
    MARKER 'MARKER' 'INTORG'
    x0 cost 1.5
    x0 r1 1
    x1 cost 8
    x1 r0 -2.6
    MARKER 'MARKER' 'INTEND'
    x2 cost 11
    x2 r1 -300000000
    MARKER 'MARKER' 'INTORG'
    x3 cost 0.25
    x3 r1 1.3
    x4 cost -18
    x5 cost 3
    x5 r1 -5
    x5 r2 1
    x6 r2 -3
    MARKER 'MARKER' 'INTEND'
RHS
    RHS cost 3
    RHS r0 1.5
    RHS r1 -600000005.4
BOUNDS
 BV BND x0
 BV BND x1
 UP BND x2 1000000000
 FX BND x3 2
 BV BND x4
 UP BND x5 2
 BV BND x6
ENDATA
