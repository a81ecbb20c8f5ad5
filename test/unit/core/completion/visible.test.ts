import { describe, expect, it } from 'vitest';
import { writtenAround } from '#core/completion/visible.ts';

const before = `import { load, save as keep } from './disk.ts';
const { width, inner: { height } } = load();
function area(side: string, times = () => 2): Promise<void> {
  const product = side;
}
// remark
list.map((item) => item.price);
function sort(by: (first: string) => number): Map<(second: string) => void> {
  const order = by as (third: string) => number;
}
const twice = (figure: string) => figure + figure;
const half = (measure: string): Map<string, number> =>
  cut(measure);
export class Shop {
  stock = 1;
  sell(customer: string) {
    const bill = 1;
    if (bill) { const change = 'quoted'; }
    for (const part of parts) {
      `;
const after = `
    }
    let later;
  }
  refund(buyer) { amount }
  owner = 2;
}
function closing(hour) { bell; }
const sign = 1;
let cut: (broken`;

const seen = (names: string, language = 'typescript'): readonly string[] => {
  const isWritten = writtenAround({ before, after, isCut: false }, language);
  return names.split(' ').filter(isWritten);
};

describe('what can be seen from a cursor', () => {
  it.each([
    ['imports, under the name they have here', 'load keep'],
    ['what a declaration takes apart', 'width height'],
    ['functions, classes and constants of the file, also below', 'area Shop closing sign'],
    ['parameters and variables of the blocks around', 'customer bill part later'],
    ['what every program has', 'Math console'],
  ])('are %s', (_, names) => {
    expect(seen(names)).toEqual(names.split(' '));
  });

  it.each([
    ['parameters and variables of other functions', 'side times product hour bell item buyer amount by order'],
    ['variables of a closed block', 'change'],
    ['parameters of types and of functions without a block', 'first second third figure measure broken'],
    ['members, which need their object', 'stock sell refund owner price'],
    ['words of comments and strings', 'remark quoted'],
    ['what stands nowhere', 'nothing'],
  ])('are not %s', (_, names) => {
    expect(seen(names)).toEqual([]);
  });

  it('are all words in languages whose blocks are not read', () => {
    expect(seen('side change remark', 'python')).toEqual(['side', 'change', 'remark']);
  });

  it('are names with their receivers wherever they stand', () => {
    expect(seen('item.price list.map list.sort')).toEqual(['item.price', 'list.map']);
  });
});
