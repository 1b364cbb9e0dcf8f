import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { testGuide } from './guide.js';

testGuide('README.md', { skipped: { 'npm ci && npm start': 'installs; .ci/run does so in a clean checkout' } });

it('explains the warnings of npm ci before the command that causes them', () => {
  const [before, after] = readFileSync('README.md', 'utf8').split('npm ci && npm start');
  expect(before).toContain('`EBADENGINE`');
  expect(after).toBeDefined();
});
