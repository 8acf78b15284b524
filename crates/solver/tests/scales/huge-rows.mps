NAME scales
OBJSENSE
    MAX
ROWS
 N cost
 L r0
 G r1
 E r2
 L r3
 G r4
 L r5
COLUMNS
    MARKER 'MARKER' 'INTORG'
    x0 cost 2
    x0 r0 -4
    x0 r1 4
    x0 r2 16777216
    x0 r3 -4
    x0 r4 2
    x1 cost -14
    x1 r0 3
    x1 r2 -67108864
    x1 r3 5
    MARKER 'MARKER' 'INTEND'
    x2 cost 4
    x2 r0 -4
    x2 r1 -5
    x2 r3 -2
    x3 cost -13
    x3 r1 2
    x3 r3 -2
    x4 cost 12
    x4 r0 2
    x4 r1 5
    x4 r2 -67108864
    x4 r5 1000000000
    MARKER 'MARKER' 'INTORG'
    x5 cost 7
    x5 r1 -4
    x5 r3 5
    x6 cost -1
    x6 r5 -10000000
    MARKER 'MARKER' 'INTEND'
RHS
    RHS r0 9
    RHS r1 5
    RHS r2 -268435456
    RHS r3 9
    RHS r4 -2
    RHS r5 2999999997
RANGES
    RNG r1 2
BOUNDS
 LO BND x0 -0.5
 UP BND x0 2.5
 LO BND x1 1
 UP BND x1 3
 UP BND x2 100
 UP BND x3 4
 UP BND x5 2
 BV BND x6
ENDATA
