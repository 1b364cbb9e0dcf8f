/** A URL in the twelve parts that deliveries show (contract, section 5). Empty parts are null. */
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

/** Splits a URL into its twelve parts. */
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
