import { testGuide } from './guide.js';

testGuide('docs/ingestion.md', {
  skipped: { '{device}': 'Sigfox fills this template in on its own servers' },
});
