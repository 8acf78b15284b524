# Solution for model demo
# Objective value = 29.5
x 3
y[1,2] 0
a name 2.5
z -4
