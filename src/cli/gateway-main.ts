/** `mochi gateway` as a program of its own, so that the extension brings it along without the rest of the command line. */
import process from 'node:process';
import { gateway } from './gateway.ts';
import { runProgram } from './program.ts';

await runProgram(['gateway', ...process.argv.slice(2)], (_command, context) => gateway(context));
