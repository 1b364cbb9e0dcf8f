/** The page to open after a sign-in by default. */
const home = '/console/';
/** Placeholder for our origin. No address of a caller has it. */
const here = 'https://here.invalid';

/** Returns a path of this service unchanged, and the console's path for any address outside of it. */
export function returnPath(text: string | null): string {
  if (text === null || text.length > 500 || !/^\/[!-~]*$/.test(text) || text.includes('\\')) return home;
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  // Browsers take `//host/` for the address of another host; `/a/..//host/` becomes one.
  return url?.origin === here && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : home;
}
