import { describe } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { openapiTypescript, testProgram } from './generated-client.js';

// test/compatibility covers the other generators.
describe('program with a client generated from docs/openapi.json', () => {
  testProgram(useWorld(), 'openapi-typescript', openapiTypescript);
});
