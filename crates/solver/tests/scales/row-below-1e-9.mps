NAME scales
ROWS
 N cost
 L r0
 G r1
COLUMNS
    x0 r0 2
    MARKER 'MARKER' 'INTORG'
    x1 cost 4
    x1 r1 4e-10
    x2 cost 2.25
    x2 r1 5e-10
    MARKER 'MARKER' 'INTEND'
    x3 cost -17
    x3 r0 -3
    x3 r1 3e-10
    x4 cost -0.0006000000000000001
    x4 r0 -5
    x4 r1 -4e-10
RHS
    RHS cost 3
    RHS r0 9
    RHS r1 2e-10
BOUNDS
 FX BND x0 0.25
 FX BND x1 2
 LO BND x2 -1
 UP BND x2 0
 LO BND x3 -2
 UP BND x3 2
 FR BND x4
ENDATA
