NAME scales
OBJSENSE
    MAX
ROWS
 N cost
 L r0
 E r1
 L r2
COLUMNS
    x0 cost -14
    x0 r1 2e-7
    MARKER 'MARKER' 'INTORG'
    x1 cost 1.5e-10
    x1 r1 -2e-7
    x2 cost 2.25
    x2 r0 5
    x2 r1 -2e-7
    MARKER 'MARKER' 'INTEND'
    x3 cost 0.75
    x3 r2 1
    x4 cost 18
    x4 r0 3
    MARKER 'MARKER' 'INTORG'
    x5 cost 9
    x5 r2 -1000
    MARKER 'MARKER' 'INTEND'
RHS
    RHS r0 -5
    RHS r1 -6e-7
BOUNDS
 MI BND x0
 UP BND x0 1
 BV BND x1
 BV BND x2
 LO BND x4 -2
 UP BND x4 2
 BV BND x5
ENDATA
