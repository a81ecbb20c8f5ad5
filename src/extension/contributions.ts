/**
 * The names that the manifest and the code have to agree on. What they do is bound in `composition.ts`; that the
 * manifest contributes exactly these is a test's business.
 */

/** Commands, by what they are called in the code. */
export const commandIds = {
  showLog: 'mochi.showLog',
} satisfies Record<string, `mochi.${string}`>;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];
