/**
 * Loaded before every test file: gives the process an empty home of its own, so that no test reads or writes
 * a real one, and no real key or client setting leaks in.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const home = mkdtempSync(join(tmpdir(), 'mochi-home-'));
for (const name of ['HOME', 'USERPROFILE']) process.env[name] = home;
process.env['APPDATA'] = join(home, 'AppData', 'Roaming');
process.env['LOCALAPPDATA'] = join(home, 'AppData', 'Local');
for (const name of [
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'CODEX_HOME',
  'COPILOT_HOME',
])
  delete process.env[name];
for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR']) delete process.env[name];

afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
