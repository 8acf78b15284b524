"""The same network from PyTorch Geometric's layers.

    peer.py check DIR             compare scores and gradients with those our binary exported
    peer.py measure DIR SECONDS   best times and added memory, as JSON

DIR is what `gatv2 export SIZE DIR` wrote.
"""

import json
import math
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore", category=FutureWarning)

import torch
from safetensors.torch import load_file
from torch import nn
from torch_geometric.nn import GATv2Conv

WIDTH, HEADS, HEAD = 64, 8, 64


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs))


class Stage(nn.Module):
    """Attention from sources to targets, then the combination with the target's own embedding."""

    def __init__(self):
        super().__init__()
        self.attention = GATv2Conv(
            (WIDTH, WIDTH), HEAD, heads=HEADS, edge_dim=WIDTH,
            add_self_loops=False, concat=True, negative_slope=0.2,
        )
        self.combine = nn.Linear(WIDTH + HEADS * HEAD, WIDTH)

    def forward(self, sources, targets, edge_index, edges):
        messages = self.attention((sources, targets), edge_index, edge_attr=edges)
        return torch.relu(self.combine(torch.cat([targets, messages], dim=1)))


class Round(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_rows = Stage()
        self.to_variables = Stage()


class Network(nn.Module):
    def __init__(self, variable_width, row_width, edge_width):
        super().__init__()
        self.variable_embedding = mlp(variable_width, WIDTH)
        self.row_embedding = mlp(row_width, WIDTH)
        self.edge_embedding = nn.Linear(edge_width, WIDTH)
        self.rounds = nn.ModuleList([Round()])
        self.output = mlp(WIDTH, 1)

    def forward(self, graph):
        variables = torch.relu(self.variable_embedding(graph["variables"]))
        rows = torch.relu(self.row_embedding(graph["rows"]))
        edges = self.edge_embedding(graph["edges"])
        for r in self.rounds:
            rows = r.to_rows(variables, rows, graph["to_rows"], edges)
            variables = r.to_variables(rows, variables, graph["to_variables"], edges)
        return self.output(variables).squeeze(1)


def load(folder):
    graph = load_file(f"{folder}/graph.safetensors")
    ends = graph.pop("edge_variables"), graph.pop("edge_rows")
    graph["to_rows"] = torch.stack(ends)
    graph["to_variables"] = torch.stack(ends[::-1])
    network = Network(*(graph[name].shape[1] for name in ("variables", "rows", "edges")))
    network.load_state_dict(load_file(f"{folder}/weights.safetensors"))  # strict: names and shapes
    return graph, network


def step(graph, network):
    network.zero_grad(set_to_none=True)
    loss = nn.functional.binary_cross_entropy_with_logits(
        network(graph), graph["targets"], weight=graph["weights"], reduction="sum")
    loss.backward()


def gradients(graph, network):
    step(graph, network)
    return {name: parameter.grad.double() for name, parameter in network.named_parameters()}


def apart(truth, other):
    """The distance of two gradients: as a whole, and of the worst tensor, each by its norm."""
    squares = {name: ((truth[name] - other[name]).square().sum().item(),
                      truth[name].square().sum().item()) for name in truth}
    whole = math.sqrt(sum(d for d, _ in squares.values()) / sum(n for _, n in squares.values()))
    worst = max(squares, key=lambda name: squares[name][0] / max(squares[name][1], 1e-24))
    distance, norm = squares[worst]
    return {"whole": whole, "worst": math.sqrt(distance / max(norm, 1e-24)), "tensor": worst}


def check(folder):
    graph, network = load(folder)
    ours = load_file(f"{folder}/ours.safetensors")
    with torch.no_grad():
        logits = network(graph)
    scores = (torch.sigmoid(logits) - torch.sigmoid(ours["logits"])).abs().max().item()
    theirs = gradients(graph, network)
    result = {"scores": scores, "gradients": apart(theirs, ours)}
    if len(graph["edges"]) < 50_000:
        # Where memory allows, both against the peer in double precision.
        wide = {name: tensor.double() if tensor.is_floating_point() else tensor
                for name, tensor in graph.items()}
        truth = gradients(wide, network.double())
        result["ours_to_double"] = apart(truth, ours)
        result["theirs_to_double"] = apart(truth, theirs)
    return result


def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def best(seconds, work):
    """The best time by the clock, and the mean by the processors' count."""
    begin, used, times = time.perf_counter(), time.process_time(), []
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times), (time.process_time() - used) / len(times)


def measure(folder, seconds):
    graph, network = load(folder)
    # Threads and libraries are started before anything is counted.
    (torch.ones(512, 512) @ torch.ones(512, 512)).sum()
    before = memory("VmRSS")

    def forward():
        with torch.no_grad():
            network(graph)

    forward()
    forward_memory = memory("VmHWM") - before
    forward_time, forward_cpu = best(seconds, forward)
    step(graph, network)
    step_time, step_cpu = best(seconds, lambda: step(graph, network))
    return {"forward": forward_time, "step": step_time,
            "forward_cpu": forward_cpu, "step_cpu": step_cpu,
            "forward_memory": forward_memory, "step_memory": memory("VmHWM") - before}


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("GATV2_THREADS", "2")))
    if sys.argv[1] == "check":
        print(json.dumps(check(sys.argv[2])))
    else:
        print(json.dumps(measure(sys.argv[2], float(sys.argv[3]))))
