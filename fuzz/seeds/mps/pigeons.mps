* Three pigeons, two holes, one pigeon a hole: fractions of pigeons would fit.
NAME pigeons
ROWS
 N c
 E pigeon1
 E pigeon2
 E pigeon3
 L hole1a
 L hole1b
 L hole1c
 L hole2a
 L hole2b
 L hole2c
COLUMNS
 x11 pigeon1 1 hole1a 1
 x11 hole1b 1
 x21 pigeon2 1 hole1a 1
 x21 hole1c 1
 x31 pigeon3 1 hole1b 1
 x31 hole1c 1
 x12 pigeon1 1 hole2a 1
 x12 hole2b 1
 x22 pigeon2 1 hole2a 1
 x22 hole2c 1
 x32 pigeon3 1 hole2b 1
 x32 hole2c 1
RHS
 one pigeon1 1 pigeon2 1
 one pigeon3 1 hole1a 1
 one hole1b 1 hole1c 1
 one hole2a 1 hole2b 1
 one hole2c 1
BOUNDS
 BV b x11
 BV b x21
 BV b x31
 BV b x12
 BV b x22
 BV b x32
ENDATA
