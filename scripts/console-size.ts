import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/* Measures the compressed script and style that the console's first screen, the overview, loads. Fails when they
   exceed the budget. */

/** Maximum number of bytes (brotli). */
const budget = 60_000;
const assets = 'dist/console/assets';

const page = readFileSync('dist/console/index.html', 'utf8');
const named = [...page.matchAll(/\/console\/assets\/([\w.-]+)/g)].map(([, name]) => name!);
const overview = readdirSync(assets).filter((name) => /^overview-\w+\.js$/.test(name));
if (named.length === 0 || overview.length !== 1) throw new Error('The console is not built: run npm run build.');

const loaded = new Set<string>();
const follow = (name: string): void => {
  if (loaded.has(name)) return;
  loaded.add(name);
  if (!name.endsWith('.js')) return;
  const text = readFileSync(join(assets, name), 'utf8');
  for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+)"/g)) follow(imported!);
};
for (const name of [...named, ...overview]) follow(name);

const size = [...loaded].reduce((sum, name) => sum + statSync(join(assets, `${name}.br`)).size, 0);
console.log(`The console's first screen loads ${size} bytes of script and style (brotli), of ${budget} at most.`);
if (size > budget) process.exitCode = 1;
