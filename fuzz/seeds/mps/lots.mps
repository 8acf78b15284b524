* Lot sizing over three periods, in fixed form. Demands 4, 3, 5; a setup costs 9, making or keeping a unit costs 1.
* Of the setups that meet the first demand, those in periods 1 and 3 are best: 18 + 12 made + 3 kept = 33.
* Period 1 alone: 9 + 12 + 8 + 5 = 34; periods 1 and 2: 18 + 12 + 5 = 35; all: 27 + 12 = 39.
NAME          LOTS
ROWS
 N  COST
 E  BALANCE1
 E  BALANCE2
 E  BALANCE3
 L  SETUP1
 L  SETUP2
 L  SETUP3
COLUMNS
    MAKE1     COST               1.0   BALANCE1           1.0
    MAKE1     SETUP1             1.0
    MAKE2     COST               1.0   BALANCE2           1.0
    MAKE2     SETUP2             1.0
    MAKE3     COST               1.0   BALANCE3           1.0
    MAKE3     SETUP3             1.0
    KEEP1     COST               1.0   BALANCE1          -1.0
    KEEP1     BALANCE2           1.0
    KEEP2     COST               1.0   BALANCE2          -1.0
    KEEP2     BALANCE3           1.0
    M1        'MARKER'                 'INTORG'
    OPEN1     COST               9.0   SETUP1           -12.0
    OPEN2     COST               9.0   SETUP2           -12.0
    OPEN3     COST               9.0   SETUP3           -12.0
    M2        'MARKER'                 'INTEND'
RHS
    DEMAND    BALANCE1           4.0   BALANCE2           3.0
    DEMAND    BALANCE3           5.0
ENDATA
