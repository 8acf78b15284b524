* Integers of either sign, an equation and a maximum. Trying all values gives the optimum.
NAME signs
OBJSENSE MAX
ROWS
 N value
 E balance
 L most
 G least
COLUMNS
 M1 'MARKER' 'INTORG'
 p value 3 balance 2
 p most 1
 q value -2 balance -3
 q most 2 least 1
 r value 1 balance 5
 r least -1
 M2 'MARKER' 'INTEND'
RHS
 rhs balance 1 most 4
 rhs least -3
BOUNDS
 LO b p -4
 UP b p 5
 LI b q -6
 UI b q 2
 LO b r -3
 UP b r 3
ENDATA
