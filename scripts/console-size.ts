import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/* Measures the compressed script and style that the console's first screen, the overview, loads. Fails when they
   exceed the budget. */

/** Maximum number of bytes (brotli). */
const budget = 60_000;
const assets = 'dist/console/assets';

const page = readFileSync('dist/console/index.html', 'utf8');
const screens = JSON.parse(readFileSync('dist/console/screens.json', 'utf8')) as Record<string, string[]>;
const scripts = screens['/']!.map((address) => address.slice('/console/assets/'.length));
const styles = [...page.matchAll(/\/console\/assets\/([\w.-]+\.css)/g)].map(([, name]) => name!);
if (styles.length !== 1) throw new Error('The console is not built: run npm run build.');

const size = [...scripts, ...styles].reduce((sum, name) => sum + statSync(join(assets, `${name}.br`)).size, 0);
console.log(`The console's first screen loads ${size} bytes of script and style (brotli), of ${budget} at most.`);
if (size > budget) process.exitCode = 1;
