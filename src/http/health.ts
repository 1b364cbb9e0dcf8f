import { Router } from 'express';
import { answerNothingElse } from './verbs.js';

/**
 * Serves `/healthz`, which says that the process runs and in which version, and `/readyz`, which says whether it can
 * serve.
 * @param checkReady throws the reason why the process cannot serve.
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
