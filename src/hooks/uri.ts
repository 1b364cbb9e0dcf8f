/** A URL in the twelve parts that a delivery shows (contract, section 5); a part that is empty is `null`. */
interface Uri {
  href: string;
  path: string;
  pathname: string;
  query: string | null;
  search: string | null;
  hash: string | null;
  hostname: string;
  port: string | null;
  host: string;
  auth: string | null;
  slashes: boolean;
  protocol: string;
}

/** The twelve parts of a URL. */
export function uriOf(text: string): Uri {
  const url = new URL(text);
  const or = (part: string) => (part === '' ? null : part);
  return {
    href: url.href,
    path: url.pathname + url.search,
    pathname: url.pathname,
    query: or(url.search.slice(1)),
    search: or(url.search),
    hash: or(url.hash),
    hostname: url.hostname,
    port: or(url.port),
    host: url.host,
    auth: null,
    slashes: true,
    protocol: url.protocol,
  };
}
