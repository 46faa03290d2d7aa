#!/usr/bin/env node
import { runCommand } from './command-line.ts';

process.exitCode = await runCommand(
  process.argv.slice(2),
  process.env,
  (text) => process.stdout.write(text),
  (text) => process.stderr.write(text),
);
