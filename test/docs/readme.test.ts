import { testGuide } from './guide.js';

testGuide('README.md', { skipped: { 'npm ci && npm start': 'installs; .ci/run does so in a clean checkout' } });
