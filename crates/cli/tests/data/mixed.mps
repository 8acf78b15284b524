NAME          mixed
ROWS
 N  cost
 G  demand
 L  link
COLUMNS
    MARKER    'MARKER'  'INTORG'
    plants    cost      10.0  link      -4.0
    MARKER    'MARKER'  'INTEND'
    flow      cost      1.5   demand    1.0
    flow      link      1.0
RHS
    rhs       demand    6.5
BOUNDS
 UP bnd       plants    9.0
ENDATA
