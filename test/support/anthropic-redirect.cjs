/**
 * Leads what goes to Anthropic's fixed address to the stand-in that `FAKE_ANTHROPIC` names, so that no program needs a
 * switch of its own for tests. Loaded before the command line by `--require`, and beside the extension as another one.
 */
const address = 'https://api.anthropic.com/';
const standIn = process.env['FAKE_ANTHROPIC'];
const real = globalThis.fetch;

if (standIn !== undefined)
  globalThis.fetch = (input, init) => {
    const url = typeof input === 'string' ? input : (input.href ?? input.url);
    return real(url.startsWith(address) ? standIn + url.slice(address.length) : input, init);
  };

module.exports = { activate() {} };
