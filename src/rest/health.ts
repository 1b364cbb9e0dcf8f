import { Router } from 'express';
import { answerNothingElse } from './verbs.js';

/**
 * Tells whoever runs the service that the process lives, and of which release it is (`/healthz`), and that it can serve
 * (`/readyz`).
 * @param checkReady throws why it cannot serve.
 */
export const createHealth = (version: string, checkReady: () => Promise<void>): Router => {
  const router = Router({ caseSensitive: true, strict: true });
  const checks = {
    '/healthz': () => Promise.resolve({ status: 'ok', version }),
    '/readyz': async () => {
      await checkReady();
      return { status: 'ok' };
    },
  };
  for (const [path, check] of Object.entries(checks)) {
    const place = router.route(path);
    place.get(async (_request, response) => {
      response.json(await check());
    });
    answerNothingElse(place, ['GET']);
  }
  return router;
};
