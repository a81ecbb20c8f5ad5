/** The version of the call script, as `--version` prints it and as servers see it. */
export const VERSION = '0.1.0';
