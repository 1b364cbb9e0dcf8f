import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Client as Client8 } from 'elasticsearch-8';
import { elasticOptions, testClients } from './client-suite.js';

// test/compatibility covers the clients of Elasticsearch 7 and 9.
testClients([
  {
    name: '@elastic/elasticsearch 8.19',
    wraps: false,
    make: (url, token) => new Client8(elasticOptions(url, token)),
  },
  {
    name: '@opensearch-project/opensearch 3.9',
    wraps: true,
    make: (url, token) => new OpenSearch({ node: url, headers: { authorization: `Bearer ${token}` } }),
  },
]);
