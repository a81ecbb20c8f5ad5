/** The folders that Claude Code names by variables of its own, known from where a config file lies. */
import { mapEndpoint } from '../endpoint.ts';
import type { Endpoint, Source } from '../model.ts';
import { escapeLiteral } from './variables.ts';

/** The folder that a variable of Claude Code means for a source; undefined for any other name. */
export function clientFolder(name: string, source: Source): string | undefined {
  if (name === 'CLAUDE_PROJECT_DIR') return source.folder;
  if (name !== 'CLAUDE_PLUGIN_ROOT') return undefined;
  return /^(.+?)[\\/](?:\.claude-plugin[\\/])?[^\\/]+$/.exec(source.path)?.[1];
}

/** The definition with those variables replaced, for a skill that no client explains them to. */
export function withClientFolders(endpoint: Endpoint, source: Source): Endpoint {
  return mapEndpoint(endpoint, (text) =>
    text.replace(/(?<!\$)\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)(?::-[^{}]*)?\}/g, (whole, name: string) => {
      const folder = clientFolder(name, source);
      return folder === undefined ? whole : escapeLiteral(folder);
    }),
  );
}
