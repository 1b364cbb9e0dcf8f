import { describe, expect } from '@jest/globals';
import { itIf } from '../support/conditional.js';

const url = process.env['OPENSEARCH_URL'];

describe('OpenSearch cluster for these tests', () => {
  itIf(url !== undefined, 'OPENSEARCH_URL is not set')('answers at OPENSEARCH_URL', async () => {
    for (const node of url!.split(',')) expect((await fetch(node)).status).toBe(200);
  });
});
