import { describe, expect, it } from '@jest/globals';
import { routes } from '../../src/rest/routes.js';
import { createTable } from '../../src/rest/table.js';

const tableOf = (...paths: string[]) => createTable(new Map(paths.map((path) => [path, path])));

describe('a table of paths', () => {
  it('finds every path of REST, with what stands for its parameters', () => {
    const find = tableOf(...new Set(routes.map(({ path }) => path)));
    for (const { path } of routes) {
      const params: Record<string, string> = {};
      const sent = path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
        params[name] = `ä ${name}`;
        return encodeURIComponent(params[name]);
      });
      expect(find(sent)).toEqual({ entry: path, params });
    }
  });

  it('tells case, slashes and empty parameters apart', () => {
    const find = tableOf('/teams/:a/:b', '/account');
    for (const path of ['', '/', '/Account', '/account/', '//account', '/teams/x', '/teams//y', '/teams/x/', 'account'])
      expect(find(path)).toBeUndefined();
  });

  it('finds paths with a slash at the end only where they were given so', () => {
    const find = tableOf('/:a/b', '/:a/b/');
    expect(find('/x/b')).toEqual({ entry: '/:a/b', params: { a: 'x' } });
    expect(find('/x/b/')).toEqual({ entry: '/:a/b/', params: { a: 'x' } });
    expect(find('/x/b//')).toBeUndefined();
    expect(find('//b/')).toBeUndefined();
  });

  it('prefers words to parameters, and goes back where words lead nowhere', () => {
    const find = tableOf('/a/:x', '/a/b/c', '/a/:x/d');
    expect(find('/a/b')).toEqual({ entry: '/a/:x', params: { x: 'b' } });
    expect(find('/a/b/c')).toEqual({ entry: '/a/b/c', params: {} });
    expect(find('/a/b/d')).toEqual({ entry: '/a/:x/d', params: { x: 'b' } });
    expect(find('/a/b/e')).toBeUndefined();
  });

  it('knows nothing but its paths, whatever objects have of themselves', () => {
    const find = tableOf('/a/:x');
    expect(find('/constructor')).toBeUndefined();
    expect(find('/a/__proto__')).toEqual({ entry: '/a/:x', params: { x: '__proto__' } });
  });

  it('refuses what does not decode', () => {
    expect(() => tableOf('/a/:x')('/a/%zz')).toThrow('percent-encode');
  });
});
