/** Terms of what is asked and of what is said: English as ever, Japanese and Chinese without spaces, and both mixed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { englishFor } from '../../../../src/mochi/engine/glossary.ts';
import { termsOfIdentifier, termsOfText } from '../../../../src/mochi/engine/terms.ts';
import { LearnedWorkspace } from '../../../../src/mochi/learn/workspace.ts';

describe('the terms of a text', () => {
  it.each([
    ['parses parsedFile', ['pars', 'pars', 'fil', 'parsedfile']],
    ['loadConfigはどこですか', ['load', 'config', 'loadconfig']],
    ['src/config.tsを読む', ['src', 'config', 'ts', '読']],
    ['注文を検証する', ['注文', '検証']],
    ['設定ファイル', ['設定', 'ファ', 'ァイ', 'イル']],
    ['验证订单', ['验证', '证订', '订单']],
    ['在loadConfig中加载', ['在', 'load', 'config', 'loadconfig', '中加', '加载']],
    ['どこですか', []],
  ])('%j are %j', (text, terms) => expect(termsOfText(text)).toEqual(terms));

  it('are found in identifiers, too', () => expect(termsOfIdentifier('注文Total')).toEqual(['注文', 'total']));
});

describe('the English words for a question', () => {
  it.each([
    ['設定ファイルを読み込むのはどこ？', ['config', 'setting', 'option', 'file', 'read', 'load']],
    ['在哪里验证令牌？', ['check', 'validate', 'token']],
    ['where is it?', []],
  ])('%j are %j', (question, words) => expect(englishFor(question)).toEqual(words));
});

describe('a question in Japanese or Chinese', () => {
  let root = '';
  let workspace: LearnedWorkspace;
  const files = {
    'config.ts':
      '/** Reads the settings of a project. */\nexport function loadConfig(path: string) {\n  return path;\n}\n',
    'order.ts':
      '/** 注文の合計を消費税込みで計算します。 */\nexport function sumUp(lines: number[]) {\n  return lines.length;\n}\n',
    'stock.ts':
      '/** 检查仓库中的库存数量。 */\nexport function inspect(shelf: number[]) {\n  return shelf.length;\n}\n',
    'log.ts': '/** Writes a line to the log. */\nexport function writeLine(line: string) {\n  return line;\n}\n',
  };
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'mochi-terms-'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    workspace = new LearnedWorkspace({ root });
    await workspace.learn(new AbortController().signal);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const ask = (instruction: string) =>
    workspace.engine.answer({ instruction, maxTokens: 100 }, new AbortController().signal);

  it.each([
    ['loadConfigはどこで定義されていますか？', 'config.ts'],
    ['loadConfig在哪里定义？', 'config.ts'],
    ['設定を読み込む関数はどれですか', 'config.ts'],
    ['在哪里读取配置？', 'config.ts'],
    ['order.tsは何をしますか', 'order.ts'],
    ['消費税の計算', 'order.ts'],
    ['库存数量在哪里检查？', 'stock.ts'],
    ['ログに書き込む', 'log.ts'],
  ])('%s', async (question, file) => expect((await ask(question)).passages[0]?.file).toBe(file));

  it.each([
    ['xyzzyqとは', /名前、ファイル名、または英語の言葉/],
    ['什么是qqqzz', /请用代码或注释中的名称/],
    ['what is qqqzz', /Ask with a name/],
  ])('that finds nothing is told what to do: %s', async (question, words) => {
    const { response, passages } = await ask(question);
    expect(passages).toEqual([]);
    expect(response).toMatch(words);
  });
});
