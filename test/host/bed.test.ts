/** The test bed does not take silence for success. */
import { describe, expect, it } from 'vitest';
import { countsOf, objection } from '../support/counts.ts';
import { outcomesOf, type SuiteResult } from './bed/suite-result.ts';

describe('the result of a suite', () => {
  const good = { name: 'adds' };
  const bad = { name: 'subtracts', failure: 'Error' };
  it.each<[string, SuiteResult | undefined, readonly string[]]>([
    ['that never started', undefined, ['The suite starts in the extension host']],
    ['that was killed', { finished: false, outcomes: [good] }, ['The suite runs to its end']],
    ['without tests', { finished: true, outcomes: [] }, ['The suite has tests']],
    ['with a failed test', { finished: true, outcomes: [good, bad] }, ['subtracts']],
    ['that passed', { finished: true, outcomes: [good] }, []],
  ])('%s fails in exactly these tests', (_name, result, failed) => {
    const names = outcomesOf(result).filter(({ failure }) => failure !== undefined);
    expect(names.map(({ name }) => name)).toEqual(failed);
  });

  it('names the test in which it got stuck', () => {
    const [stuck] = outcomesOf({ finished: false, running: 'waits for ever', outcomes: [] });
    expect(stuck?.failure).toContain('waits for ever');
  });
});

describe('a tier', () => {
  it.each([
    [0, 0, 0, 'it ran no test'],
    [0, 0, 1, 'it ran no test'],
    [3, 0, 1, 'it ended with code 1 although no test failed'],
    [3, 1, 1, undefined],
    [3, 0, 0, undefined],
  ])('with %i passed, %i failed and exit code %i: %s', (passed, failed, code, complaint) => {
    expect(objection({ passed, failed }, code)).toBe(complaint);
  });
});

describe('the end of a run', () => {
  it('names what failed, and what was good only when repeated', () => {
    const test = { fullName: 'adds', status: 'passed' };
    const report = {
      numPassedTests: 2,
      numFailedTests: 1,
      testResults: [
        {
          name: '/somewhere/sums.test.ts',
          assertionResults: [
            test,
            { ...test, fullName: 'divides', failureMessages: ['Error: late\n  at divide'] },
            { fullName: 'subtracts', status: 'failed', failureMessages: ['Error: 3 is not 2'] },
          ],
        },
      ],
    };
    expect(countsOf(report)).toEqual({
      passed: 2,
      failed: 1,
      remarks: [
        'passed when repeated: sums.test.ts: divides: Error: late',
        'failed: sums.test.ts: subtracts: Error: 3 is not 2',
      ],
    });
  });
});
