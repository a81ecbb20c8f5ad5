/**
 * What the suite in the extension host says about itself, and the only thing the driver believes: an extension host
 * that is killed reports success, so an exit code proves nothing.
 */

/** Environment variable with the path of the file. */
export const resultVariable = 'MOCHI_SUITE_RESULT';

export interface TestOutcome {
  readonly name: string;
  /** Why it failed; absent for a test that passed. */
  readonly failure?: string;
}

/** Rewritten after every event, so that a suite that hangs leaves the name of the test it hangs in. */
export interface SuiteResult {
  readonly finished: boolean;
  readonly running?: string;
  readonly outcomes: readonly TestOutcome[];
}

/** The tests and, if the suite did not run to its end or ran nothing, one more that failed and says so. */
export function outcomesOf(result: SuiteResult | undefined): readonly TestOutcome[] {
  if (result === undefined)
    return [{ name: 'The suite starts in the extension host', failure: 'It wrote no result file.' }];
  const at = result.running === undefined ? '' : ` It was at: ${result.running}`;
  if (!result.finished)
    return [...result.outcomes, { name: 'The suite runs to its end', failure: `It did not finish.${at}` }];
  if (result.outcomes.length === 0) return [{ name: 'The suite has tests', failure: 'It ran none.' }];
  return result.outcomes;
}
