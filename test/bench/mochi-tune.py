"""Trains the ranker on the examples of `mochi-examples.ts` and writes its weights to `.bench/weights.bin`:
`python3 test/bench/mochi-tune.py`. Then `node test/bench/mochi-weights.ts` writes them into the product.

The network is the one of `src/mochi/engine/ranker.ts`; numbers are 32-bit floats in the order of its weights. Needs numpy
and PyTorch (Debian: `python3-torch`), some 15 minutes on two cores, and room for the examples in memory or page cache.
"""
import json
import math
import time
from pathlib import Path

import numpy as np
import torch

FOLDER = Path(__file__).resolve().parents[2] / ".bench"
SHAPE = json.loads((FOLDER / "examples.json").read_text())
ROWS, WIDTH, SHARED, TRAITS = SHAPE["rows"], SHAPE["width"], SHAPE["shared"], SHAPE["traits"]
TABLE, GATES, HIDDEN = SHAPE["table"], SHAPE["gates"], SHAPE["hidden"]
HEAD = 8 + SHARED
SIZE = HEAD + ROWS * WIDTH + ROWS * TRAITS * 2

EPOCHS = 2
BATCH = 256
RATE = 0.01
# Traits are rare: what adapts to the size of the last slopes would throw them about, so they have a rate of their own.
TRAIT_RATE = 0.06
KEPT_ASIDE = 8000


def read_examples():
    parts = []
    for path in sorted(FOLDER.glob("examples.[0-9]")):
        data = np.memmap(path, dtype=np.uint8, mode="r")
        parts.append(data[: len(data) // SIZE * SIZE].reshape(-1, SIZE))
    return parts


class Examples:
    def __init__(self):
        self.parts = read_examples()
        self.ends = np.cumsum([0] + [len(part) for part in self.parts])

    def __len__(self):
        return int(self.ends[-1])

    def batch(self, places):
        places = np.sort(places)
        found = [
            part[places[(places >= start) & (places < start + len(part))] - start]
            for part, start in zip(self.parts, self.ends)
        ]
        raw = np.concatenate(found)
        rows = np.ascontiguousarray(raw[:, HEAD : HEAD + ROWS * WIDTH]).reshape(-1, ROWS, WIDTH)
        traits = np.ascontiguousarray(raw[:, HEAD + ROWS * WIDTH :]).view(np.uint16).reshape(-1, ROWS, TRAITS)
        return {
            "count": torch.from_numpy(raw[:, 0].astype(np.int64)),
            "truth": torch.from_numpy(raw[:, 1].astype(np.int64)),
            "gate": torch.from_numpy(raw[:, 2].astype(np.int64)),
            "abroad": raw[:, 3] == 1,
            "shared": torch.from_numpy(raw[:, 8:HEAD].astype(np.float32)) / SHAPE["sharedScale"],
            "rows": torch.from_numpy(rows.astype(np.float32)) / SHAPE["rowScale"],
            "traits": torch.from_numpy(traits.astype(np.int64)),
        }


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def small(*shape):
            return torch.nn.Parameter((torch.rand(*shape) - 0.5) * 0.25)

        self.shared, self.own = small(SHARED, HIDDEN), small(WIDTH, HIDDEN)
        self.direct, self.out = small(WIDTH), small(HIDDEN)
        self.gates = torch.nn.Parameter(torch.zeros(GATES, WIDTH))
        self.traits = torch.nn.EmbeddingBag(TABLE, 1, mode="sum", sparse=True)
        torch.nn.init.zeros_(self.traits.weight)

    def forward(self, batch):
        rows = batch["rows"]
        size = len(rows)
        own = (rows.reshape(-1, WIDTH) @ self.own).reshape(size, ROWS, HIDDEN)
        active = torch.nn.functional.leaky_relu(own + (batch["shared"] @ self.shared)[:, None, :], 0.01)
        direct = self.direct[None, :] + self.gates[batch["gate"]]
        score = active @ self.out + torch.bmm(rows, direct[:, :, None])[:, :, 0]
        traits = self.traits(batch["traits"].reshape(size * ROWS, TRAITS)).reshape(size, ROWS)
        places = torch.arange(ROWS)
        # The first row is "none of these", which has no syntax.
        score = score + traits * (places > 0)
        return score.masked_fill(places[None, :] >= batch["count"][:, None], -1e9)

    def flat(self):
        parts = [self.shared, self.own, self.direct, self.out, self.gates, self.traits.weight]
        return np.concatenate([part.detach().numpy().reshape(-1) for part in parts]).astype(np.float32)


def judge(ranker, batches):
    sums = {False: np.zeros(3), True: np.zeros(3)}
    with torch.no_grad():
        for batch in batches:
            score, truth = ranker(batch), batch["truth"]
            every = torch.arange(len(truth))
            loss = -torch.log_softmax(score, 1)[every, truth].numpy()
            own = score[every, truth]
            score[:, 0] = -1e9
            rank = (score > own[:, None]).sum(1).numpy() + 1
            right = np.where((truth.numpy() > 0) & (rank <= 10), 1 / rank, 0)
            for abroad in sums:
                chosen = batch["abroad"] == abroad
                sums[abroad] += [loss[chosen].sum(), right[chosen].sum(), chosen.sum()]
    return ", ".join(
        f"{name} loss {sums[abroad][0] / sums[abroad][2]:.4f} MRR@10 {sums[abroad][1] / sums[abroad][2]:.4f}"
        for name, abroad in (("at home", False), ("abroad", True))
    )


def main():
    examples = Examples()
    chance = np.random.default_rng(1)
    torch.manual_seed(1)
    places = chance.permutation(len(examples))
    aside, places = places[:KEPT_ASIDE], places[KEPT_ASIDE:]
    judged = [examples.batch(aside[at : at + 500]) for at in range(0, KEPT_ASIDE, 500)]
    ranker = Ranker()
    dense = torch.optim.Adam([part for name, part in ranker.named_parameters() if "traits" not in name], lr=RATE)
    sparse = torch.optim.Adagrad([ranker.traits.weight], lr=TRAIT_RATE, eps=1e-3)
    steps = int(EPOCHS * len(places) / BATCH)
    print(f"{len(places)} examples, {steps} steps", flush=True)
    started, losses, at = time.time(), [], 0
    for step in range(steps):
        if at + BATCH > len(places):
            places, at = chance.permutation(places), 0
        batch = examples.batch(places[at : at + BATCH])
        at += BATCH
        share = min(1, (step + 1) / 100) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        dense.param_groups[0]["lr"] = RATE * share
        sparse.param_groups[0]["lr"] = TRAIT_RATE * (0.1 + 0.9 * share)
        loss = torch.nn.functional.cross_entropy(ranker(batch), batch["truth"])
        dense.zero_grad(set_to_none=True)
        sparse.zero_grad(set_to_none=True)
        loss.backward()
        dense.step()
        sparse.step()
        losses.append(float(loss))
        if len(losses) == 500 or step == steps - 1:
            seconds = time.time() - started
            print(f"{step + 1} in {seconds:.0f} s: loss {np.mean(losses):.4f}; aside: {judge(ranker, judged)}", flush=True)
            losses = []
            ranker.flat().tofile(FOLDER / "weights.bin")


if __name__ == "__main__":
    main()
