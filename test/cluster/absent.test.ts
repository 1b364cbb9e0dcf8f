import { describe, expect, it } from '@jest/globals';

const url = process.env['OPENSEARCH_URL'];

describe('OpenSearch cluster for these tests', () => {
  (url === undefined ? it.skip : it)(
    `answers at OPENSEARCH_URL${url === undefined ? ', which is not set' : ''}`,
    async () => {
      for (const node of url!.split(',')) expect((await fetch(node)).status).toBe(200);
    },
  );
});
