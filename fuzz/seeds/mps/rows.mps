NAME every_row
ROWS
 N cost
 L l
 G g
 E e
 L l_range
 L l_minus
 G g_range
 G g_minus
 E e_range
 E e_minus
 E e_zero
 L no_rhs
 N other
COLUMNS
 x cost 1 l 1
 x g 1 e 1
 x l_range 1 l_minus 1
 x g_range 1 g_minus 1
 x e_range 1 e_minus 1
 x e_zero 1 no_rhs 1
 x other 1
 y cost -1.5 g 2.5e-3
 y l 0.1 no_rhs 1e6
 alone cost 0
RHS
 rhs l 8 g 8
 rhs e 8 l_range 8
 rhs l_minus 8 g_range 8
 rhs g_minus 8 e_range 8
 rhs e_minus 8 e_zero 8
 rhs cost -12.5
RANGES
 rng l_range 5 l_minus -5
 rng g_range 5 g_minus -5
 rng e_range 5 e_minus -5
 rng e_zero 0
ENDATA
