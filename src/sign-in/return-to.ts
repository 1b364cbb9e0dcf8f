/** The page after a sign-in that named none. */
const home = '/console/';
/** Stands for our origin, which no address that a caller writes has. */
const here = 'https://here.invalid';

/** Returns a path of this service as it came, and the console for whatever would leave it. */
export function returnPath(text: string | null): string {
  if (text === null || text.length > 500 || !/^\/[!-~]*$/.test(text) || text.includes('\\')) return home;
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  // Browsers take `//host/` for the address of another host; `/a/..//host/` becomes one.
  return url?.origin === here && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : home;
}
