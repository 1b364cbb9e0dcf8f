import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { releasedChangelog } from './changelog.js';

/* npm run release: releases the version in package.json. It changes nothing when the tree is not clean, the version
   was released already, or .ci/run fails (--check names another command). It publishes nothing. Then it begins the next
   version, so that no later build calls itself like the release. */

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

const fail = (sentence: string): never => {
  console.error(sentence);
  process.exit(1);
};

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const tag = `v${version}`;
const next = 'Choose a version with "npm version --no-git-tag-version X.Y.Z", commit it, and try again.';
const { check } = parseArgs({ options: { check: { type: 'string', default: '.ci/run' } } }).values;

if (git('status', '--porcelain') !== '') fail('The tree is not clean: commit or remove what git status lists.');
if (git('tag', '--list', tag) !== '') fail(`The tag ${tag} is there already. ${next}`);
const deployment = readFileSync('ops/kubernetes/deployment.yaml', 'utf8');
if ([...deployment.matchAll(/image: device-data-platform:(\S+)/g)].some(([, image]) => image !== version))
  fail(`The image in ops/kubernetes/deployment.yaml is not ${version}: change it and commit.`);
const changelog = releasedChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, new Date());
if ('fault' in changelog) fail(`${changelog.fault} ${next}`);
else {
  console.log(`Checking: ${check}`);
  const { status } = spawnSync(check, { shell: true, stdio: 'inherit' });
  if (status !== 0) fail(`${check} failed: nothing was changed.`);
  if (git('status', '--porcelain') !== '') fail(`${check} changed files that git knows: nothing was released.`);
  writeFileSync('CHANGELOG.md', changelog.text);
  git('commit', '--quiet', '--message', `release: ${version}`, '--', 'CHANGELOG.md');
  git('tag', '--annotate', '--message', `Release ${version}`, tag);
  const begun = execFileSync('npm', ['version', '--no-git-tag-version', 'preminor', '--preid', 'dev'], {
    encoding: 'utf8',
  });
  git(
    'commit',
    '--quiet',
    '--message',
    `release: begin ${begun.trim().slice(1)}`,
    '--',
    'package.json',
    'package-lock.json',
  );
  console.log(`${tag} is tagged. Push it: git push --follow-tags`);
}
