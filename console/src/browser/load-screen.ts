import type { JSX } from 'preact';
import { lazy } from 'preact-iso';
import { LoadFailure } from '../components/state.js';

/** A screen that is loaded when it is first shown. */
export type LazyScreen = (() => JSX.Element) & { readonly preload: () => Promise<unknown> };

/** Key of the session storage under which a page notes the script that it reloaded for. */
const reloadedFor = 'ddp.reloaded';

/**
 * Declares a screen that is loaded when it is first shown. A script that does not load may belong to a build that an
 * upgrade has replaced: the page is loaded once more, with the present build. If that does not help, or the service is
 * not reached, a message takes the place of the screen.
 */
export const loadScreen = (load: () => Promise<() => JSX.Element>): LazyScreen =>
  lazy(async () => {
    try {
      const screen = await load();
      sessionStorage.removeItem(reloadedFor);
      return screen;
    } catch {
      if (!(await mayReload())) return LoadFailure;
      location.reload();
      // The screen before stays until the page is replaced.
      return new Promise<never>(() => undefined);
    }
  }) as LazyScreen;

/** Whether the page should be loaded again: the service answers, and the page was not loaded again for this build. */
async function mayReload(): Promise<boolean> {
  const answers = await fetch('/console/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!answers || sessionStorage.getItem(reloadedFor) === import.meta.url) return false;
  sessionStorage.setItem(reloadedFor, import.meta.url);
  return true;
}
