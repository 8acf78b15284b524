NAME words
ROWS
 N cost
 L room
COLUMNS
    first     cost          1.0   room          2.0
    OBJSENSE  cost          3.0   room          1.0
    BOUNDS    cost         -1.0   room          4.0
    last      cost         -2.0   room          1.0
RHS
    rhs       room          9.0
ENDATA
