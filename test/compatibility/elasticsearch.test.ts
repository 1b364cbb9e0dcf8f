import { Client as Client7 } from 'elasticsearch-7';
import { Client as Client9 } from 'elasticsearch-9';
import { elasticOptions, testClients } from '../elasticsearch/client-suite.js';

testClients([
  {
    name: '@elastic/elasticsearch 7.17',
    wraps: true,
    make: (url, token) => new Client7(elasticOptions(url, token)),
  },
  {
    name: '@elastic/elasticsearch 9.5',
    wraps: false,
    make: (url, token) => new Client9(elasticOptions(url, token)),
  },
]);
