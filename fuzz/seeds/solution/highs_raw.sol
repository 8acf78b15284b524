Model status
Optimal

# Primal solution values
Feasible
Objective 29.5
# Columns 4
x 3
y[1,2] 0
a name 2.5
z -4
# Rows 2
c1 5.5
c2 -4

# Dual solution values
Feasible
# Columns 4
x 0
y[1,2] 1
a name 0
z 0
# Rows 2
c1 1
c2 0

# Basis
HiGHS_basis_file v2
Valid
# Columns 4
x 1 
y[1,2] 0 
a name 1 
z 1 
# Rows 2
c1 0 
c2 0 
