solution status: optimal solution found
objective value:                                 29.5
x                                                   3 	(obj:1)
a name                                            2.5 	(obj:5)
z                                                  -4 	(obj:0.5)
