import { readFileSync } from 'node:fs';

/** Version of this release, from `package.json` (Semantic Versioning). */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
