/**
 * How well the trained fixture foretells Solidity, with and without its adapter, on a contract that was written for this
 * benchmark and that nobody was trained on. It is always there, unlike a corpus.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBaseShape } from '../../src/mochi/engine/peft/base-shape.ts';
import { prepareAdapter } from '../../src/mochi/engine/peft/prepare-adapter.ts';
import { lossOf, openBackend } from '../support/token-chances.ts';

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

/** `fixture` is the folder of the trained model and its adapter. */
export async function measureSolidity(fixture: string, print: (name: string, value: string) => void): Promise<void> {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'mochi-slm-'));
  const backend = await openBackend();
  try {
    const file = join(fixture, 'base-f16.gguf');
    const signal = new AbortController().signal;
    const base = await readBaseShape(file);
    const prepared = await prepareAdapter(join(fixture, 'adapter'), { cacheFolder, base, signal });
    const model = await backend.loadModel({ modelPath: file });
    const tokens = model.tokenize(SOLIDITY).slice(0, 500);
    const alone = await lossOf(model, [tokens], undefined);
    const applied = await lossOf(model, [tokens], { filePath: prepared.file, scale: 1 });
    const figures = `${alone.toFixed(2)} → ${applied.toFixed(2)}`;
    print(`nats a token with the adapter, a contract written for this (${tokens.length} tokens)`, figures);
  } finally {
    await backend.dispose();
    rmSync(cacheFolder, { recursive: true, force: true });
  }
}
