import { beforeAll } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';

const guide = useGuide();

beforeAll(async () => {
  const { id, token } = guide.first;
  await fetch(`${guide.url}/ddp/v1/organizations/${id}/devices/a0-01`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
});

testGuide('docs/sites.md', {}, guide);
