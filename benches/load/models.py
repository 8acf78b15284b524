"""Models of any size, each with a solution: commodities with five paths each, over arcs with ample trucks.

A model with n commodities has 5 n binaries, n / 10 general integers and 25 n non-zeros, hardly fewer. Every choice of paths is
feasible, so that no stage has to search for long. Sizes share their names: `x[k,p]` is path p of commodity k in all of them.
"""

import random

PATHS = 5
ARCS_OF_A_PATH = 4
TRUCK = 500


def columns(commodities):
    return commodities * PATHS + commodities // 10


def write(folder, commodities, number):
    """Writes `NUMBER.mps` and, with one path of each commodity chosen, `NUMBER.sol`; gives both paths.

    The numbers of one size differ in costs, demands and the path that is chosen, not in what paths there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    network, data = random.Random(commodities), random.Random(commodities * 1000 + number)
    arcs, chosen = commodities // 10, number % PATHS
    loads, objective = [0] * arcs, 0
    model, solution = folder / f"{number}.mps", folder / f"{number}.sol"
    with open(model, "w", encoding="ascii") as out:
        out.write("NAME growth\nROWS\n N cost\n")
        out.writelines(f" E one[{k}]\n" for k in range(commodities))
        out.writelines(f" L load[{a}]\n" for a in range(arcs))
        out.write("COLUMNS\n MARKER 'MARKER' 'INTORG'\n")
        for k in range(commodities):
            demand = int(1 + 100 * data.random())
            for p in range(PATHS):
                cost, name = int(1 + 50 * data.random()), f" x[{k},{p}]"
                used = sorted({int(arcs * network.random()) for _ in range(ARCS_OF_A_PATH)})
                out.write(f"{name} cost {cost}\n{name} one[{k}] 1\n")
                out.writelines(f"{name} load[{a}] {demand}\n" for a in used)
                if p == chosen:
                    objective += cost
                    for a in used:
                        loads[a] += demand
        trucks = [-(-load // TRUCK) for load in loads]
        for a, count in enumerate(trucks):
            cost = int(100 + 900 * data.random())
            objective += cost * count
            out.write(f" y[{a}] cost {cost}\n y[{a}] load[{a}] -{TRUCK}\n")
        out.write(" MARKER 'MARKER' 'INTEND'\nRHS\n")
        out.writelines(f" RHS one[{k}] 1\n" for k in range(commodities))
        out.write("BOUNDS\n")
        out.writelines(f" BV BND x[{k},{p}]\n" for k in range(commodities) for p in range(PATHS))
        out.writelines(f" UP BND y[{a}] 1000\n" for a in range(arcs))
        out.write("ENDATA\n")
    with open(solution, "w", encoding="ascii") as out:
        out.write(f"=obj= {objective}\n")
        out.writelines(f"x[{k},{chosen}] 1\n" for k in range(commodities))
        out.writelines(f"y[{a}] {count}\n" for a, count in enumerate(trucks) if count)
    return model, solution
