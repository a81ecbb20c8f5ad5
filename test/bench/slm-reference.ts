/**
 * The trained fixture through the real loading and conversion, against PyTorch's logits, and how well it foretells
 * Solidity with and without its adapter. The library of this version gives probabilities only, so that what is compared
 * are log probabilities: the logits up to a constant.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Library, type LibraryContext, openBackend } from '../../src/mochi/engine/llama/backend.ts';
import { readBaseShape } from '../../src/mochi/engine/peft/base-shape.ts';
import { prepareAdapter } from '../../src/mochi/engine/peft/prepare-adapter.ts';

interface Reference {
  readonly prompt_token_ids: readonly number[];
  readonly logits_base: readonly number[];
  readonly logits_with_adapter: readonly number[];
}

/** What of the library only this benchmark uses. */
interface Controlled {
  controlledEvaluate(
    input: readonly (readonly [number, { generateNext: { probabilities: true } }])[],
  ): Promise<({ next: { probabilities: Map<number, number> } } | undefined)[]>;
}

/** Written for this benchmark, so that nobody was trained on it. */
const SOLIDITY = `pragma solidity ^0.8.20;

contract RentDeposit {
    address public immutable landlord;
    mapping(address => uint256) public deposits;

    event Deposited(address indexed tenant, uint256 amount);
    error NothingToReturn();

    constructor(address owner) {
        landlord = owner;
    }

    modifier onlyLandlord() {
        require(msg.sender == landlord, "not the landlord");
        _;
    }

    function deposit() external payable {
        deposits[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    function giveBack(address tenant, uint256 amount) public onlyLandlord returns (bool) {
        uint256 held = deposits[tenant];
        if (held < amount) revert NothingToReturn();
        deposits[tenant] = held - amount;
        (bool success, ) = payable(tenant).call{value: amount}("");
        require(success, "transfer failed");
        return success;
    }
}
`;

export async function measureReference(backend: string, fixture: string, print: Print): Promise<void> {
  const reference: Reference = JSON.parse(readFileSync(join(fixture, 'reference-logits.json'), 'utf8'));
  const library: Library = await openBackend(backend);
  const llama = await library.getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: 1,
    logLevel: 'error',
    logger: (_, message) => process.stderr.write(message),
  });
  const modelPath = join(fixture, 'base-f16.gguf');
  const model = await llama.loadModel({
    ...{ modelPath, gpuLayers: 0, useMmap: false, ignoreMemorySafetyChecks: true },
    onLoadProgress: () => {},
  });
  const cacheFolder = mkdtempSync(join(tmpdir(), 'mochi-slm-'));
  try {
    const base = await readBaseShape(modelPath);
    const { file } = await prepareAdapter(join(fixture, 'adapter'), {
      ...{ cacheFolder, base, signal: new AbortController().signal },
    });
    const options = { contextSize: 512, sequences: 1, batchSize: 64, threads: 1 };
    const plain = await model.createContext(options);
    const adapted = await model.createContext({ ...options, lora: { adapters: [{ filePath: file, scale: 1 }] } });
    const solidity = model.tokenize(SOLIDITY, false).slice(0, 500);
    for (const [name, context, logits] of [
      ['base', plain, reference.logits_base],
      ['base + adapter', adapted, reference.logits_with_adapter],
    ] as const) {
      const given = await chances(context, reference.prompt_token_ids);
      print(
        `largest difference of a log probability to PyTorch, ${name}`,
        difference(given.at(-1), logits).toExponential(1),
      );
      print(
        `nats a token on the reference prompt (199 tokens), ${name}`,
        loss(given, reference.prompt_token_ids).toFixed(2),
      );
      const found = loss(await chances(context, solidity), solidity);
      print(`nats a token on a contract written for this (${solidity.length} tokens), ${name}`, found.toFixed(2));
    }
  } finally {
    await model.dispose();
    rmSync(cacheFolder, { recursive: true, force: true });
  }
}

export type Print = (name: string, value: string) => void;

/** After each token, the chance of every token to be the next. */
async function chances(context: LibraryContext, tokens: readonly number[]): Promise<readonly Map<number, number>[]> {
  const sequence = context.getSequence() as unknown as Controlled & {
    clearHistory(): Promise<void>;
    dispose(): unknown;
  };
  try {
    const asked = tokens.map((token) => [token, { generateNext: { probabilities: true } }] as const);
    const found = await sequence.controlledEvaluate(asked);
    return found.map((one) => one?.next.probabilities ?? new Map());
  } finally {
    await sequence.clearHistory();
    await sequence.dispose();
  }
}

function difference(given: ReadonlyMap<number, number> | undefined, logits: readonly number[]): number {
  const most = Math.max(...logits);
  const total = most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
  return Math.max(
    ...logits.map((logit, token) => {
      const chance = given?.get(token) ?? 0;
      // Chances that single precision cannot hold say nothing.
      return chance > 1e-30 ? Math.abs(Math.log(chance) - (logit - total)) : 0;
    }),
  );
}

function loss(given: readonly ReadonlyMap<number, number>[], tokens: readonly number[]): number {
  const next = tokens.slice(1);
  const sum = next.reduce((total, token, at) => total - Math.log(Math.max(given[at]?.get(token) ?? 0, 1e-12)), 0);
  return sum / next.length;
}
