import type { Response } from 'express';

/**
 * A page without scripts, for people who follow a link. Its texts are not escaped: the caller escapes text from other
 * people.
 */
export interface HtmlPage {
  status?: number;
  title: string;
  /** Paragraphs. */
  text: string | readonly string[];
  /** Buttons, each of which posts to an address. */
  buttons?: readonly { text: string; action: string }[];
  links?: readonly { text: string; href: string }[];
}

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  // Other sites learn nothing of the address, and forms still send their `Origin`.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** Answers a page. */
export function sendPage(response: Response, { status = 200, title, text, buttons = [], links = [] }: HtmlPage): void {
  const parts = [
    ...[text].flat().map((paragraph) => `<p>${paragraph}</p>`),
    ...buttons.map((each) => `<form method="post" action="${each.action}"><button>${each.text}</button></form>`),
    ...links.map((each) => `<p><a href="${each.href}">${each.text}</a></p>`),
  ];
  const body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>:root { color-scheme: light dark }
    body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem }
    button { font: inherit; padding: 0.5rem 1rem }</style>
  </head>
  <body>
    <h1>${title}</h1>
${parts.map((part) => `    ${part}\n`).join('')}  </body>
</html>
`;
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** Writes text into HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/**
 * Returns the token in the query of a link; '' if it is absent or not base64url, so that a page never repeats other
 * text.
 */
export function tokenOf(query: URLSearchParams): string {
  const token = query.get('token') ?? '';
  return /^[\w-]{1,100}$/.test(token) ? token : '';
}

/** The query of a request. */
export const queryOf = ({ originalUrl }: { originalUrl: string }): URLSearchParams =>
  new URLSearchParams(originalUrl.split('?', 2)[1] ?? '');
