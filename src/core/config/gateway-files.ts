/** What the gateway and its files are called, for those who need no more of it than that. */

/** Where Claude Code and others look for the servers of a folder. */
export const CONFIG_FILE = '.mcp.json';
/** Where the gateway finds those it fronts. No client reads it by itself. */
export const GATEWAY_FILE = '.mcp.gateway.json';
/** The gateway's own name among the servers. */
export const GATEWAY_NAME = 'mochi-gateway';
