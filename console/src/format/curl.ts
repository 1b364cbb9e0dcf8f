import { organizationId } from '../api/session.js';

/** Quotes a text for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Returns a curl command that posts JSON to a path below the organization. Without a token, the command takes it from
 * the shell's variable `TOKEN`.
 */
export const postCommand = (path: string, body: object, token?: string): string => {
  const authorization =
    token === undefined ? '"Authorization: Bearer $TOKEN"' : quoted(`Authorization: Bearer ${token}`);
  return [
    `curl -H ${authorization} -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))} \\`,
    `  ${location.origin}/ddp/v1/organizations/${organizationId.value}/${path}`,
  ].join('\n');
};
