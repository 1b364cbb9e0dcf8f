import { readFileSync } from 'node:fs';

/** The release that this is, as `package.json` names it (Semantic Versioning). */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
