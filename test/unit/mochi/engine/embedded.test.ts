import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LearnedWorkspace } from '../../../../src/mochi/learn/workspace.ts';

const never = new AbortController().signal;
const nouns = ['Order', 'Invoice', 'Customer', 'Payment', 'Shipment', 'Refund', 'Basket', 'Coupon'];
const files = new Map(
  nouns.map((noun) => {
    const name = noun.toLowerCase();
    return [
      `src/${name}.ts`,
      `import { readFile } from 'node:fs/promises';\nimport { logger } from './logger.ts';\n\n/** Loads one ${name} from a file and checks it. */\nexport async function load${noun}(path: string): Promise<${noun}> {\n  try {\n    const text = await readFile(path, 'utf8');\n    return parse${noun}(JSON.parse(text));\n  } catch (error) {\n    logger.error('cannot load', error);\n    throw error;\n  }\n}\n`,
    ] as const;
  }),
);

let root = '';
let workspace: LearnedWorkspace;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'mochi-embedded-'));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  workspace = new LearnedWorkspace({ root });
  await workspace.learn(never);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const head = "import { readFile } from 'node:fs/promises';\nimport { logger } from './logger.ts';\n\n";
const open = `${head}export async function loadTicket(path: string): Promise<Ticket> {\n  try {\n    const text = `;

describe('completion', () => {
  it.each([
    ['the rest of a line', open, "await readFile(path, 'utf8');"],
    ['half a word', `${open}await readF`, "ile(path, 'utf8');"],
    ['half a string', `${head.slice(0, 34)}`, 'promises'],
    ['what follows a block', `${open}await readFile(path, 'utf8');\n    return text;\n  } `, 'catch (error) {'],
  ])('writes %s', async (_, prefix, wanted) => {
    const { completion, alternatives } = await workspace.engine.complete(
      { prefix, path: 'src/ticket.ts', maxAlternatives: 3 },
      never,
    );
    expect([completion, ...alternatives].some((text) => text.startsWith(wanted))).toBe(true);
  });

  it('ends where what follows on the line begins', async () => {
    const request = { prefix: `${open}await readFile(path`, suffix: ');\n', path: 'src/ticket.ts', maxAlternatives: 0 };
    expect((await workspace.engine.complete(request, never)).completion).toBe(", 'utf8'");
  });

  it('says how sure it is, gives the alternatives asked for, and none twice', async () => {
    for (const maxAlternatives of [0, 1, 3]) {
      const { completion, alternatives, confidence } = await workspace.engine.complete(
        { prefix: `${head}export `, maxAlternatives },
        never,
      );
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(alternatives.length).toBeLessThanOrEqual(maxAlternatives);
      expect(new Set([completion, ...alternatives]).size).toBe(alternatives.length + 1);
    }
  });

  it.each([
    ['the rest of a line', open, undefined],
    ['half a word', `${open}await readF`, undefined],
    ['before what follows', `${open}await readFile(path`, ');\n'],
    ['several lines', `${head}export async function loadTicket(path: string): Promise<Ticket> {`, undefined],
  ])('says where it may be cut: %s', async (_, prefix, suffix) => {
    const { completion, confidence, steps } = await workspace.engine.complete(
      { prefix, path: 'src/ticket.ts', maxAlternatives: 0, ...(suffix === undefined ? {} : { suffix }) },
      never,
    );
    expect(completion).not.toBe('');
    let before = { end: 0, confidence: 1 };
    for (const step of steps ?? []) {
      expect(step.end).toBeGreaterThan(before.end);
      expect(step.confidence).toBeLessThanOrEqual(before.confidence);
      expect(completion.slice(0, step.end).trimEnd().length).toBe(step.end);
      before = step;
    }
    expect(before.end).toBe(completion.length);
    expect(before.confidence).toBeGreaterThanOrEqual(confidence);
  });

  it('cuts at ends of lines as well where it writes several', async () => {
    const text = `${open}await readFile(path, 'utf8');\n    return parseTicket(JSON.parse(text));\n  } catch (error) {\n    logger.error('cannot load', error);\n    throw error;\n  }\n}\n`;
    let several = 0;
    for (const { index } of text.matchAll(/\W/g)) {
      const request = { prefix: text.slice(0, index), path: 'src/ticket.ts', maxAlternatives: 0 };
      const { completion, steps } = await workspace.engine.complete(request, never);
      const ends = new Set(steps?.map(({ end }) => end));
      const lines = completion.split('\n');
      if (lines.length > 1) several += 1;
      let end = -1;
      for (const line of completion === '' ? [] : lines) {
        end += 1 + line.length;
        expect(ends.has(end)).toBe(true);
      }
    }
    expect(several).toBeGreaterThan(0);
  });

  it('writes members that a language server offers, and none that it does not', async () => {
    const request = { prefix: `${open}'';\n    logger.`, path: 'src/ticket.ts', maxAlternatives: 3 };
    const facts = ['warn(message: string): void', 'trace', '(method) Logger.info(message: string): void'];
    const plain = await workspace.engine.complete(request, never);
    expect(plain.completion.startsWith('error')).toBe(true);
    const told = await workspace.engine.complete({ ...request, facts }, never);
    expect(told.completion.startsWith('warn')).toBe(true);
    expect(told.alternatives[0]?.startsWith('error')).toBe(false);
    const confirmed = await workspace.engine.complete({ ...request, facts: [...facts, 'error'] }, never);
    expect(confirmed.completion.startsWith('error')).toBe(true);
    const begun = await workspace.engine.complete({ ...request, prefix: `${request.prefix}tr`, facts }, never);
    expect(begun.completion.startsWith('ace')).toBe(true);
  });

  it('gives the same answer to the same question, and learns nothing from being asked', async () => {
    const size = workspace.memory?.vocabulary.size;
    const request = { prefix: `${open}await freshlyTypedName(`, path: 'src/ticket.ts', maxAlternatives: 3 };
    expect(await workspace.engine.complete(request, never)).toEqual(await workspace.engine.complete(request, never));
    expect(workspace.memory?.vocabulary.size).toBe(size);
  });

  it.each([
    '',
    '\n',
    '// a comment ',
    '/* more\n * of ',
    '"',
    '`${',
    '\u0000',
    '}}}}',
    'é',
    'a'.repeat(100_000),
    '(\n'.repeat(20_000),
  ])('answers something to any text', async (prefix) => {
    const { completion } = await workspace.engine.complete(
      { prefix, suffix: prefix, language: 'typescript', maxAlternatives: 3 },
      never,
    );
    expect(typeof completion).toBe('string');
  });

  it('is silent in comments', async () => {
    const { completion } = await workspace.engine.complete(
      { prefix: `${open}\n // await `, path: 'a.ts', maxAlternatives: 0 },
      never,
    );
    expect(completion).toBe('');
  });
});

describe('answers', () => {
  it('quote the declaration asked for, with its place, and say that they quote', async () => {
    const answer = await workspace.engine.answer(
      { instruction: 'Which function loads an invoice?', maxTokens: 200 },
      never,
    );
    expect(answer.passages[0]).toMatchObject({ file: 'src/invoice.ts', line: 5, endLine: 13 });
    expect(answer.passages[0]?.text.startsWith('export async function loadInvoice')).toBe(true);
    expect(answer.response).toContain('not generated');
    expect(answer.response).toContain('src/invoice.ts:5');
    expect(answer.confidence).toBeGreaterThan(0);
    expect(answer.confidence).toBeLessThan(1);
  });

  it('keep to the length asked for', async () => {
    const { tokensGenerated, response } = await workspace.engine.answer(
      { instruction: 'load coupon', maxTokens: 7 },
      never,
    );
    expect(tokensGenerated).toBeLessThanOrEqual(7);
    expect(response.split(/\s+/).length).toBeLessThanOrEqual(7);
  });

  it('begin with the place where there is no room for more, and say that they quote where there is', async () => {
    const instruction = 'Which function loads an invoice?';
    for (const maxTokens of [1, 20]) {
      const { response } = await workspace.engine.answer({ instruction, maxTokens }, never);
      expect(response).toMatch(/^src\/invoice\.ts:5/);
    }
    const { response } = await workspace.engine.answer({ instruction, maxTokens: 60 }, never);
    expect(response).toMatch(/^Quoted from the learned code, not generated:\n\nsrc\/invoice\.ts:5 [\s\S]*\n\}/);
  });

  it('say so when nothing fits', async () => {
    const answer = await workspace.engine.answer({ instruction: 'zyxwv', maxTokens: 50 }, never);
    expect(answer).toMatchObject({ confidence: 0, passages: [], tokensGenerated: 0 });
  });

  it('follow a file that changed', async () => {
    const path = 'src/fresh.ts';
    writeFileSync(join(root, path), '/** Weighs a parcel. */\nexport function weighParcel() {\n  return 1;\n}\n');
    expect(await workspace.relearn(path)).toBe(true);
    const asked = { instruction: 'weigh a parcel', maxTokens: 50 };
    expect((await workspace.engine.answer(asked, never)).passages[0]?.file).toBe(path);
    rmSync(join(root, path));
    expect(await workspace.relearn(path)).toBe(true);
    expect((await workspace.engine.answer(asked, never)).passages.map(({ file }) => file)).not.toContain(path);
  });
});

describe('suggestions', () => {
  it('are patterns of this code, with their counts and real places', async () => {
    const [first] = await workspace.engine.suggest({ goal: 'handle errors' }, never);
    expect(first?.name).toBe('error-handling-typescript');
    expect(first?.description).toContain('throws again: 100 % of 8 cases');
    expect(first?.example).toContain('src/basket.ts:9');
  });

  it('are a declaration where its name and comment say the goal better than any pattern', async () => {
    const [first] = await workspace.engine.suggest({ goal: 'loads an invoice from a file' }, never);
    expect(first?.name).toBe('example-loadInvoice');
    expect(first?.example).toContain('src/invoice.ts:5\nexport async function loadInvoice');
  });

  it('are none for a goal that nothing here serves', async () => {
    const goal = 'purple elephants dance on the path of seven silver moons';
    expect(await workspace.engine.suggest({ goal }, never)).toEqual([]);
  });
});

describe('an engine', () => {
  it('is empty and answers emptily before anything is learned', async () => {
    const { engine } = new LearnedWorkspace({ root });
    expect(engine.state).toBe('empty');
    expect((await engine.complete({ prefix: 'a', maxAlternatives: 3 }, never)).completion).toBe('');
    expect((await engine.answer({ instruction: 'a', maxTokens: 9 }, never)).passages).toEqual([]);
    expect(await engine.suggest({ goal: 'a' }, never)).toEqual([]);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const signal = AbortSignal.abort(new Error('late'));
    const { engine } = workspace;
    await expect(engine.complete({ prefix: 'a', maxAlternatives: 0 }, signal)).rejects.toThrow('late');
    await expect(engine.answer({ instruction: 'a', maxTokens: 9 }, signal)).rejects.toThrow('late');
    await expect(engine.suggest({ goal: 'a' }, signal)).rejects.toThrow('late');
  });
});

describe('completion in a small workspace', () => {
  it('writes members of the declared type behind a name, not what else stood behind a dot', async () => {
    const small = mkdtempSync(join(tmpdir(), 'mochi-small-'));
    try {
      const put = (path: string, text: string): void => writeFileSync(join(small, path), text);
      put('order.py', 'from .people import Buyer\n\n\nclass Order:\n    number: str\n    buyer: Buyer\n');
      put('people.py', 'class Buyer:\n    points: int\n');
      put(
        'mail.py',
        'from .order import Order\nfrom .people import Buyer\n\n\ndef send(order: Order) -> None:\n    pass\n',
      );
      put('shop.py', 'from .order import Order\nfrom .people import Buyer\nfrom .mail import send\n');
      const learned = new LearnedWorkspace({ root: small });
      await learned.learn(never);
      const prefix = 'from .order import Order\n\n\ndef pack(order: Order) -> None:\n    order.';
      const { completion } = await learned.engine.complete({ prefix, path: 'pack.py', maxAlternatives: 0 }, never);
      expect(completion).toMatch(/^(number|buyer)\b/);
    } finally {
      rmSync(small, { recursive: true, force: true });
    }
  });
});
