NAME scales
ROWS
 N cost
 L r0
COLUMNS
    x0 cost 0.000011
    x0 r0 2700000
    x1 cost 19
    x1 r0 -11000
    x2 cost -3.5
    x2 r0 2000000
RHS
    RHS cost 3
    RHS r0 -4433000.000000001
BOUNDS
 FR BND x0
 UP BND x1 1000000
 MI BND x2
 UP BND x2 1
ENDATA
