import { Router } from 'express';
import { minidenticon } from 'minidenticons';
import { answerNothingElse } from './verbs.js';

const year = 31_536_000;

/** Images made from an account's identifier: nothing is looked up, so any text has its image and nothing is told. */
export const createAvatars = (): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  const place = router.route('/avatars/:name.svg');
  place.get((request, response) => {
    const body = minidenticon(request.params.name);
    response.writeHead(200, {
      'Content-Type': 'image/svg+xml',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': `public, max-age=${year}, immutable`,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'",
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(body);
  });
  answerNothingElse(place, ['GET']);
  return router;
};
