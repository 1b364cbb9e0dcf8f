import { createClient } from '@hey-api/openapi-ts';
import { describe } from '@jest/globals';
import { generate } from 'orval';
import { document, testProgram } from '../contract/generated-client.js';
import { useWorld } from '../support/world.js';

describe('a program over a client generated from the OpenAPI document', () => {
  const world = useWorld();

  testProgram(world, 'hey-api', async (folder) => {
    await createClient({ input: document, output: `${folder}/api`, logs: { level: 'silent', file: false } });
  });

  // With its own fetch client, which writes the address of the service into what it generates.
  testProgram(world, 'orval', async (folder, baseUrl) => {
    await generate({ input: { target: document }, output: { target: `${folder}/api.ts`, client: 'fetch', baseUrl } });
  });
});
