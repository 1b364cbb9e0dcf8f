import { createClient } from '@hey-api/openapi-ts';
import { describe } from '@jest/globals';
import { generate } from 'orval';
import { document, testProgram } from '../contract/generated-client.js';
import { useWorld } from '../support/world.js';

describe('program with a client generated from docs/openapi.json', () => {
  const world = useWorld();

  testProgram(world, 'hey-api', async (folder) => {
    await createClient({ input: document, output: `${folder}/api`, logs: { level: 'silent', file: false } });
  });

  // Uses orval's fetch client, which contains the address of the service.
  testProgram(world, 'orval', async (folder, baseUrl) => {
    await generate({ input: { target: document }, output: { target: `${folder}/api.ts`, client: 'fetch', baseUrl } });
  });
});
