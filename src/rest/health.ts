import { Router } from 'express';
import { answerNothingElse } from './verbs.js';

/**
 * Tells whoever runs the service that the process lives (`/healthz`) and that it can serve (`/readyz`).
 * @param checkReady throws why it cannot serve.
 */
export const createHealth = (checkReady: () => Promise<void>): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  const checks = { '/healthz': async () => {}, '/readyz': checkReady };
  for (const [path, check] of Object.entries(checks)) {
    const place = router.route(path);
    place.get(async (_request, response) => {
      await check();
      response.json({ status: 'ok' });
    });
    answerNothingElse(place, ['GET']);
  }
  return router;
};
