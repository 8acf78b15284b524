* A covering with binaries x[set]: every element in some set, sets 1 and 2 not both. Trying all gives the optimum.
NAME cover
ROWS
 N price
 G in[a]
 G in[b]
 G in[c]
 G in[d]
 G in[e]
 L not_both
COLUMNS
 x[1] price 2.5 in[a] 1
 x[1] in[b] 1 not_both 1
 x[2] price 3 in[b] 1
 x[2] in[c] 1 in[d] 1
 x[2] not_both 1
 x[3] price 2 in[a] 1
 x[3] in[e] 1
 x[4] price 2.25 in[c] 1
 x[4] in[d] 1
 x[5] price 4 in[b] 1
 x[5] in[e] 1 in[c] 1
 x[6] price 1.5 in[d] 1
 x[7] price 1.25 in[b] 1
RHS
 one in[a] 1 in[b] 1
 one in[c] 1 in[d] 1
 one in[e] 1 not_both 1
BOUNDS
 BV bnd x[1]
 BV bnd x[2]
 BV bnd x[3]
 BV bnd x[4]
 BV bnd x[5]
 BV bnd x[6]
 BV bnd x[7]
ENDATA
