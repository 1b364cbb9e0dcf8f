#!/usr/bin/env node
import { run } from './cli.js';

// What still runs after an end in order would only hold the process.
process.exit(await run(process.argv.slice(2)));
