#!/usr/bin/env python3
"""The largest difference of a weight between the networks of two models: weights_apart.py A.safetensors B.safetensors."""

import json
import struct
import sys


def weights(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    for name in sorted(header):
        if name.startswith("gnn.") and header[name]["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in header[name]["data_offsets"])
            yield from struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])


print(max(abs(a - b) for a, b in zip(weights(sys.argv[1]), weights(sys.argv[2]), strict=True)))
