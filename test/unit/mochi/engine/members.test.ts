import { describe, expect, it } from 'vitest';
import { Members } from '../../../../src/mochi/engine/members.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';
import { indexOf, openFileOf } from '../../../support/lexed.ts';

/** The members that may stand after `text`; `learned` is the code of files near by. */
function membersAfter(text: string, learned = '', isNewLine?: boolean, path = 'a.ts'): readonly string[] {
  const vocabulary = new Vocabulary();
  const near = indexOf(learned, vocabulary, path);
  const file = openFileOf(text, vocabulary, path);
  const found = new Set<string>();
  new Members().find(file, [learned === '' ? undefined : near, undefined], (symbol) => {
    if (isNewLine === undefined || isNewLine === ((symbol & 1) === 1)) found.add(vocabulary.textOf(symbol >> 1));
  });
  return [...found];
}

const dish = `export interface Dish<T> extends Food {
  readonly name: string;
  heat?: { low: number };
  parts(one: T): T extends Food ? Part : Food;
}
class Oven { private door = false; readonly plate: Plate; constructor(size: number) {} bake(dish: Dish) { return dish.name; } }
`;

describe('members behind a name', () => {
  it.each([
    ['a parameter', 'function eat(dish: Dish<A>) { dish.', ['name', 'heat', 'parts']],
    ['an optional one', 'function eat(dish?: Dish) { dish?.', ['name', 'heat', 'parts']],
    ['what is made', 'const oven = new Oven(3); oven.', ['door', 'plate', 'bake']],
    ['a type of a module', 'function eat(dish: food.Dish) { dish.', ['name', 'heat', 'parts']],
    ['a literal type', 'function eat(dish: { salt: boolean; water?: number }) { dish.', ['salt', 'water']],
    ['a member', 'function eat(dish: Dish) { dish.heat.', ['low']],
    ['a member of this', 'class Kitchen { dish: Dish; eat() { this.dish.', ['name', 'heat', 'parts']],
  ])('are those of %s', (_name, text, members) => {
    expect(membersAfter(text, dish)).toEqual(members);
    expect(membersAfter(dish + text)).toEqual(members);
  });

  it.each([
    ['a name without a type', 'function eat(dish) { dish.'],
    ['a type that is nowhere', 'function eat(dish: Unknown) { dish.'],
    ['a call', 'cook(dish).'],
    ['a choice', 'const it = isHot ? dish : Dish; dish.'],
    ['nothing', ''],
  ])('are none for %s', (_name, text) => {
    expect(membersAfter(text, dish)).toEqual([]);
  });
});

describe('members of an indented class', () => {
  const food = `import os

@dataclass
class Dish(Food, Generic[T]):
    """A dish."""

    name: str
    parts: list[Part] = field(
        default_factory=list,
    )

    def __init__(self, heat: Heat):
        self.heat: Heat = heat
        if heat:
            self.oven = None
            self.oven.close()

    @property
    async def price(
        self, tax: float,
    ) -> float:
        total = tax
        return total

class Heat:
    low = 1

def cook(dish: Dish) -> None:
    portions = 3
`;

  it.each([
    [
      'what its lines declare and its functions set',
      'def eat(dish: Dish):\n    dish.',
      ['name', 'parts', 'heat', 'oven', 'price'],
    ],
    ['of one after another', 'def eat(heat: Heat):\n    heat.', ['low']],
    ['of a member', 'def eat(dish: Dish):\n    dish.heat.', ['low']],
    ['none of one that is nowhere', 'def eat(dish: Cake):\n    dish.', []],
  ])('are %s', (_name, text, members) => {
    expect(membersAfter(text, food, undefined, 'a.py')).toEqual(members);
    expect(membersAfter(`${food}\n${text}`, '', undefined, 'a.py')).toEqual(members);
  });
});

describe('keys of a literal', () => {
  it('are the members of the type before it', () => {
    expect(membersAfter('const dish: Dish = { ', dish)).toEqual(['name', 'heat', 'parts']);
    expect(membersAfter('const dish: Dish = { name: x, ', dish)).toEqual(['name', 'heat', 'parts']);
    expect(membersAfter('const dish: Dish = {', dish, true)).toEqual(['name', 'heat', 'parts']);
    expect(membersAfter('const oven = new Oven(3); oven.', dish, true)).toEqual([]);
    expect(membersAfter('const dish = { ', dish)).toEqual([]);
    expect(membersAfter('const dish: Dish = cook({ ', dish)).toEqual([]);
  });
});
