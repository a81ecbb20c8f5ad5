/** Whatever an engine or an index hands over, no tool and no resource shows a secret of it. */
import { describe, expect, it } from 'vitest';
import type { Adapter } from '../../../src/mochi/adapter.ts';
import type { Engine } from '../../../src/mochi/engine/engine.ts';
import type { Finding } from '../../../src/mochi/learn/knowledge.ts';
import { createLimits, createMemoryGuard } from '../../../src/mochi/limits.ts';
import { createResources } from '../../../src/mochi/resources.ts';
import { createToolbox } from '../../../src/mochi/tools/toolbox.ts';
import { createTinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';
import { PLANTED } from '../../support/planted-source.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;
const [password = '', , github = ''] = PLANTED;
const code = `def login(password: str = "${password}"):\n    return "${github}"`;
const shown = 'def login(password: str = "[secret]"):\n    return "[secret]"';
const place = { file: 'a.py', line: 1, code };
const finding: Finding = {
  name: 'login',
  title: 'Login',
  description: 'Logs in.',
  share: 1,
  support: 9,
  counterExamples: 0,
  examples: [place],
};

/** An engine that keeps nothing to itself. */
function careless(completion = ''): Adapter {
  const tiny = createTinyAdapter();
  const { knowledge } = tiny;
  if (knowledge === undefined) throw new Error('nothing learned');
  const engine: Engine = {
    name: 'careless',
    state: 'ready',
    complete: async () => ({
      completion,
      alternatives: [`"${password}"`, 'ask()'],
      confidence: 0.9,
      steps: [
        { end: 5, confidence: 0.95 },
        { end: completion.length, confidence: 0.9 },
      ],
    }),
    answer: async () => ({
      response: code,
      confidence: 1,
      tokensGenerated: 9,
      passages: [{ file: 'a.py', line: 1, endLine: 2, text: code }],
    }),
    suggest: async () => [{ name: 'login', description: code, example: code, relevance: 1 }],
  };
  return {
    engine,
    isLearned: true,
    knowledge: {
      ...knowledge,
      patterns: [finding],
      conventions: [finding],
      examples: [{ ...place, id: 'login-1', title: 'Login' }],
    },
    onDidLearn: tiny.onDidLearn,
  };
}

async function answer(name: string, args: Record<string, unknown>, adapter = careless()) {
  const limits = createLimits({ memory: createMemoryGuard(1_000, () => 0), deadlineMs: 1_000 });
  const outcome = await createToolbox(adapter, limits, quiet).call(name, args, never);
  if (outcome?.kind !== 'answered') throw new Error('it was refused');
  return { ...outcome.structured, text: outcome.text };
}

describe('an engine that hands over secrets', () => {
  it('has none shown in an answer', async () => {
    const found = await answer('domain_query', { instruction: 'login' });
    expect(found).toMatchObject({ response: shown, passages: [{ file: 'a.py', line: 1, end_line: 2, text: shown }] });
    expect(found.text).toContain(shown);
    expect(found.text).not.toContain(password);
  });

  it('has none shown in a pattern', async () => {
    const found = await answer('suggest_pattern', { goal: 'login' });
    expect(found).toMatchObject({ patterns: [{ name: 'login', description: shown, example: shown, relevance: 1 }] });
    expect(found.text).not.toContain(github);
  });

  it('has its completion end before the line with one, and no alternative with one', async () => {
    const completion = `ask()\nkey = "${github}"\n`;
    expect(await answer('complete_code', { prefix: 'password = ' }, careless(completion))).toMatchObject({
      completion: 'ask()',
      alternatives: ['ask()'],
      confidence: 0.9,
      steps: [{ end: 5, confidence: 0.95 }],
      text: 'ask()',
    });
    expect(await answer('complete_code', { prefix: 'password = ' }, careless(`"${password}"`))).toMatchObject({
      completion: '',
      confidence: 0,
      steps: [],
    });
  });
});

describe('an index with secrets', () => {
  it.each(['mochi://patterns/login', 'mochi://conventions/login', 'mochi://examples/login-1'])(
    'has none shown in %s',
    (uri) => {
      expect(createResources(careless()).read(uri)?.text).toContain(shown);
    },
  );
});
