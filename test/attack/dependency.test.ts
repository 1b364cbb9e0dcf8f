import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

interface Lock {
  packages: Record<
    string,
    { integrity?: string; resolved?: string; link?: boolean; dev?: boolean; optional?: boolean; os?: string[] }
  >;
}

describe('the lock file', () => {
  it('names a hash for every package, save for tools of development for other platforms that the registry did not give', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
    const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
    expect(entries.length).toBeGreaterThan(500);
    const unnamed = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unnamed.filter(([, { dev, optional, os }]) => !(dev && optional && os)).map(([path]) => path)).toEqual([]);
  });
});
