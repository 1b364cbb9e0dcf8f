import { type Request, type Response, Router } from 'express';
import { type HtmlPage, queryOf, sendPage, tokenOf } from '#http/page.js';
import { answerNothingElse } from '#http/verbs.js';

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
  const serve = (
    path: string,
    ask: (request: Request) => HtmlPage,
    answer: (request: Request) => Promise<HtmlPage>,
  ) => {
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
    (request) => ({ ...pages.askConfirm, buttons: buttonOf('Send me alerts', linkOf(request)) }),
    async (request) => ((await confirm.run(linkOf(request).token)) ? pages.confirmed : pages.over),
  );
  serve(
    stop.path,
    (request) => ({ ...pages.askStop, buttons: buttonOf('Stop these mails', linkOf(request)) }),
    async (request) => {
      const { token, again } = linkOf(request);
      if (!(await stop.run(token, again))) return pages.over;
      if (again) return pages.begun;
      return { ...pages.stopped, buttons: buttonOf('Send them again', { token, again: true }) };
    },
  );
  return router;
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
    title: 'This link does not work',
    text: 'It was never valid, or it has expired. Ask whoever sends you alerts to name your address again.',
  },
} satisfies Readonly<Record<string, HtmlPage>>;

function linkOf(request: Request): LinkQuery {
  const query = queryOf(request);
  return { token: tokenOf(query), again: query.get('again') === '1' };
}

const buttonOf = (text: string, { token, again }: LinkQuery) => [
  { text, action: `?token=${token}${again ? '&amp;again=1' : ''}` },
];
