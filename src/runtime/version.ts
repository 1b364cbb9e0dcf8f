import { existsSync, readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { version: stated } = JSON.parse(read('../../../package.json')) as { version: string };
/** Written by build.js. */
const commit = '../commit.txt';

/**
 * Version of this build, from `package.json` (Semantic Versioning). Between two releases the commit that was built
 * follows as build metadata (`0.4.0-dev.0+4c7d44a1`), where the build knew it.
 */
export const buildVersion: string =
  stated.includes('-') && existsSync(new URL(commit, import.meta.url)) ? `${stated}+${read(commit)}` : stated;
