import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/**
 * The state of a screen in the page's address: every filter, order, page and range, so that the address can be shared.
 */
export interface Address {
  /** Returns the value of a parameter; `''` when it is absent. */
  get(name: string): string;
  /** Returns all values of a repeatable parameter. */
  all(name: string): string[];
  /** Changes parameters. Empty values are removed, and `page` is reset unless it is changed as well. */
  set(changes: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  /** Changes parameters in the same way, as a new entry in the history of the browser. */
  go(changes: Readonly<Record<string, string | undefined>>): void;
  /** Returns the address with changed parameters, for links. */
  link(changes: Readonly<Record<string, string | undefined>>): string;
}

/** Reads and changes the address of the current screen. */
export function useAddress(): Address {
  const { path, url, route } = useLocation();
  const search = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const changed = useCallback(
    (changes: Readonly<Record<string, string | readonly string[] | undefined>>) => {
      const next = new URLSearchParams(search);
      if (!('page' in changes)) next.delete('page');
      for (const [name, value] of Object.entries(changes)) {
        next.delete(name);
        for (const one of Array.isArray(value) ? (value as string[]) : [value as string | undefined])
          if (one !== undefined && one !== '') next.append(name, one);
      }
      const text = next.toString();
      return text === '' ? path : `${path}?${text}`;
    },
    [path, search],
  );
  return useMemo(
    () => ({
      get: (name) => params.get(name) ?? '',
      all: (name) => params.getAll(name),
      set: (changes) => route(changed(changes), true),
      go: (changes) => route(changed(changes)),
      link: changed,
    }),
    [params, changed, route],
  );
}
