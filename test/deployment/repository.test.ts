import { access, constants } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { read } from './deployed.js';

describe('package.json', () => {
  it('names the repository and the place for reports', async () => {
    const { repository, bugs } = JSON.parse(await read('package.json')) as {
      repository: { type: string; url: string };
      bugs: string;
    };
    expect(repository).toEqual({ type: 'git', url: expect.stringMatching(/^git\+https:\/\/.+\.git$/) });
    expect(bugs).toBe(repository.url.replace(/^git\+(.+)\.git$/, '$1/issues'));
  });
});

describe('.github', () => {
  it('runs .ci/run for every push to main and every pull request', async () => {
    const { on, jobs } = parse(await read('.github/workflows/check.yml')) as {
      on: { push: { branches: string[] }; pull_request: null };
      jobs: Record<string, { steps: { run?: string }[] }>;
    };
    expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null });
    expect(Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run))).toContain('.ci/run');
    await expect(access('.ci/run', constants.X_OK)).resolves.toBeUndefined();
  });

  it.each(['fault', 'wish'])('requires what a maintainer needs in the template %s', async (name) => {
    const { body } = parse(await read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as {
      body: { type: string; id: string; attributes: { label: string }; validations?: { required: boolean } }[];
    };
    const required = body.filter(({ validations }) => validations?.required);
    expect(required.map(({ id }) => id)).toEqual(name === 'fault' ? ['seen', 'expected', 'version'] : ['goal']);
  });

  it('names only existing scripts in the template of a change', async () => {
    const template = await read('.github/pull_request_template.md');
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
    const names = [...template.matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)].map(([, script]) => script!);
    expect(names).toContain('check');
    expect(names.filter((script) => !(script in scripts))).toEqual([]);
  });
});
