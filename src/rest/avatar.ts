import { Router } from 'express';
import { minidenticon } from 'minidenticons';
import { answerNothingElse } from '#http/verbs.js';

const year = 31_536_000;

/**
 * Serves avatar images that are generated from an account's identifier. Nothing is looked up: every text has an image,
 * so an answer does not reveal whether an account exists.
 */
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
