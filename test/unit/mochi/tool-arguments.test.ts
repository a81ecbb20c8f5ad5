/** What a tool says of arguments that do not fit: whole sentences, so that the remedy after it can be read. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { invalid } from '../../../src/mochi/tools/tool.ts';

it.each([[{}], [{ text: 1, other: 2 }], [[]]])('ends its sentence about %j with a full stop', (given) => {
  const { error } = z.strictObject({ text: z.string() }).safeParse(given);
  const { message } = invalid('search_code', error?.issues ?? []);
  expect(message).toMatch(/of search_code: .+[^.]\.$/);
});
