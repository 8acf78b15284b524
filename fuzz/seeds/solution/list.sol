
x	3.0
y[1,2]  0
a name  2.5e+00
z -4
