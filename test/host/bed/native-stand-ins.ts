/**
 * JavaScript in place of the two C++ modules that VS Code's server loads at once and that would have to be compiled.
 * The log writer does write its files, because output channels are read from them; the watchdog does nothing.
 */

/** Levels as spdlog counts them: trace 0 … critical 5, off 6. */
const logWriter = `'use strict';
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
let initial = 2;

function createLogger(file) {
  let threshold = initial;
  let bare = false;
  if (file) mkdirSync(dirname(file), { recursive: true });
  const logger = {
    getLevel: () => threshold,
    setLevel: (level) => { threshold = level; },
    setPattern: () => {},
    clearFormatters: () => { bare = true; },
    flush: () => {},
    drop: () => {},
  };
  levels.forEach((name, level) => {
    logger[name] = (message) => {
      if (!file || level < threshold) return;
      const label = name === 'warn' ? 'warning' : name;
      const stamp = new Date().toISOString().slice(0, 23).replace('T', ' ');
      try { appendFileSync(file, bare ? message : stamp + ' [' + label + '] ' + message + '\\n'); } catch {}
    };
  });
  return logger;
}

// One assignment each: the server imports this as an ES module, and Node finds only such names.
exports.version = 0;
exports.setLevel = (level) => { initial = level; };
exports.setFlushOn = () => {};
exports.createRotatingLogger = async (_name, file) => createLogger(file);
exports.createAsyncRotatingLogger = async (_name, file) => createLogger(file);
`;

const watchdog = `'use strict';\nexports.start = () => {};\n`;

/** Module name to the text of its main file. */
export const nativeStandIns: ReadonlyMap<string, string> = new Map([
  ['@vscode/spdlog', logWriter],
  ['@vscode/native-watchdog', watchdog],
]);
