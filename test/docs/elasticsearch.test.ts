import { testGuide } from './guide.js';

testGuide('docs/elasticsearch.md', {
  skipped: {
    '{origin}/ddp': 'an address',
    'apiVersion: 1': 'Grafana reads this file; test/elasticsearch/grafana.test.ts sends its requests',
  },
});
