import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')];

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('links only to existing files', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => join(dirname(page), link!));
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });

  it('links only to headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, link, anchor]) => {
      const target = link === '' ? page : join(dirname(page), link!);
      return { target, anchor: anchor! };
    });
    expect(links.filter(({ target, anchor }) => !anchorsOf(target).has(anchor))).toEqual([]);
  });

  it('names only scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const names = [...text.matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Returns the anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
