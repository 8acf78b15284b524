=obj= 29.5
x 3
a name   2.5
z -4
