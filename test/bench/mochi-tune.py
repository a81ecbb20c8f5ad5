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
GATES, HIDDEN = SHAPE["gates"], SHAPE["hidden"]
HEAD = 8 + SHARED
TABLE_BITS = SHAPE["bits"]

EPOCHS = 1.5
BATCH = 256
RATE = 0.01
# Traits are rare: what adapts to the size of the last slopes would throw them about, so they have a rate of their own.
TRAIT_RATE = 0.06
KEPT_ASIDE = 8000


class Part:
    def __init__(self, number):
        self.heads = np.memmap(FOLDER / f"heads.{number}", dtype=np.uint8, mode="r").reshape(-1, HEAD)
        self.rows = np.memmap(FOLDER / f"rows.{number}", dtype=np.uint8, mode="r").reshape(-1, WIDTH)
        self.traits = np.memmap(FOLDER / f"traits.{number}", dtype=np.uint16, mode="r").reshape(-1, TRAITS)
        self.starts = np.concatenate([[0], np.cumsum(self.heads[:, 0].astype(np.int64))])


class Examples:
    def __init__(self):
        self.parts = [Part(path.suffix[1:]) for path in sorted(FOLDER.glob("heads.[0-9]"))]
        self.ends = np.cumsum([0] + [len(part.heads) for part in self.parts])

    def __len__(self):
        return int(self.ends[-1])

    def batch(self, places):
        """The examples' rows one after the other, and the place of each in a table of examples by candidates."""
        places = np.sort(places)
        heads, rows, traits = [], [], []
        for part, start in zip(self.parts, self.ends):
            own = places[(places >= start) & (places < start + len(part.heads))] - start
            head = part.heads[own]
            at = np.concatenate([np.arange(part.starts[it], part.starts[it + 1]) for it in own] or [np.zeros(0, np.int64)])
            heads.append(head)
            rows.append(part.rows[at])
            traits.append(part.traits[at])
        head = np.concatenate(heads)
        count = head[:, 0].astype(np.int64)
        of = np.repeat(np.arange(len(head)), count)
        place = np.arange(len(of)) - np.repeat(np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        traits = np.concatenate(traits).astype(np.int64) & ((1 << TABLE_BITS) - 1)
        traits += (np.arange(TRAITS) << TABLE_BITS)[None, :]
        return {
            "truth": torch.from_numpy(head[:, 1].astype(np.int64)),
            "gate": torch.from_numpy(head[:, 2].astype(np.int64)),
            "abroad": head[:, 3] == 1,
            "shared": torch.from_numpy(head[:, 8:].astype(np.float32)) / SHAPE["sharedScale"],
            "rows": torch.from_numpy(np.concatenate(rows).astype(np.float32)) / SHAPE["rowScale"],
            "traits": torch.from_numpy(traits),
            "of": torch.from_numpy(of),
            "place": torch.from_numpy(place),
        }


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()

        def small(*shape):
            return torch.nn.Parameter((torch.rand(*shape) - 0.5) * 0.25)

        self.shared, self.own = small(SHARED, HIDDEN), small(WIDTH, HIDDEN)
        self.direct, self.out = small(WIDTH), small(HIDDEN)
        self.gates = torch.nn.Parameter(torch.zeros(GATES, WIDTH))
        self.traits = torch.nn.EmbeddingBag(TRAITS << TABLE_BITS, 1, mode="sum")
        torch.nn.init.zeros_(self.traits.weight)

    def forward(self, batch):
        rows, of, place = batch["rows"], batch["of"], batch["place"]
        own = rows @ self.own + (batch["shared"] @ self.shared)[of]
        active = torch.nn.functional.leaky_relu(own, 0.01)
        gates = self.gates[batch["gate"]][of]
        score = active @ self.out + rows @ self.direct + (rows * gates).sum(1)
        # The first row is "none of these", which has no syntax.
        score = score + self.traits(batch["traits"])[:, 0] * (place > 0)
        table = torch.full((len(batch["truth"]), ROWS), -1e9)
        return table.index_put((of, place), score)

    def flat(self):
        parts = [self.shared, self.own, self.direct, self.out, self.gates, self.traits.weight]
        return np.concatenate([part.detach().numpy().reshape(-1) for part in parts]).astype(np.float32)


def judge(ranker, batches):
    sums = {False: np.zeros(4), True: np.zeros(4)}
    with torch.no_grad():
        for batch in batches:
            score, truth = ranker(batch), batch["truth"]
            every = torch.arange(len(truth))
            loss = -torch.log_softmax(score, 1)[every, truth].numpy()
            own = score[every, truth]
            score[:, 0] = -1e9
            rank = (score > own[:, None]).sum(1).numpy() + 1
            right = np.where((truth.numpy() > 0) & (rank <= 10), 1 / rank, 0)
            first = (truth.numpy() > 0) & (rank == 1)
            for abroad in sums:
                chosen = batch["abroad"] == abroad
                sums[abroad] += [loss[chosen].sum(), right[chosen].sum(), chosen.sum(), first[chosen].sum()]
    return ", ".join(
        f"{name} loss {sums[abroad][0] / sums[abroad][2]:.4f} MRR@10 {sums[abroad][1] / sums[abroad][2]:.4f} first {sums[abroad][3] / sums[abroad][2]:.4f}"
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
    rare = torch.optim.Adagrad([ranker.traits.weight], lr=TRAIT_RATE, eps=1e-3)
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
        rare.param_groups[0]["lr"] = TRAIT_RATE * (0.1 + 0.9 * share)
        loss = torch.nn.functional.cross_entropy(ranker(batch), batch["truth"])
        dense.zero_grad(set_to_none=True)
        rare.zero_grad(set_to_none=True)
        loss.backward()
        dense.step()
        rare.step()
        losses.append(float(loss))
        if len(losses) == 500 or step == steps - 1:
            seconds = time.time() - started
            print(f"{step + 1} in {seconds:.0f} s: loss {np.mean(losses):.4f}; aside: {judge(ranker, judged)}", flush=True)
            losses = []
            ranker.flat().tofile(FOLDER / "weights.bin")


if __name__ == "__main__":
    main()
