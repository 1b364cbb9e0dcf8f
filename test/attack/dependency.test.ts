import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

interface Lock {
  packages: Record<
    string,
    { integrity?: string; resolved?: string; link?: boolean; dev?: boolean; optional?: boolean; os?: string[] }
  >;
}

describe('package-lock.json', () => {
  it('has a hash for every package, except development tools for other platforms', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
    const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
    expect(entries.length).toBeGreaterThan(500);
    const unnamed = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unnamed.filter(([, { dev, optional, os }]) => !(dev && optional && os)).map(([path]) => path)).toEqual([]);
  });
});
