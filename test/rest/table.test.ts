import { describe, expect, it } from '@jest/globals';
import { createTable } from '#http/path-table.js';
import { routes } from '#rest/routes.js';

const tableOf = (...paths: string[]) => createTable(new Map(paths.map((path) => [path, path])));

describe('route table', () => {
  it('finds every REST path and decodes its parameters', () => {
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

  it('distinguishes case, and rejects extra slashes and empty parameters', () => {
    const find = tableOf('/teams/:a/:b', '/account');
    for (const path of ['', '/', '/Account', '/account/', '//account', '/teams/x', '/teams//y', '/teams/x/', 'account'])
      expect(find(path)).toBeUndefined();
  });

  it('accepts a trailing slash only when the route has one', () => {
    const find = tableOf('/:a/b', '/:a/b/');
    expect(find('/x/b')).toEqual({ entry: '/:a/b', params: { a: 'x' } });
    expect(find('/x/b/')).toEqual({ entry: '/:a/b/', params: { a: 'x' } });
    expect(find('/x/b//')).toBeUndefined();
    expect(find('//b/')).toBeUndefined();
  });

  it('prefers fixed segments to parameters, and backtracks when they do not match', () => {
    const find = tableOf('/a/:x', '/a/b/c', '/a/:x/d');
    expect(find('/a/b')).toEqual({ entry: '/a/:x', params: { x: 'b' } });
    expect(find('/a/b/c')).toEqual({ entry: '/a/b/c', params: {} });
    expect(find('/a/b/d')).toEqual({ entry: '/a/:x/d', params: { x: 'b' } });
    expect(find('/a/b/e')).toBeUndefined();
  });

  it('ignores property names that every JavaScript object inherits', () => {
    const find = tableOf('/a/:x');
    expect(find('/constructor')).toBeUndefined();
    expect(find('/a/__proto__')).toEqual({ entry: '/a/:x', params: { x: '__proto__' } });
  });

  it('throws for a segment with an invalid percent-encoding', () => {
    expect(() => tableOf('/a/:x')('/a/%zz')).toThrow('percent-encode');
  });
});
