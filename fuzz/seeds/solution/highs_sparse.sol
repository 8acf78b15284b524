Model status
Time limit reached

# Primal solution values
Feasible
Objective 29.5
# Columns -3
x 3 0
a name 2.5 2
z -4 3
