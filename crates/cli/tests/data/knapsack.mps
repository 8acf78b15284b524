NAME          knapsack
OBJSENSE
    MAX
ROWS
 N  value
 L  weight
COLUMNS
    MARKER    'MARKER'  'INTORG'
    tent      value     3.0   weight    2.0
    stove     value     4.0   weight    3.0
    lamp      value     5.0   weight    4.0
    MARKER    'MARKER'  'INTEND'
RHS
    rhs       weight    5.0
BOUNDS
 BV bnd       tent
 BV bnd       stove
 BV bnd       lamp
ENDATA
