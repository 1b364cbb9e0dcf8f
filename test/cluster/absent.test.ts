import { describe, expect, it } from '@jest/globals';

const url = process.env['OPENSEARCH_URL'];

describe('records on an OpenSearch cluster', () => {
  (url === undefined ? it.skip : it)(
    `are tested with the cluster at OPENSEARCH_URL${url === undefined ? ', which is not set' : ''}`,
    async () => {
      for (const node of url!.split(',')) expect((await fetch(node)).status).toBe(200);
    },
  );
});
