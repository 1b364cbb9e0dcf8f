import { type Request, type Response, Router } from 'express';
import { answerNothingElse } from './verbs.js';

/** Settings of the pages that links in e-mails open. */
export interface MailPagesOptions {
  confirm: {
    path: string;
    /** Returns false for an invalid token. */
    run(token: string): Promise<boolean>;
  };
  stop: { path: string; run(token: string, again: boolean): Promise<boolean> };
  /**
   * Counts a request that carries no API token.
   * @throws rateLimited
   */
  countUnknown(request: Request, response: Response): Promise<void>;
}

/**
 * Creates the pages that links in e-mails open. They need no API token. GET shows a button and looks nothing up, so
 * that programs that follow links by themselves, such as mail scanners, change nothing. POST makes the change; it is
 * sent by the page's button and by the button that mail programs show (RFC 8058). The token is in the query string,
 * which is never logged.
 */
export function createMailPages({ confirm, stop, countUnknown }: MailPagesOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const serve = (path: string, ask: (request: Request) => Page, answer: (request: Request) => Promise<Page>) => {
    const place = router.route(path);
    place.get((request, response, next) => {
      countUnknown(request, response)
        .then(() => sendPage(response, ask(request)))
        .catch(next);
    });
    place.post((request, response, next) => {
      countUnknown(request, response)
        .then(async () => sendPage(response, await answer(request)))
        .catch(next);
    });
    answerNothingElse(place, ['GET', 'POST']);
  };
  serve(
    confirm.path,
    (request) => ({ ...pages.askConfirm, button: { text: 'Send me alerts', query: queryOf(request) } }),
    async (request) => ((await confirm.run(queryOf(request).token)) ? pages.confirmed : pages.over),
  );
  serve(
    stop.path,
    (request) => ({ ...pages.askStop, button: { text: 'Stop these mails', query: queryOf(request) } }),
    async (request) => {
      const { token, again } = queryOf(request);
      if (!(await stop.run(token, again))) return pages.over;
      if (again) return pages.begun;
      return { ...pages.stopped, button: { text: 'Send them again', query: { token, again: true } } };
    },
  );
  return router;
}

interface Page {
  status?: number;
  title: string;
  text: string;
  button?: { text: string; query: LinkQuery };
}

interface LinkQuery {
  token: string;
  again: boolean;
}

const pages = {
  askConfirm: {
    title: 'Alerts by e-mail',
    text: 'An organization wants to tell you by e-mail when something is wrong with its devices.',
  },
  confirmed: {
    title: 'Confirmed',
    text: 'You get alerts by e-mail from now on. Each mail has a link that stops them.',
  },
  askStop: { title: 'No more alerts', text: 'You will get no more alerts of this organization by e-mail.' },
  stopped: { title: 'Stopped', text: 'You get no more alerts of this organization by e-mail.' },
  begun: { title: 'Confirmed', text: 'You get alerts of this organization by e-mail again.' },
  over: {
    status: 404,
    title: 'This link is no good',
    text: 'It was never valid, or its time is over. Ask whoever sends you alerts to name your address again.',
  },
} satisfies Readonly<Record<string, Page>>;

/** Reads the query string. A token that is not base64url is dropped, so that the page does not repeat it. */
function queryOf({ originalUrl }: Request): LinkQuery {
  const [, query = ''] = originalUrl.split('?', 2);
  const values = new URLSearchParams(query);
  const token = values.get('token') ?? '';
  return { token: /^[\w-]{1,100}$/.test(token) ? token : '', again: values.get('again') === '1' };
}

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

function sendPage(response: Response, { status = 200, title, text, button }: Page): void {
  const body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem }
    button { font: inherit; padding: 0.5rem 1rem }</style>
  </head>
  <body>
    <h1>${title}</h1>
    <p>${text}</p>
${button ? formOf(button) : ''}  </body>
</html>
`;
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

const formOf = ({ text, query: { token, again } }: NonNullable<Page['button']>): string =>
  `    <form method="post" action="?token=${token}${again ? '&amp;again=1' : ''}"><button>${text}</button></form>\n`;
