/** The whole table of calls that the Python script and its Node twin both pass. */
import type { CallCase } from './case.ts';
import { CALLS } from './cases-calls.ts';
import { HOSTILE } from './cases-hostile.ts';
import { JOBS } from './cases-jobs.ts';
import { LINKS } from './cases-links.ts';
import { SECRETS } from './cases-secrets.ts';
import { SESSIONS } from './cases-sessions.ts';

export const CASES: readonly CallCase[] = [...CALLS, ...LINKS, ...SECRETS, ...JOBS, ...HOSTILE, ...SESSIONS];
