import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const script = new URL('../../scripts/release.js', import.meta.url).pathname;
let folder: string;

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

const commitAll = () => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A change');
};

const release = (check = 'true') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check', check], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

const change = (path: string, edit: (text: string) => string) =>
  writeFileSync(join(folder, path), edit(readFileSync(join(folder, path), 'utf8')));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ddp-release-'));
  execFileSync('git', ['clone', '--quiet', process.cwd(), folder]);
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@example.com');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  it('refuses a version that CHANGELOG.md contains', () => {
    change('package.json', (text) => text.replace(/"version": "[^"]+"/, '"version": "0.1.0"'));
    change('ops/kubernetes/deployment.yaml', (text) => text.replaceAll(/(platform:)\d\S+/g, '$10.1.0'));
    commitAll();
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('has 0.1.0 already') });
  });

  it('refuses an image of another version, uncommitted changes and a failing check', () => {
    change('package.json', (text) => text.replace(/"version": "[^"]+"/, '"version": "9.8.7"'));
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('not clean') });
    commitAll();
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('is not 9.8.7') });
    change('ops/kubernetes/deployment.yaml', (text) => text.replaceAll(/(platform:)\d\S+/g, '$19.8.7'));
    change('CHANGELOG.md', (text) => text.replace('## Unreleased\n', '## Unreleased\n\n- A change of this test.\n'));
    commitAll();
    const before = git('rev-parse', 'HEAD');
    expect(release('false')).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was changed') });
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag', '--list', 'v9.8.7')]).toEqual([
      before,
      '',
      '',
    ]);
  });

  it('moves unreleased changes under the version with its date, commits, tags, and begins the next version', () => {
    expect(release()).toMatchObject({ status: 0, stdout: expect.stringContaining('v9.8.7 is tagged') });
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(/^## Unreleased\n\n## 9\.8\.7 - \d{4}-\d\d-\d\d\n\n- A change of this test\.\n/m);
    expect(git('rev-parse', 'v9.8.7^{commit}')).toBe(git('rev-parse', 'HEAD~1'));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-2', '--format=%s')).toBe('release: begin 9.9.0-dev.0\nrelease: 9.8.7');
    const { packages, version } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
      version: string;
    };
    expect([version, packages['']?.version]).toEqual(['9.9.0-dev.0', '9.9.0-dev.0']);
    git('reset', '--quiet', '--hard', 'v9.8.7');
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('is there already') });
  });
});
