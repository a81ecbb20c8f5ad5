/** Text that is the same on every machine. */
import { expect, it } from 'vitest';
import { type MachinePaths, neutralisePaths } from '#core/catalog/neutralise.ts';

const HERE: MachinePaths = {
  home: '/srv/people/ann',
  cwd: '/opt/job',
  folders: [{ path: '/srv/people/ann/app', name: 'app' }],
};
const TWO: MachinePaths = {
  home: 'C:\\Users\\Ann Lee',
  folders: [
    { path: 'D:\\desk\\one', name: 'one' },
    { path: 'D:\\desk\\two', name: 'two' },
  ],
};

interface Case {
  readonly text: string;
  readonly paths?: MachinePaths;
  /** Absent where the text must stay as it is. */
  readonly neutral?: string;
}

function check({ text, paths, neutral }: Case): void {
  const result = neutralisePaths(text, paths);
  expect(result).toBe(neutral ?? text);
  expect(neutralisePaths(result, paths)).toBe(result);
}

it.each<Case>([
  { text: '- /home/user/shared (read-write)', neutral: '- ~/shared (read-write)' },
  { text: 'in /Users/ann.lee/x, or "/home/bob".', neutral: 'in ~/x, or "~".' },
  { text: 'PATH=/usr/bin:/home/bob/bin', neutral: 'PATH=/usr/bin:~/bin' },
  { text: 'file:///home/bob/a.txt', neutral: 'file://~/a.txt' },
  { text: 'C:\\Users\\bob\\Desktop and c:/Users/bob/x', neutral: '~\\Desktop and ~/x' },
  { text: '"C:\\\\Users\\\\John Doe\\\\x"', neutral: '"~\\\\x"' },
  { text: '/home/山田/図', neutral: '~/図' },
  { text: '/srv/people/ann/app/src and /srv/people/ann/x', paths: HERE, neutral: '${workspaceFolder}/src and ~/x' },
  { text: 'runs in /opt/job.', paths: HERE, neutral: 'runs in ${workspaceFolder}.' },
  { text: 'd:\\DESK\\one\\a, D:/desk/two', paths: TWO, neutral: '${workspaceFolder:one}\\a, ${workspaceFolder:two}' },
  { text: 'C:\\Users\\Ann Lee', paths: TWO, neutral: '~' },
])('makes neutral: $text', check);

it.each<Case>([
  { text: 'https://example.com/home/user and https://example.com:8080/Users/bob' },
  { text: 'https://[::1]/home/user, ${HOST}/home/user, ~/home/user, a/home/user' },
  { text: 'mount to /home/[folder-name], or /home/<user>, or /Users/Shared/x' },
  { text: '"C:\\projects\\data" → "/home/projects/data"' },
  { text: '/opt/jobs, /opt/job-2, /opt/job.old and /x/opt/job', paths: HERE },
  { text: '/usr/local/bin, /tmp/x, /etc/passwd, /homes/bob' },
  { text: '/ and C:\\ and a/b', paths: { home: '/', cwd: 'C:\\', folders: [{ path: '', name: '' }] } },
])('leaves alone: $text', check);
