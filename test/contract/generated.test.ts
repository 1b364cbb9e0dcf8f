import { describe } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { openapiTypescript, testProgram } from './generated-client.js';

// Other generators: test/compatibility.
describe('a program over a client generated from the OpenAPI document', () => {
  testProgram(useWorld(), 'openapi-typescript', openapiTypescript);
});
