* A production plan in fixed form: optimum 1150 at steel 3, wood 8 (maximise).
NAME          PLAN
OBJSENSE
    MAX
ROWS
 N  PROFIT
 L  HOURS
 L  SPACE
 G  ORDERS
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    STEEL     PROFIT           150.0   HOURS              8.0
    STEEL     SPACE              2.0   ORDERS             1.0
    WOOD      PROFIT           100.0   HOURS              4.0
    WOOD      SPACE              3.0   ORDERS             1.0
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS       HOURS             58.0   SPACE             30.0
    RHS       ORDERS             2.0   PROFIT           100.0
BOUNDS
 UP BND       STEEL             40.0
 PL BND       WOOD
ENDATA
