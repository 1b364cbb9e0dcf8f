import { testGuide } from './guide.js';

testGuide('docs/audit.md', { skipped: { '-o audit.csv': 'writes a file; test/export sends such requests' } });
