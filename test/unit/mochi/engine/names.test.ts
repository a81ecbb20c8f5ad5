import { describe, expect, it } from 'vitest';
import { differenceOf, MadeNames, namesOfPath, stringLike, transferred } from '../../../../src/mochi/engine/names.ts';
import { kinds, Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

describe('the difference between two names', () => {
  it.each([
    ['loadOrder', 'loadUser', { from: 'Order', to: 'User' }],
    ['orderPath', 'invoicePath', { from: 'order', to: 'invoice' }],
    ['MAX_SIZE', 'MIN_SIZE', { from: 'MAX', to: 'MIN' }],
    ['parseHTTPUrl', 'parseFileUrl', { from: 'HTTP', to: 'File' }],
    ['load', 'load', undefined],
    ['load', 'loadAll', undefined],
    ['value1', 'value2', undefined],
    ['', 'order', undefined],
  ])('%s and %s', (one, two, difference) => {
    expect(differenceOf(one, two)).toEqual(difference);
  });
});

describe('a difference carried over', () => {
  const difference = { from: 'order', to: 'invoice' };
  it.each([
    ['orderName', 'invoiceName'],
    ['loadOrder', 'loadInvoice'],
    ['ORDER_LIMIT', 'INVOICE_LIMIT'],
    ['order', 'invoice'],
    ['orderly', undefined],
    ['user', undefined],
  ])('makes of %s %s', (name, made) => {
    expect(transferred(name, difference)).toBe(made);
  });

  it('is a token of the vocabulary, the same each time', () => {
    const vocabulary = new Vocabulary();
    const [word = 0, old = 0, fresh = 0] = ['loadOrder', 'order', 'invoice'].map((text) =>
      vocabulary.intern(text, 0, text.length, kinds.word),
    );
    const names = new MadeNames();
    const made = names.carry(vocabulary, word, old, fresh);
    expect(vocabulary.textOf(made)).toBe('loadInvoice');
    expect(names.carry(vocabulary, word, old, fresh)).toBe(made);
    expect(names.carry(vocabulary, old, word, word)).toBe(-1);
    expect(names.carry(vocabulary.fork(), word, old, fresh)).toBe(made);
    const text = vocabulary.intern("'order.json'", 0, 12, kinds.string);
    const carried = names.carry(vocabulary, text, old, fresh);
    expect([vocabulary.textOf(carried), vocabulary.kind(carried)]).toEqual(["'invoice.json'", kinds.string]);
  });
});

describe('a string that is to another as two others are', () => {
  it.each([
    ["'https://a.net/api'", "'https://a.net'", "'https://b.org'", "'https://b.org/api'"],
    ["'wss://a.net'", "'https://a.net'", "'https://b.org'", "'wss://b.org'"],
    ["'a.test.ts'", "'a.ts'", "'b.ts'", undefined],
    ["'cook.test.ts'", "'cook.ts'", "'bake.ts'", "'bake.test.ts'"],
    ["'Cook Explorer'", "'Cook'", "'Bake'", "'Bake Explorer'"],
    ["'Cook Explorer'", "'Cook'", "''", undefined],
    ["'https://a.net/api'", "'https://a.net'", "'ftp:b'", "'ftp:b/api'"],
    ["'https://a.net/api'", "'see https://a.net'", "'https://b.org'", undefined],
  ])('%s, which stood behind %s, makes of %s %s', (text, old, fresh, made) => {
    expect(stringLike(text, old, fresh)).toBe(made);
  });

  it('is a token of the vocabulary', () => {
    const vocabulary = new Vocabulary();
    const [text = 0, old = 0, fresh = 0] = ["'Cook Explorer'", "'Cook'", "'Bake'"].map((it) =>
      vocabulary.intern(it, 0, it.length, kinds.string),
    );
    const made = new MadeNames().carryString(vocabulary, text, old, fresh);
    expect([vocabulary.textOf(made), vocabulary.kind(made)]).toEqual(["'Bake Explorer'", kinds.string]);
    expect(new MadeNames().carryString(vocabulary, old, text, fresh)).toBe(-1);
  });
});

describe('the names of a file', () => {
  it.each([
    ['src/order-list.test.ts', ['OrderList', 'orderList', 'order_list']],
    ['mergeMap.ts', ['MergeMap', 'mergeMap']],
    ['src/index.ts', []],
    ['2024.md', []],
    ['', []],
  ])('%s', (path, names) => {
    expect(namesOfPath(path)).toEqual(names);
  });
});
