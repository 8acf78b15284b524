NAME scales
ROWS
 N cost
 L r0
 L r1
 E r2
 G r3
 E r4
 L r5
COLUMNS
    x0 cost -10
    x0 r0 1.8
    x0 r1 -2.5
    x0 r2 -5
    x0 r3 -2.4
    x0 r4 -210000000
    x1 cost -15
    x1 r0 -1
    x1 r1 -5
    x1 r3 1
    x1 r4 -4
    MARKER 'MARKER' 'INTORG'
    x2 cost -4.25
    x2 r2 -0.3
    x2 r3 -2
    x2 r4 -2
    x3 cost 1.25
    x3 r0 1
    x3 r1 -2
    x3 r2 2.7
    x3 r3 0.7
    x3 r4 -2.6
    MARKER 'MARKER' 'INTEND'
    x4 cost -10
    x4 r0 1.3
    x4 r1 -2.1
    x4 r3 -2.5
    x4 r5 1
    MARKER 'MARKER' 'INTORG'
    x5 cost -1
    x5 r5 -10000
    MARKER 'MARKER' 'INTEND'
RHS
    RHS r0 -1.1749999999999998
    RHS r1 -14.525
    RHS r2 -0.3
    RHS r3 0.375
    RHS r4 -14
RANGES
    RNG r3 1
BOUNDS
 UP BND x0 1000000000
 UP BND x1 1000000000
 BV BND x2
 BV BND x3
 FX BND x4 0.25
 BV BND x5
ENDATA
