"""Trains a LoRA on a small qwen2 GGUF model with PyTorch alone and saves it as PEFT does; called by slm-train.ts.

Usage: slm-train.py BASE.gguf TOKENS.json OUTPUT_FOLDER SECONDS. TOKENS.json holds lists of token ids.
"""
import json
import math
import os
import random
import struct
import sys
import time

import numpy
import torch
from torch.nn import functional

RANK, ALPHA, LENGTH, BATCH = 8, 16, 256, 8
MODULES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def read_gguf(path):
    """The values and the tensors (f32 or f16) of a small GGUF file."""
    data = open(path, "rb").read()
    at = 8

    def take(form):
        nonlocal at
        (value,) = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        length = take("Q")
        at += length
        return data[at - length : at].decode("utf-8", "replace")

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            inner = take("I")
            return [value(inner) for _ in range(take("Q"))]
        return take("BbHhIif?__Qqd"[kind])

    tensor_count, value_count = take("Q"), take("Q")
    values = {}
    for _ in range(value_count):
        key = text()
        values[key] = value(take("I"))
    infos = []
    for _ in range(tensor_count):
        name = text()
        sizes = [take("Q") for _ in range(take("I"))]
        infos.append((name, sizes, take("I"), take("Q")))
    start = (at + 31) // 32 * 32
    tensors = {}
    for name, sizes, kind, offset in infos:
        form = {0: numpy.float32, 1: numpy.float16}[kind]
        array = numpy.frombuffer(data, form, int(numpy.prod(sizes)), start + offset)
        tensors[name] = torch.from_numpy(array.astype(numpy.float32).reshape(sizes[::-1]))
    return values, tensors


class Model:
    """Just enough of qwen2 to compute a loss, with a LoRA on every linear layer."""

    def __init__(self, path):
        values, self.weights = read_gguf(path)
        own = {key.split(".", 1)[1]: one for key, one in values.items() if key.startswith("qwen2.")}
        self.layers, self.heads = own["block_count"], own["attention.head_count"]
        self.key_heads, self.eps = own["attention.head_count_kv"], own["attention.layer_norm_rms_epsilon"]
        size = own["embedding_length"] // self.heads
        angles = torch.arange(LENGTH).float()[:, None] / own["rope.freq_base"] ** (torch.arange(0, size, 2) / size)
        self.cos, self.sin = torch.cos(angles), torch.sin(angles)
        self.end = values["tokenizer.ggml.eos_token_id"]
        self.lora = {}
        for layer in range(self.layers):
            for module, name in MODULES.items():
                rows, columns = self.weights[f"blk.{layer}.{name}.weight"].shape
                a = torch.empty(RANK, columns).uniform_(-1, 1) / math.sqrt(columns)
                self.lora[f"{layer}.{module}"] = (a.requires_grad_(), torch.zeros(rows, RANK, requires_grad=True))

    def linear(self, x, layer, module):
        name = f"blk.{layer}.{MODULES[module]}"
        a, b = self.lora[f"{layer}.{module}"]
        plain = functional.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))
        return plain + (x @ a.T @ b.T) * (ALPHA / RANK)

    def norm(self, x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weights[name]

    def turn(self, x):
        length = x.shape[2]
        one, two = x.chunk(2, -1)
        cos, sin = self.cos[:length], self.sin[:length]
        return torch.cat((one * cos - two * sin, two * cos + one * sin), -1)

    def loss(self, tokens, targets):
        batch, length = tokens.shape
        x = self.weights["token_embd.weight"][tokens]
        hidden = torch.full((length, length), float("-inf")).triu(1)
        for layer in range(self.layers):
            y = self.norm(x, f"blk.{layer}.attn_norm.weight")
            split = lambda z, heads: z.view(batch, length, heads, -1).transpose(1, 2)
            q = self.turn(split(self.linear(y, layer, "self_attn.q_proj"), self.heads))
            k = self.turn(split(self.linear(y, layer, "self_attn.k_proj"), self.key_heads))
            v = split(self.linear(y, layer, "self_attn.v_proj"), self.key_heads)
            k, v = (z.repeat_interleave(self.heads // self.key_heads, 1) for z in (k, v))
            seen = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + hidden, -1) @ v
            x = x + self.linear(seen.transpose(1, 2).reshape(batch, length, -1), layer, "self_attn.o_proj")
            y = self.norm(x, f"blk.{layer}.ffn_norm.weight")
            gate = functional.silu(self.linear(y, layer, "mlp.gate_proj"))
            x = x + self.linear(gate * self.linear(y, layer, "mlp.up_proj"), layer, "mlp.down_proj")
        output = self.weights.get("output.weight", self.weights["token_embd.weight"])
        logits = self.norm(x, "output_norm.weight") @ output.T
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def save(model, folder):
    os.makedirs(folder, exist_ok=True)
    header, parts, at = {}, [], 0
    for name, pair in model.lora.items():
        for side, matrix in zip("AB", pair):
            data = matrix.detach().numpy().astype("<f4").tobytes()
            key = f"base_model.model.model.layers.{name}.lora_{side}.weight"
            header[key] = {"dtype": "F32", "shape": list(matrix.shape), "data_offsets": [at, at + len(data)]}
            at += len(data)
            parts.append(data)
    text = json.dumps(header).encode()
    with open(os.path.join(folder, "adapter_model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": RANK,
        "lora_alpha": ALPHA,
        "bias": "none",
        "target_modules": [module.split(".")[1] for module in MODULES],
    }
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump(config, file)


def main():
    base, token_file, folder, seconds = sys.argv[1:5]
    torch.manual_seed(1)
    random.seed(1)
    torch.set_num_threads(1)
    model = Model(base)
    with open(token_file) as file:
        samples = [sample + [model.end] for sample in json.load(file)]
    parameters = [matrix for pair in model.lora.values() for matrix in pair]
    optimizer = torch.optim.AdamW(parameters, lr=2e-3, weight_decay=0.0)
    started, steps, seen, recent = time.time(), 0, 0, 0.0
    while time.time() - started < float(seconds):
        batch = [sample[: LENGTH + 1] for sample in random.sample(samples, BATCH)]
        longest = max(len(sample) for sample in batch) - 1
        tokens = torch.tensor([sample[:-1] + [model.end] * (longest + 1 - len(sample)) for sample in batch])
        targets = torch.tensor([sample[1:] + [-1] * (longest + 1 - len(sample)) for sample in batch])
        loss = model.loss(tokens, targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        steps, seen = steps + 1, seen + int((targets >= 0).sum())
        recent = loss.item() if steps == 1 else recent * 0.95 + loss.item() * 0.05
        if steps % 50 == 0:
            print(f"step {steps}, {seen} tokens, loss {recent:.2f}", flush=True)
    save(model, folder)
    print(f"trained {steps} steps on {seen} tokens, loss {recent:.2f}")


main()
