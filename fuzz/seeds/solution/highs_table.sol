Columns
    Index Status        Lower        Upper       Primal         Dual  Type        Name
        0                   0           10            3               Integer     x
        1                   0            1            0               Integer     y[1,2]
        2                   0          inf          2.5               Continuous  a name
        3                -inf          inf           -4               Continuous  z
Rows
    Index Status        Lower        Upper       Primal         Dual  Name
        0                   1           10          5.5               c1
        1                -inf            0           -4               c2

Model status: Optimal

Objective value: 29.5
