#!/usr/bin/env node
/** `mochi`: every command by its name. */
import process from 'node:process';
import type { CommandName } from './arguments.ts';
import { check } from './check.ts';
import type { Context } from './context.ts';
import { dataset } from './dataset.ts';
import { economics } from './economics.ts';
import { gateway } from './gateway.ts';
import { generate } from './generate.ts';
import { learn } from './learn.ts';
import { list } from './list.ts';
import { model } from './model.ts';
import { preview } from './preview.ts';
import { runProgram } from './program.ts';
import { serve } from './serve.ts';
import { skills } from './skills.ts';
import { tokens } from './tokens.ts';
import { validate } from './validate.ts';

const RUN: Record<CommandName, (context: Context) => Promise<number>> = {
  list,
  preview,
  generate,
  check,
  validate,
  tokens,
  skills,
  economics,
  serve,
  learn,
  dataset,
  model,
  gateway,
};

await runProgram(process.argv.slice(2), (command, context) => RUN[command](context));
