Columns
    Index Status        Lower        Upper       Primal         Dual  Name
        0     LB            0           10            3            1  x
        1     FX            0            0            0           -0  y[1,2]
        2     BS            0          inf          2.5            0  a name
        3     FR         -inf          inf           -4 -1.23457e-05  z
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0     BS            1           10          5.5            0  c1
        1     UB         -inf            0           -4            0  c2

Model status: Optimal

Objective value: 29.5
