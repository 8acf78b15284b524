NAME scales
OBJSENSE
    MAX
ROWS
 N cost
 G r0
 E r1
COLUMNS
    x0 cost -9
    x0 r0 300000000
    MARKER 'MARKER' 'INTORG'
    x1 cost 16
    x2 cost -17
    x2 r1 5
    x3 cost -5
    x3 r0 300000000
    x3 r1 50000000
    x4 cost -0.25
    x4 r0 -500000000
    x4 r1 -5
    x5 cost 17
    MARKER 'MARKER' 'INTEND'
RHS
    RHS cost 3
    RHS r0 -400000000
    RHS r1 -5
RANGES
    RNG r0 400000000
BOUNDS
 UP BND x0 100000
 LO BND x1 -3
 UP BND x1 0
 BV BND x2
 BV BND x3
 UP BND x4 2
 BV BND x5
ENDATA
