* Roads to build in a network with fixed charges: 5 units go from s to t. A road costs its charge and 1 per unit.
* s-a-t costs 6 + 4 + 10 = 20 but carries only 4, so one unit goes another way; s-b-t carries all: 7 + 5 + 10 = 22.
* Both at once cost 10 + 12 + 10 = 32. A road from a to b for 1 makes s-a-t and s-a-b-t possible, but s-a carries 4.
* So all goes over b, and the constant 100 stands in the objective: 122.
NAME roads
OBJSENSE
 MIN
ROWS
 N cost
 E s
 E a
 E b
 E t
 L build_sa
 L build_at
 L build_sb
 L build_bt
 L build_ab
COLUMNS
 sa cost 1 s 1
 sa a -1 build_sa 1
 at cost 1 a 1
 at t -1 build_at 1
 sb cost 1 s 1
 sb b -1 build_sb 1
 bt cost 1 b 1
 bt t -1 build_bt 1
 ab cost 1 a 1
 ab b -1 build_ab 1
 yes_sa cost 6 build_sa -4
 yes_at cost 4 build_at -4
 yes_sb cost 7 build_sb -9
 yes_bt cost 5 build_bt -9
 yes_ab cost 1 build_ab -9
RHS
 rhs s 5 t -5
 rhs cost -100
BOUNDS
 BV b yes_sa
 BV b yes_at
 BV b yes_sb
 BV b yes_bt
 BV b yes_ab
ENDATA
