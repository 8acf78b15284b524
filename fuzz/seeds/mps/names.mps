* Names that are words of the format, or look like numbers or comments.
NAME names
OBJSENSE MAX
ROWS
 N NAME
 L ROWS
 G $money
 E 12
COLUMNS
 RANGES NAME 1 ROWS 2
 RANGES 12 1
 BOUNDS NAME -1 ROWS 1
 BOUNDS $money 1
 x[1,2] NAME 3 ROWS 0.5
 größe 12 -1
RHS
 RHS ROWS 8 12 0
 RHS $money 1
BOUNDS
 UP RHS BOUNDS 4
 UP RHS x[1,2] 6
ENDATA
